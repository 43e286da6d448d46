package memory

import (
	"strings"

	"recallbench/internal/door/llm"
)

// maxPrediction bounds a prediction, in bytes.
const maxPrediction = 1 << 12

// predict restates what is known: an episode probably tells more of the same.
func predict(t llm.PredictTask) (string, []string) {
	var b strings.Builder
	if title := strings.TrimSpace(clip(t.Title, 400)); title != "" {
		b.WriteString(strings.TrimRight(title, ".") + ".")
	}
	for _, k := range t.Known {
		k = strings.TrimSpace(k)
		if k == "" || b.Len()+len(k) > maxPrediction {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strings.TrimRight(k, ".") + ".")
	}
	return b.String(), []string{"what is known, restated"}
}

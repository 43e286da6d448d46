package interchange

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"recallbench/internal/files/jsonout"
)

// Questions returns the questions and gold answers of files as a dataset of the format
// jsonl, each once. Answers without a conversation share one. It is an error if an answer
// lacks its question or its gold answer.
func Questions(files []File) ([]byte, error) {
	var b bytes.Buffer
	out := jsonout.NewEncoder(&b)
	seen, counts := make(map[[3]string]bool), make(map[string]int)
	var faults []error
	for _, f := range files {
		lacking := 0
		for _, a := range f.Answers {
			sample := cmp.Or(a.Sample, a.Conversation, "all")
			at := [3]string{sample, a.Request, a.Question}
			if a.Question == "" || a.Gold == "" {
				lacking++
			}
			if seen[at] {
				continue
			}
			seen[at] = true
			n := counts[sample]
			counts[sample]++
			var lines []map[string]any
			if n == 0 { // a sample needs a turn
				lines = append(lines, map[string]any{"type": "turn", "sample": sample, "session": "1", "speaker": "none", "text": "The files have no conversation."})
			}
			lines = append(lines, map[string]any{
				"type": "question", "sample": sample, "id": cmp.Or(a.Request, fmt.Sprintf("q%d", n)), "question": a.Question, "answer": a.Gold, "category": cmp.Or(a.Category, "uncategorised"),
			})
			if err := jsonout.Encode(out, lines...); err != nil {
				return nil, err
			}
		}
		if lacking > 0 {
			faults = append(faults, fmt.Errorf("%s: %d of %d answers lack the question or the gold answer, so --dataset must name a dataset", f.Name, lacking, len(f.Answers)))
		}
	}
	return b.Bytes(), errors.Join(faults...)
}

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
			q := a.Gold
			sample := cmp.Or(q.Sample, a.Conversation, "all")
			at := [3]string{sample, q.Request, q.Question}
			if q.Question == "" || q.Answer == "" {
				lacking++
			}
			if seen[at] {
				continue
			}
			seen[at] = true
			n := counts[sample]
			counts[sample]++
			var lines []object
			if n == 0 { // a sample needs a turn
				lines = append(lines, object{"type": "turn", "sample": sample, "session": "1", "speaker": "none", "text": "The files have no conversation."})
			}
			lines = append(lines, object{
				"type": "question", "sample": sample, "id": cmp.Or(q.Request, fmt.Sprintf("q%d", n)), "question": q.Question, "answer": q.Answer, "category": cmp.Or(q.Category, "uncategorised"),
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

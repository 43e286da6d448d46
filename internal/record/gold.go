package record

import (
	"encoding/json"
	"fmt"
	"io"

	"recallbench/datasets"
)

// WriteGold writes the questions of samples with their gold answers, so that a
// run can be scored where its dataset is not.
func WriteGold(path string, set *datasets.Set, samples []datasets.Sample) error {
	return WriteFile(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for _, s := range samples {
			for _, r := range s.Requests {
				g, ok := set.Gold(s.ID, r.ID)
				if !ok {
					return fmt.Errorf("dataset %s has no gold for request %s of %s", set.Name, r.ID, s.ID)
				}
				if err := enc.Encode(Gold{
					Sample: s.ID, Request: r.ID, Category: g.Category, Question: r.Text,
					Answer: g.Answer, Evidence: g.Evidence, Abstain: g.Abstain,
				}); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

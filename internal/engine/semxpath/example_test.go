package semxpath_test

import (
	"context"
	"fmt"
	"strings"

	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
)

// A wordScorer scores 1 for a text that has the condition in it.
type wordScorer struct{}

func (wordScorer) Score(_ context.Context, pairs []semxpath.Pair) ([]float64, error) {
	scores := make([]float64, len(pairs))
	for i, p := range pairs {
		if strings.Contains(strings.ToLower(p.Text), p.Condition) {
			scores[i] = 1
		}
	}
	return scores, nil
}

// A query finds the stops of the second day that are about the sea.
func ExampleQuery_Run() {
	memory, err := tree.ParseXML("plan.xml", strings.NewReader(`<Plan>
		<Day index="1"><Stop name="Sea museum"/></Day>
		<Day index="2"><Stop name="Fish market" note="by the sea"/><Stop name="Clock tower"/></Day>
	</Plan>`), tree.XMLOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	q, err := semxpath.Parse(`/Day[2]/Stop[node ~= "sea"]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := q.Run(context.Background(), memory.Root(), semxpath.Options{Scorer: wordScorer{}, Threshold: 0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range r.Matches {
		fmt.Println(m.Node.Name(), m.Weight)
	}
	// Output: Fish market 1
}

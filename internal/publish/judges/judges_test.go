package judges

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/realdata"
)

// recorded reads the votes of locomo-audit as rows with the judge recorded.
func recorded(t *testing.T) []Row {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(realdata.Datasets(t), "locomo-audit", "model_answers.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []Row
	for line := range strings.Lines(string(data)) {
		var a struct {
			System, ID string
			Votes      []bool
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		if len(rows) == 0 || rows[len(rows)-1].Name != a.System {
			rows = append(rows, Row{Name: a.System})
		}
		conversation, request, _ := strings.Cut(a.ID, "/")
		answer := Answer{Conversation: conversation, Request: request, Votes: make(map[string][]float64)}
		for _, v := range a.Votes {
			answer.Votes["recorded"] = append(answer.Votes["recorded"], float64(btoi(v)))
		}
		answer.Votes["first"] = answer.Votes["recorded"][:1]
		r := &rows[len(rows)-1]
		r.Answers = append(r.Answers, answer)
	}
	return rows
}

// TestMajority counts what the sources of locomo-audit recorded.
func TestMajority(t *testing.T) {
	want := map[string]int{
		"fc-gpt-4o-mini-memos": 1145, "fc-gpt-4o-mini-cot": 1231, "fc-gpt-4.1-mini-memos": 1264, "fc-gpt-4.1-mini-cot": 1427, "ap-v1": 164, "ap-v2": 966,
	}
	for _, r := range recorded(t) {
		n := 0.0
		for _, a := range r.Answers {
			x, ok := a.Score("recorded", Majority)
			if !ok {
				t.Fatalf("%s: three votes have no majority", r.Name)
			}
			n += x
		}
		if int(n) != want[r.Name] {
			t.Errorf("%s: %g accepted, want %d", r.Name, n, want[r.Name])
		}
	}
}

// small are two rows that two judges order differently.
func small() []Row {
	var rows []Row
	for _, name := range []string{"long", "short"} {
		r := Row{Name: name}
		for c := range 8 {
			for q := range 5 {
				a := Answer{Conversation: string(rune('a' + c)), Request: string(rune('0' + q)), Category: string(rune('x' + q/4)), Votes: map[string][]float64{}, Unparsed: map[string]int{}}
				lenient := float64(btoi(q > 0 || name == "short" && c%2 == 0))
				if name == "long" {
					lenient = float64(btoi(q < 4 || c == 0))
				}
				a.Votes["lenient"] = []float64{lenient, lenient}
				a.Votes["strict"] = []float64{float64(btoi(q > 2 && (name == "long" || c < 5)))}
				if name == "short" && q == 4 {
					delete(a.Votes, "strict")
				}
				if name == "long" && q == 4 && c == 7 {
					a.Unparsed["lenient"] = 1
					delete(a.Votes, "strict")
				}
				r.Answers = append(r.Answers, a)
			}
		}
		rows = append(rows, r)
	}
	return rows
}

func TestDocument(t *testing.T) {
	var b strings.Builder
	d := Document(small(), Options{Judges: []string{"lenient", "strict"}, Combine: Mean, Seed: 1, Notes: []string{"strict: a note"}})
	if err := d.Write(&b, "text"); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "document.txt", b.String())
}

func TestTies(t *testing.T) {
	a := Answer{Votes: map[string][]float64{"even": {1, 0}, "half": {0.5}}}
	if _, ok := a.Score("even", Majority); ok {
		t.Error("one vote for and one against have a majority")
	}
	if x, ok := a.Score("even", Mean); !ok || x != 0.5 {
		t.Errorf("their mean is %g, %t", x, ok)
	}
	if _, ok := a.Score("none", Mean); ok {
		t.Error("a judge that said nothing has a score")
	}
}

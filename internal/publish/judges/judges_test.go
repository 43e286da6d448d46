package judges

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"recallbench/internal/calc/stats"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/note"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

// recorded reads the votes of locomo-audit as rows with the judge recorded.
func recorded(t *testing.T) []judge.Row {
	t.Helper()
	data := try.Get(os.ReadFile(filepath.Join(realdata.Datasets(t), "locomo-audit", "model_answers.jsonl")))(t)
	golds := goldAnswers(t)
	var rows []judge.Row
	for line := range strings.Lines(string(data)) {
		var a struct {
			System, ID, Answer string
			Category           int
			Votes              []bool
		}
		try.Do(t, json.Unmarshal([]byte(line), &a))
		if len(rows) == 0 || rows[len(rows)-1].Name != a.System {
			rows = append(rows, judge.Row{Name: a.System})
		}
		conversation, request, _ := strings.Cut(a.ID, "/")
		answer := judge.Answer{Subject: note.Subject{Sample: conversation, Request: request}, Category: strconv.Itoa(a.Category), Votes: make(map[string][]float64)}
		answer.Votes["contains"] = []float64{number(metrics.ContainsWords(a.Answer, golds[a.ID]))}
		for _, v := range a.Votes {
			answer.Votes["recorded"] = append(answer.Votes["recorded"], number(v))
		}
		answer.Votes["first"] = answer.Votes["recorded"][:1]
		r := &rows[len(rows)-1]
		r.Answers = append(r.Answers, answer)
	}
	return rows
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// goldAnswers are those of LoCoMo, by sample and place.
func goldAnswers(t *testing.T) map[string]string {
	t.Helper()
	data := try.Get(os.ReadFile(filepath.Join(realdata.Datasets(t), "locomo", "locomo10.json")))(t)
	var samples []struct {
		ID string `json:"sample_id"`
		QA []struct{ Answer any }
	}
	try.Do(t, json.Unmarshal(data, &samples))
	golds := make(map[string]string)
	for _, s := range samples {
		for i, q := range s.QA {
			golds[fmt.Sprintf("%s/q%d", s.ID, i)] = fmt.Sprint(q.Answer)
		}
	}
	return golds
}

// TestRecordedTotals counts what the sources of locomo-audit recorded in three runs and by
// majority, and what the rule judge accepts, and has the agreement of these two as an
// independent program found it.
func TestRecordedTotals(t *testing.T) {
	type want struct {
		runs                 [3]float64
		majority, mean, rule float64
		kappa, error         float64
	}
	all := map[string]want{
		"fc-gpt-4o-mini-memos":  {[3]float64{1143, 1144, 1145}, 1145, 1144, 563, 0.331658029, 0.025563939},
		"fc-gpt-4o-mini-cot":    {[3]float64{1229, 1229, 1233}, 1231, 1230.3333333333, 608, 0, 0},
		"fc-gpt-4.1-mini-memos": {[3]float64{1260, 1263, 1263}, 1264, 1262, 645, 0, 0},
		"fc-gpt-4.1-mini-cot":   {[3]float64{1426, 1424, 1429}, 1427, 1426.3333333333, 817, 0.139605104, 0.016955783},
		"ap-v1":                 {[3]float64{163, 166, 161}, 164, 163.3333333333, 3, 0.008181236, 0.011343399},
		"ap-v2":                 {[3]float64{970, 962, 970}, 966, 967.3333333333, 7, 0.005411827, 0.002384475},
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %.10f, want %.10f", what, got, want)
		}
	}
	rows := recorded(t)
	if len(rows) != len(all) {
		t.Fatalf("%d rows, want %d", len(rows), len(all))
	}
	for _, r := range rows {
		var got want
		for _, a := range r.Answers {
			x, ok := a.Score("recorded", judge.Majority)
			if !ok {
				t.Fatalf("%s: three votes have no majority", r.Name)
			}
			mean, _ := a.Score("recorded", judge.Mean)
			rule, _ := a.Score("contains", judge.Mean)
			got.majority, got.mean, got.rule = got.majority+x, got.mean+mean, got.rule+rule
			for i := range got.runs {
				got.runs[i] += a.Votes["recorded"][i]
			}
		}
		w := all[r.Name]
		near(r.Name+" by mean", got.mean, w.mean)
		if got.runs != w.runs || got.majority != w.majority || got.rule != w.rule {
			t.Errorf("%s: accepted %v, by majority %g, by rule %g; want %+v", r.Name, got.runs, got.majority, got.rule, w)
		}
		if w.kappa == 0 {
			continue
		}
		pairs := pairs(r, judge.Majority, "contains", "recorded")
		kappa, _ := stats.Kappa(pairs).Value()
		se, _ := stats.Kappa(pairs).JackknifeError()
		near(r.Name+": kappa", kappa, w.kappa)
		near(r.Name+": its error", se, w.error)
	}
}

// small are two rows that two judges order differently.
func small() []judge.Row {
	var rows []judge.Row
	for _, name := range []string{"long", "short"} {
		r := judge.Row{Name: name}
		for c := range 8 {
			for q := range 5 {
				a := judge.Answer{Subject: note.Subject{Sample: string(rune('a' + c)), Request: string(rune('0' + q))}, Category: string(rune('x' + q/4)), Votes: map[string][]float64{}, Unparsed: map[string]int{}}
				lenient := number(q > 0 || name == "short" && c%2 == 0)
				if name == "long" {
					lenient = number(q < 4 || c == 0)
				}
				a.Votes["lenient"] = []float64{lenient, lenient}
				a.Votes["strict"] = []float64{number(q > 2 && (name == "long" || c < 5))}
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
	d := Document(small(), Options{Judges: []string{"lenient", "strict"}, Combine: judge.Mean, Seed: 1, Notes: []string{"strict: a note"}})
	try.Do(t, d.Write(&b, "text"))
	golden.Check(t, "document.txt", b.String())
}

func TestTies(t *testing.T) {
	a := judge.Answer{Votes: map[string][]float64{"even": {1, 0}, "half": {0.5}}}
	if _, ok := a.Score("even", judge.Majority); ok {
		t.Error("one vote for and one against have a majority")
	}
	if x, ok := a.Score("even", judge.Mean); !ok || x != 0.5 {
		t.Errorf("their mean is %g, %t", x, ok)
	}
	if _, ok := a.Score("none", judge.Mean); ok {
		t.Error("a judge that said nothing has a score")
	}
}

package scored_test

import (
	"encoding/json"
	"testing"
	"time"

	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
	"recallbench/metrics/suite"
)

// TestVerdict has a judge's verdict, a person's label against it, and an answer that
// nobody judged and that the run has no f1@span of.
func TestVerdict(t *testing.T) {
	side := folder(t,
		reply{"s", "judged", new(0.0), record.OK, "h", nil},
		reply{"s", "labelled", new(0.0), record.OK, "h", nil},
		reply{"s", "doubted", new(1.0), record.OK, "h", nil},
		reply{"s", "neither", nil, record.OK, "2", nil}, // "answer 3" for "gold 2"
	)
	book := note.Book{Reviewer: "ann", Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }}
	for request, value := range map[string]string{"labelled": "true", "doubted": `"partly"`, "judged": `"unsure"`} {
		answer := map[string]string{"judged": "answer 0", "labelled": "answer 1", "doubted": "answer 2"}[request]
		try.Get(book.Add(side.Folder, note.Note{Subject: note.Subject{Cell: "c", Sample: "s", Request: request}, Answer: note.Sum(answer), Kind: note.Correct, Value: json.RawMessage(value)}))(t)
	}
	run := try.Get(scored.Open(side.Folder, side.Header))(t)
	in := try.Get(run.Reader(side.Cell))(t)
	want := map[string]metrics.Verdict{"judged": metrics.Wrong, "labelled": metrics.Right, "doubted": metrics.Unclear, "neither": metrics.Wrong}
	for _, b := range in.Briefs {
		if b.Verdict != want[b.Record.Request] {
			t.Errorf("%s is %s in brief, want %s", b.Record.Request, b.Verdict, want[b.Record.Request])
		}
	}
	for q, err := range run.Requests(side.Cell) {
		if err != nil || q.Verdict != want[q.Record.Request] {
			t.Errorf("%s is %s, want %s; %v", q.Record.Request, q.Verdict, want[q.Record.Request], err)
		}
	}
}

// TestNoOverlapIsRight has wrong answers that share words with the right one: no metric
// of answers that can decide holds one of them right.
func TestNoOverlapIsRight(t *testing.T) {
	for _, spec := range suite.All() {
		for _, a := range []struct{ gold, answer string }{
			{"No", "No information available"}, {"7 May 2023", "8 May 2023"}, {"in Rome with Ann", "in Rome with Bo"},
		} {
			for i, v := range spec.Score(metrics.Item{Category: "1", Question: "Is it so?", Gold: a.gold, Prediction: a.answer}) {
				column := spec.Columns[i].Name
				if metrics.Decides(column) > 0 && v.Defined && metrics.By(column, &v.X) == metrics.Right {
					t.Errorf("%s: %q is right for %q", column, a.answer, a.gold)
				}
			}
		}
	}
}

func TestJudging(t *testing.T) {
	evidence := &metrics.Spec{Of: metrics.Evidence, Columns: []metrics.Column{{Name: "found", Binary: true}}}
	f1 := &metrics.Spec{Of: metrics.Answer, Columns: []metrics.Column{{Name: "f1"}}}
	exact := &metrics.Spec{Of: metrics.Answer, Columns: []metrics.Column{{Name: "exact", Binary: true}}}
	named := &metrics.Spec{Of: metrics.Judgement, Columns: []metrics.Column{{Name: "judge:strict@m"}}}
	words := &metrics.Spec{Of: metrics.Judgement, Columns: []metrics.Column{{Name: "judge:contains"}}}
	for _, c := range []struct {
		specs         []*metrics.Spec
		shown, decide string
	}{
		{[]*metrics.Spec{evidence, f1, exact}, "f1", ""},
		{[]*metrics.Spec{f1, metrics.SpanSpec, named, metrics.JudgeSpec}, "judge", "judge"},
		{[]*metrics.Spec{f1, metrics.SpanSpec, words}, "f1@span", "f1@span"},
		{[]*metrics.Spec{named, metrics.SpanSpec}, "judge:strict@m", "f1@span"},
		{nil, "", ""},
	} {
		if got, err := scored.Judging(c.specs); got.Name != c.shown || (err == nil) != (c.shown != "") {
			t.Errorf("shown is %s, want %s; %v", got.Name, c.shown, err)
		}
		for _, name := range []string{"judge", "f1@span", "f1"} {
			if _, err := scored.Decider(c.specs, name); (err == nil) != (name == c.decide || name == "f1@span" && c.shown == "judge") {
				t.Errorf("%s among %s: %v", name, c.shown, err)
			}
		}
	}
}

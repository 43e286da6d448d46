package scored_test

import (
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/testkit/try"
)

// A reply is what a test run has of a request.
type reply struct {
	sample, request string
	value           *float64
	status          record.Status
	hash            string
	blocks          []string // sources of each block
}

// folder writes a run of one cell.
func folder(t *testing.T, replies ...reply) scored.Side {
	t.Helper()
	f := try.Get(record.Create(t.TempDir()))(t)
	cell := record.Cell{ID: "c", Dataset: "d", Method: "m", Model: "offline"}
	h := record.Header{Datasets: []record.Dataset{{Label: "d"}}, Cells: []record.Cell{cell}}
	try.Do(t, os.MkdirAll(f.Cell("c"), 0o755))
	var golds, records, blocks, scores []any
	for i, r := range replies {
		golds = append(golds, record.Gold{
			Sample: r.sample, Request: r.request, Question: "question " + r.request, Answer: "gold " + r.hash, Evidence: []string{"t1", "t2"},
			History: []record.Utterance{{Turn: "t2", Speaker: "Ann", Text: "said"}},
		})
		rec := record.Record{Sample: r.sample, Request: r.request, Hash: r.hash, Status: r.status, Answer: fmt.Sprint("answer ", i)}
		for j, source := range r.blocks {
			id := fmt.Sprintf("b%d%d", i, j)
			blocks = append(blocks, record.Block{Block: id, Sample: r.sample, Sources: []string{source, "other"}, Text: "text of " + id + source})
			rec.Evidence = append(rec.Evidence, record.BlockRef{Block: id})
		}
		records = append(records, rec)
		scores = append(scores, record.Score{Cell: "c", Sample: r.sample, Request: r.request, Status: r.status, Values: map[string]*float64{"judge": r.value}})
	}
	for path, lines := range map[string][]any{f.Gold("d"): golds, f.Records("c"): records, f.Blocks("c"): blocks, f.Scores(): scores} {
		try.Do(t, record.WriteFile(path, func(w io.Writer) error { return jsonout.Lines(w, lines...) }))
	}
	run := try.Get(scored.Open(f, h))(t)
	return scored.Side{Run: run, Cell: cell}
}

func TestCompare(t *testing.T) {
	half, one, none := new(0.5), new(1.0), new(0.0)
	a := folder(t,
		reply{"s", "both", one, record.OK, "h", nil},
		reply{"s", "lost", half, record.OK, "h", []string{"t2", "t9", "t2"}},
		reply{"s", "gained", none, record.OK, "h", []string{"t1", "t2"}},
		reply{"s", "neither", none, record.OK, "h", nil},
		reply{"s", "failed", one, record.OK, "h", nil},
		reply{"s", "unscored", nil, record.OK, "h", nil},
		reply{"s", "changed", one, record.OK, "h", nil},
		reply{"s", "no hash", one, record.OK, "", nil},
		reply{"s", "only a", one, record.OK, "h", nil},
	)
	b := folder(t,
		reply{"s", "only b", one, record.OK, "h", nil},
		reply{"r", "only a", one, record.OK, "h", nil},
		reply{"s", "no hash", one, record.OK, "", nil},
		reply{"s", "changed", one, record.OK, "i", nil},
		reply{"s", "unscored", one, record.OK, "h", nil},
		reply{"s", "failed", none, record.Error, "h", nil},
		reply{"s", "neither", new(0.49), record.OK, "h", nil},
		reply{"s", "gained", one, record.OK, "h", nil},
		reply{"s", "lost", none, record.OK, "h", []string{"t9", "t8", "t1"}},
		reply{"s", "both", half, record.OK, "h", nil},
	)
	got, err := scored.Compare(a, b, "judge", scored.Filter{Keep: func(v scored.Verdict) bool { return v == scored.Lost || v == scored.Gained }})
	try.Do(t, err)
	if want := map[scored.Verdict]int{scored.Lost: 2, scored.Gained: 1, scored.BothRight: 2, scored.BothWrong: 1}; !cmp.Equal(want, got.Counts) {
		t.Errorf("counts %v, want %v", got.Counts, want)
	}
	if got.Unclear != 1 || got.OnlyA != 1 || got.OnlyB != 2 || !cmp.Equal(got.Changed, []record.Asked{{Sample: "s", Request: "changed"}}) || got.Compared() != 6 {
		t.Errorf("unclear %d, only A %d, only B %d, changed %v, compared %d", got.Unclear, got.OnlyA, got.OnlyB, got.Changed, got.Compared())
	}
	var pairs []string
	for _, p := range got.Pairs {
		pairs = append(pairs, fmt.Sprint(p.Verdict, " ", p.A.Record.Request, p.B.Record.Request, " ", p.OutcomeA, " ", p.OutcomeB, " ", p.Turns()))
	}
	want := []string{
		"lost lostlost right partly-retrieved [{t1 0 3 text of b82t1} {t2 1 0 Ann: said}]",
		"gained gainedgained not-used right [{t1 1 0 text of b20t1} {t2 2 0 Ann: said}]",
		"lost failedfailed right failed [{t1 0 0 } {t2 0 0 Ann: said}]",
	}
	try.Equal(t, "pairs", want, pairs)

	// All pairs of some requests.
	got, err = scored.Compare(a, b, "judge", scored.Filter{Ask: func(q scored.Request) bool { return q.Record.Request == "both" || q.Record.Request == "only a" }})
	if err != nil || len(got.Pairs) != 1 || got.Pairs[0].Verdict != scored.BothRight || got.OnlyA != 1 || got.OnlyB != 1 {
		t.Errorf("filtered: %+v, %v", got, err)
	}

	// Held against itself, nothing flips.
	got, err = scored.Compare(a, a, "judge", scored.Filter{})
	if err != nil || got.Counts[scored.Lost]+got.Counts[scored.Gained]+got.OnlyA+got.OnlyB+len(got.Changed) != 0 || got.Compared() != 8 {
		t.Errorf("against itself: %+v, %v", got.Counts, err)
	}
}

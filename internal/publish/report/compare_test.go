package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/publish/report"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

func readResults(t *testing.T, o interchange.ResultOptions, names ...string) []*interchange.Results {
	t.Helper()
	return lists.Map(names, func(name string) *interchange.Results {
		return try.Get(interchange.ReadResults(t.Context(), name, o))(t)
	})
}

// TestResultContrasts compares the same answers in the layout of each program.
func TestResultContrasts(t *testing.T) {
	dir := filepath.Join(realdata.Fixtures(t), "compare-anything", "fixtures")
	data := try.Get(os.ReadFile(filepath.Join(dir, "expected.json")))(t)
	var want struct {
		Pairs, Clusters int
		A               float64 `json:"mean_a"`
		B               float64 `json:"mean_b"`
		Difference      float64
		P               float64 `json:"flip_p"`
		Requests        struct {
			B int `json:"b_only"`
			A int `json:"a_only"`
		} `json:"mcnemar_requests"`
	}
	try.Do(t, json.Unmarshal(data, &want))
	near := func(x, y float64) bool { return math.Abs(x-y) < 1e-9 }
	for _, c := range []struct {
		a, b, cluster string
		samples       int
	}{
		{"a.csv", "b.csv", "", want.Clusters},
		{"amb/a.json", "amb/b.json", "", want.Clusters},
		{"evermemos/a.json", "evermemos/b.json", "", want.Clusters},
		{"lm-eval/a", "lm-eval/b", "doc.conversation_id", want.Clusters},
		{"longmemeval/a.jsonl.eval-results-gpt-4o", "longmemeval/b.jsonl.eval-results-gpt-4o", "", want.Pairs}, // it names no conversation
		{"memory-benchmarks/a.json", "memory-benchmarks/b.json", "", want.Clusters},
		{"memorybench/a", "memorybench/b", "", want.Clusters},
		{"omnimemeval/a_locomo_judged.json", "omnimemeval/b_locomo_judged.json", "", want.Clusters},
		{"predictions/a.jsonl", "predictions/b.jsonl", "", want.Clusters},
		{"helm/a", "helm/b", "", want.Clusters},
		{"otlp/a.json", "otlp/b.json", "", want.Clusters},
		{"langfuse/a", "langfuse/b", "", want.Clusters},
		{"promptfoo.json#a", "promptfoo.json#b", "testCase.metadata.conversation", want.Clusters},
	} {
		sides := readResults(t, interchange.ResultOptions{Fields: interchange.ItemFields{Cluster: c.cluster}}, filepath.Join(dir, c.a), filepath.Join(dir, c.b))
		rows, _, err := report.ResultContrasts(sides[0], sides[1:], report.ResultOptions{})
		if err != nil {
			t.Errorf("%s: %v", c.a, err)
			continue
		}
		for _, r := range rows {
			if r.N != want.Pairs || r.Samples != c.samples || !near(r.Base, want.A) || !near(r.New, want.B) || !near(r.Difference(), want.Difference) ||
				r.Higher != want.Requests.B || r.Lower != want.Requests.A || r.P == nil || !near(*r.P, want.P) {
				t.Errorf("%s: %s: %d pairs of %d, %v to %v, %d higher, %d lower, result %+v", c.a, r.Column.Name, r.N, r.Samples, r.Base, r.New, r.Higher, r.Lower, r.Result)
			}
		}
	}
}

// TestResultContrastsRefuse holds files against each other that do not go together.
func TestResultContrastsRefuse(t *testing.T) {
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		try.Do(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	base := "id,conversation,score\nq1,c1,1\nq2,c1,0\nq3,c2,1\n"
	for _, c := range []struct{ name, base, side, want string }{
		{"no key", base, strings.ReplaceAll(base, "q", "r"), "have no item with the same key"},
		{"clusters", base, strings.Replace(base, "q2,c1", "q2,c2", 1), `item "q2" belongs to "c1"`},
		{"columns", base, strings.Replace(base, "score", "correct", 1), "the files have no score in common"},
	} {
		sides := readResults(t, interchange.ResultOptions{}, write("base.csv", c.base), write("side.csv", c.side))
		if _, _, err := report.ResultContrasts(sides[0], sides[1:], report.ResultOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %s", c.name, err, c.want)
		}
	}
	sides := readResults(t, interchange.ResultOptions{}, write("base.csv", base), write("side.csv", strings.ReplaceAll(base, "q", "r")))
	rows, _, err := report.ResultContrasts(sides[0], sides[1:], report.ResultOptions{Force: true})
	if err != nil || len(rows) != 1 || rows[0].Paired || rows[0].Verdict() == "better" {
		t.Errorf("rows are %+v, error %v", rows, err)
	}
}

// TestDesign plans by the judged answers of two systems; the numbers are those of plain
// Python and SciPy.
func TestDesign(t *testing.T) {
	dir := filepath.Join(realdata.Datasets(t), "locomo-audit", "eval_results")
	sides := readResults(t, interchange.ResultOptions{}, filepath.Join(dir, "gpt-4o-mini-memos.json"), filepath.Join(dir, "gpt-4.1-mini-memos.json"))
	rows, _, err := report.ResultContrasts(sides[0], sides[1:], report.ResultOptions{})
	if err != nil || len(rows) != 1 {
		t.Fatal(len(rows), err)
	}
	r := rows[0]
	for _, c := range []struct{ got, want float64 }{
		{r.Base, 0.7428571429}, {r.New, 0.8194805195}, {*r.P, 2. / 1024}, {r.Interval.Lo, 0.0439691028}, {r.Interval.Hi, 0.1058201058},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
	d := try.Get(report.DesignTable(rows, report.DesignQuestion{Detect: []float64{1, 2, 3, 5}, Power: 0.8, Questions: []float64{154, 20}, Seeds: []float64{1}}))(t)
	var got []string
	for _, row := range d.Tables[0].Rows {
		got = append(got, row[4].Text)
	}
	if want := "136 752 36 190 17 86 8 32"; strings.Join(got, " ") != want {
		t.Errorf("conversations are %v, want %s", got, want)
	}
}

// TestCalibrate checks the level where labels are drawn at random, for conversations of
// LoCoMo's sizes and for few.
func TestCalibrate(t *testing.T) {
	times := longtest.N(300, 4000)
	for _, sizes := range [][]int{{100, 100, 100}, {20, 40, 60, 80, 100}, {152, 81, 152, 199, 178, 123, 150, 191, 156, 158}} {
		var sides [2]strings.Builder
		r := rand.New(rand.NewPCG(1, uint64(len(sizes))))
		for i := range sides {
			sides[i].WriteString("id,conversation,score,other\n")
			for c, n := range sizes {
				for q := range n {
					fmt.Fprintf(&sides[i], "%d-%d,%d,%.3f,%d\n", c, q, c, r.Float64(), r.IntN(2))
				}
			}
		}
		var paths []string
		for i := range sides {
			path := filepath.Join(t.TempDir(), "side.csv")
			try.Do(t, os.WriteFile(path, []byte(sides[i].String()), 0o644))
			paths = append(paths, path)
		}
		all := readResults(t, interchange.ResultOptions{}, paths...)
		rows, _, err := report.ResultContrasts(all[0], all[1:], report.ResultOptions{})
		try.Do(t, err)
		d := try.Get(report.Calibrate(t.Context(), rows, report.ContrastOptions{}, times))(t)
		for _, row := range d.Tables[0].Rows {
			share, spread := *row[2].Value, 100*math.Sqrt(0.05*0.95/float64(times))
			one := row[0].Text == "none" // each of two rows by itself
			if !one && share > 6.5+3*spread || one && (share < 3.5-3*spread || share > 13+3*spread) {
				t.Errorf("%v: %s finds a difference in %v %%", sizes, row[0].Text, share)
			}
		}
	}
}

// A shorter answer is no better one: what falls with length counts where it is named.
// Where nothing was compared, no regression is no news.
func TestRegressions(t *testing.T) {
	worse := &report.Contrast{Column: metrics.F1Mem0Spec.Columns[0], N: 9, Base: 0.5, New: 0.2, Result: infer.Result{Shown: true, Adjusted: new(0.01)}}
	tested := &report.Contrast{Column: metrics.SpanSpec.Columns[0], N: 9, Result: infer.Result{Adjusted: new(0.9)}}
	nothing, same := &report.Contrast{Missing: "no question has a value on both sides"}, &report.Contrast{Paired: true, N: 3}
	for _, c := range []struct {
		rows  []*report.Contrast
		named bool
		worse int
		fails bool
	}{
		{[]*report.Contrast{worse, tested}, true, 1, false},
		{[]*report.Contrast{worse, tested}, false, 0, false},
		{[]*report.Contrast{worse}, false, 0, true},
		{[]*report.Contrast{nothing, nothing}, true, 0, true},
		{[]*report.Contrast{nothing, same}, true, 0, false},
	} {
		if n, err := report.Regressions(c.rows, c.named); n != c.worse || (err != nil) != c.fails {
			t.Errorf("%d rows, named %v: %d are worse, %v; want %d and an error %v", len(c.rows), c.named, n, err, c.worse, c.fails)
		}
	}
}

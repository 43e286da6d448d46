package report

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"gonum.org/v1/gonum/stat"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

func render(t *testing.T, d *Document, format string) string {
	t.Helper()
	var b strings.Builder
	try.Do(t, d.Write(&b, format))
	return b.String()
}

// unstyled is render without what all pages have: their head with the style sheet.
func unstyled(t *testing.T, d *Document, format string) string {
	t.Helper()
	text := render(t, d, format)
	if _, body, ok := strings.Cut(text, "<body>\n"); ok && format == "html" {
		return body
	}
	return text
}

// Every kind of table, as it is printed.
func TestTables(t *testing.T) {
	failed := standInRun()
	rescore(failed, func(s *record.Score) {
		s.Status = record.Error
		s.Values = map[string]*float64{"f1@mem0": new(0.0)}
	})
	// A published deviation stands in parentheses as a measured one does, and is a field of
	// its own.
	anchored := seedsRun()
	anchored.Header.Datasets[0].Name, anchored.Header.Metrics = "multiwoz-long", []string{"fr"}
	for i := range anchored.Header.Cells {
		anchored.Header.Cells[i].Method = []string{"Stateless LLM", "Vector RAG"}[i%2]
	}
	rescore(anchored, func(s *record.Score) { s.Values = map[string]*float64{"fr": s.Values["exact-match"]} })
	byCategory := Options{Intervals: true, By: Category, Columns: []string{"f1@mem0", "exact-match"}}
	ofSeeds, xMemory := byCategory, []string{"xmemory-table1"}
	ofSeeds.Published = []string{"xmemory-table3"}
	for _, c := range []struct {
		name, formats string
		run           *Run
		o             Options
		first, end    int // tables; end 0 for all
	}{
		{"main", strings.Join(Formats(), " "), standInRun(), Options{}, 0, 0},
		{"category", "text json", standInRun(), byCategory, 0, 0},
		{"failed", "text", failed, Options{Intervals: true, Columns: []string{"f1@mem0", "evidence-recall"}}, 0, 0},
		{"by_turn", "text", standInRun(), Options{By: "turn", Columns: []string{"tokens@xmemory"}}, 0, 0}, // in the order of numbers
		{"seeds", "text json", seedsRun(), ofSeeds, 0, 0},
		{"ablation", "text json", ablationRun(), Options{Ablation: true}, 0, 0},
		{"axes", "text", sweptRun(), Options{Axes: true}, 0, 0},
		{"against", "text json", standInRun(), Options{Against: "naive rag"}, 0, 0},
		{"against_seeds", "text", seedsRun(), Options{Against: "stateless", Intervals: true, Columns: []string{"f1@mem0", "exact-match", "hits"}}, 0, 0},
		{"keys", "text csv", keyedRun(), Options{Keys: true}, 0, 0},
		{"beside", "text json", standInRun(), Options{Columns: []string{"f1@mem0"}, Published: xMemory}, 0, 0},
		{"seeds_beside", "text csv", anchored, Options{Published: []string{"semantic-anchoring-table1"}}, 0, 0},
		// With the reader, the embeddings, the data and the dialects of the paper, the cells of
		// questions compare. Tokens do not: the paper averages over all questions.
		{"comparable", "text", llamaRun(), Options{Published: xMemory}, 0, 0},
		// The average of the task domains is over domains, whatever their sizes.
		{"tasks", "text", tasksRun(), Options{Published: []string{"semantic-xpath-table1"}}, 1, 2},
		// When adversarial questions are asked too, scores are over the categories of the table
		// all the same, and tokens over all questions, as the paper has them.
		{"adversarial", "text", withAdversarial(llamaRun()), Options{Published: xMemory}, 0, 2},
	} {
		c.o.Metric = fakeMetrics
		d := try.Get(Build([]*Run{c.run}, c.o))(t)
		if c.end > 0 {
			d.Tables = d.Tables[c.first:c.end]
		}
		for format := range strings.FieldsSeq(c.formats) {
			golden.Check(t, c.name+"."+format, unstyled(t, d, format))
		}
	}
}

// A row whose requests all failed has asked for no token, and is not the best.
func TestFailedRowIsNotBest(t *testing.T) {
	r := standInRun()
	rescore(r, func(s *record.Score) {
		if s.Cell == "c1" {
			s.Status, s.Values = record.Error, map[string]*float64{"tokens@xmemory": new(0.0)}
		}
	})
	o := fakeOptions()
	o.Columns = []string{"tokens@xmemory"}
	for _, row := range try.Get(Build([]*Run{r}, o))(t).Tables[0].Rows {
		try.Equal(t, row[0].Text, row[0].Text == "RAG | 10", row[len(row)-1].Best)
	}
}

func TestFaults(t *testing.T) {
	scores := func(change func(*record.Score)) func(*Run) {
		return func(r *Run) { rescore(r, change) }
	}
	two := ablationRun()
	two.Header.Cells[4].VariantOf = "stateless"
	for want, c := range map[string]struct {
		run    *Run // nil for that of the stand-in
		change func(*Run)
		o      Options
	}{
		"offline: there are scores of cell c7, which the run does not have":                               {change: scores(func(s *record.Score) { s.Cell = "c7" })},
		"offline: question 1-0 of conv-0 is scored twice in cell c1":                                      {change: scores(func(s *record.Score) { s.Sample, s.Request = "conv-0", "1-0" })},
		`offline: cell c1 names dataset "locomo" and model "offline", which the header does not describe`: {change: func(r *Run) { r.Header.Datasets = nil }},
		`offline: unknown metric "f9"`:                                                                    {change: func(r *Run) { r.Header.Metrics = []string{"f9"} }},
		"scores.jsonl:3: unexpected EOF": {change: func(r *Run) {
			r.Scores = func(yield func(record.Score, error) bool) {
				yield(record.Score{}, errors.New("scores.jsonl:3: unexpected EOF"))
			}
		}},
		`unknown column "f1@mem"; did you mean "f1@mem0"? have f1@mem0, exact-match, evidence-recall, tokens@xmemory, hits, blocks`: {o: Options{Columns: []string{"f1@mem"}}},
		`unknown published table "xmemory-table9"; did you mean "xmemory-table1"?`:                                                  {o: Options{Published: []string{"xmemory-table9"}}},
		`unknown label "turns"; did you mean "turn"? have category, turn`:                                                           {o: Options{By: "turns"}},
		`filter "temporal": want NAME=VALUE`:                                                                                        {o: Options{Filter: []string{"temporal"}}},
		`filter "kind=x": want NAME=VALUE`:                                                                                          {o: Options{Filter: []string{"kind=x"}}},
		`filter "category=none": no question`:                                                                                       {o: Options{Filter: []string{"category=none"}}},
		`unknown method label "naive"; did you mean "Naive RAG"?`:                                                                   {o: Options{Against: "naive"}},
		`unknown method label "Ful"; did you mean "Full"?`:                                                                          {run: ablationRun(), o: Options{Ablation: true, Full: "Ful"}},
		`"stateless" has no variants: no other method names it as its full method, or uses the same method`:                         {run: ablationRun(), o: Options{Ablation: true, Full: "stateless"}},
		`--ablation: the run file has 2 methods with variants; name one of "stateless", "neither", "one", "k 5", "flat", "Full"`:    {run: two, o: Options{Ablation: true}},
		`--ablation: the run file has 0 methods with variants; name one of "stateless", "Naive RAG", "RAG | 10"`:                    {o: Options{Ablation: true}},
		"nothing to print: --ablation needs":                                                                                        {o: Options{Keys: true}},
		"nothing to print: --ablation needs a method":                                                                               {run: scored(map[string][]float64{"x": {1, 0}, "y": {0, 1}}, "x", "y"), o: Options{Axes: true}},
	} {
		r := cmp.Or(c.run, standInRun())
		if c.change != nil {
			c.change(r)
		}
		c.o.Metric = fakeMetrics
		if _, err := Build([]*Run{r}, c.o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error = %v\nwant    %s", err, want)
		}
	}
}

// The order of scores in the file does not show.
func TestOrderOfScores(t *testing.T) {
	build := func(reverse bool) string {
		r := standInRun()
		if reverse {
			var all []record.Score
			rescore(r, func(s *record.Score) { all = append(all, *s) })
			slices.Reverse(all)
			r.Scores = listed(all)
		}
		o := fakeOptions()
		o.By, o.Intervals = Category, true
		d := try.Get(Build([]*Run{r}, o))(t)
		return render(t, d, "text")
	}
	try.Equal(t, "reversed scores give another report", build(false), build(true))
}

// A filter counts what the column of a split does, and says what is none.
func TestFilter(t *testing.T) {
	o := fakeOptions()
	o.By, o.Columns = Category, []string{"f1@mem0"}
	split := try.Get(Build([]*Run{standInRun()}, o))(t).Tables[1]
	o.By, o.Filter = "", []string{"category=temporal"}
	filtered := try.Get(Build([]*Run{standInRun()}, o))(t).Tables[0]
	for i, row := range filtered.Rows {
		if got, want := *row[3].Value, *split.Rows[i][2].Value; got != want || row[1].Text != "30" {
			t.Errorf("%s: %v of %s requests, want %v of 30", row[0].Text, got, row[1].Text, want)
		}
	}
}

// Each seed may have a row of its own; the row over them has their mean and
// standard deviation over n - 1.
func TestSeedsApart(t *testing.T) {
	o := fakeOptions()
	together := try.Get(Build([]*Run{seedsRun()}, o))(t)
	o.Seeds = true
	apart := try.Get(Build([]*Run{seedsRun()}, o))(t)
	golden.Check(t, "seeds_apart.text", render(t, apart, "text"))
	for ti, table := range together.Tables {
		for ri, row := range table.Rows {
			for ci, cell := range row {
				if cell.Value == nil || table.Columns[ci].Name == "n" {
					continue
				}
				var values []float64
				for seed := range 3 {
					values = append(values, *apart.Tables[ti].Rows[2*seed+ri][ci+1].Value) // a column seed more
				}
				mean, deviation := stat.MeanStdDev(values, nil)
				if table.Columns[ci].Name == "errors" {
					mean *= 3 // they are summed
				} else if cell.Deviation == nil || !near9(*cell.Deviation, deviation) {
					t.Errorf("%s of %s: deviation %v, want %g", table.Columns[ci].Name, row[0].Text, cell.Deviation, deviation)
				}
				if !near9(*cell.Value, mean) {
					t.Errorf("%s of %s: %g, want %g of %v", table.Columns[ci].Name, row[0].Text, *cell.Value, mean, values)
				}
			}
		}
	}
}

func TestMeanOf(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name          string
		values        [][]float64 // of the column and its weight, by seed
		weighted      bool
		value, weight float64 // NaN for none
	}{
		{"even", [][]float64{{1, 9}, {0, 9}, {0.5, 9}}, false, 0.5, 1},
		{"weighted", [][]float64{{1, 3}, {0, 1}}, true, 0.75, 2},
		{"no value in one", [][]float64{{1, 3}, {nan, 1}}, true, 1, 3},
		{"no weight in one", [][]float64{{1, nan}, {0.5, 1}}, true, 0.5, 1},
		{"weights of 0", [][]float64{{1, 0}, {0.5, 0}}, true, 0, 0},
		{"none", [][]float64{{nan, 1}, {0.5, nan}}, true, nan, nan},
	} {
		var of []*item
		for _, v := range c.values {
			it := &item{values: v[:1]}
			if c.weighted {
				it.weights = v[1:]
			}
			of = append(of, it)
		}
		mean := meanOf(of)
		for what, x := range map[string][2]float64{"value": {mean.values[0], c.value}, "weight": {mean.weight(0), c.weight}} {
			if math.IsNaN(x[0]) != math.IsNaN(x[1]) || !math.IsNaN(x[0]) && x[0] != x[1] {
				t.Errorf("%s: %s is %v, want %g", c.name, what, x[0], x[1])
			}
		}
	}
}

// Words stand in each table that shows a column which falls with length, and a note says
// where rows differ by more than twice in it. 9 words are to 16 and to 25 as 1 is to 1.8
// and to 2.8.
func TestLength(t *testing.T) {
	for raised, want := range map[float64]bool{0: false, 0.1: true} {
		for _, columns := range [][]string{nil, {"f1@mem0"}} {
			o := fakeOptions()
			o.By, o.Columns = Category, columns
			d := try.Get(Build([]*Run{pairRun("main", raised, "words")}, o))(t)
			for _, table := range d.Tables {
				has := func(name string) bool {
					return slices.ContainsFunc(table.Columns, func(c Column) bool { return c.Name == name }) || strings.HasSuffix(table.Name, ": "+name)
				}
				if !has("f1@mem0") {
					continue
				}
				if !has("words") {
					t.Errorf("%s has no words", table.Name)
				}
				if noted := slices.ContainsFunc(table.Notes, func(n string) bool { return strings.Contains(n, "9.0 words in stateless, 25.0 in Naive RAG") }); noted != want {
					t.Errorf("%s, raised %v: noted %v, want %v", table.Name, raised, noted, want)
				}
			}
		}
	}
}

// Words are compared, and not tested: the tests of other columns are those without them.
func TestContrastLength(t *testing.T) {
	for columns, want := range map[string]int{"": 1, "f1@mem0": 1, "evidence-recall": 0} {
		compare := func(more ...string) []*Contrast {
			o := contrastOptions()
			if columns != "" {
				o.Columns = []string{columns}
			}
			run := pairRun("a", 0.1, more...)
			rows, _ := contrast(t, Side{Run: run, Method: "stateless"}, o, Side{Run: run, Method: "Naive RAG"})
			return rows
		}
		plain, words, noted := compare(), 0, 0
		for _, r := range compare("words") {
			if r.Column.Name == "words" {
				words++
				if r.Base != 9 || r.New != 25 || r.Verdict() != "" || r.P != nil {
					t.Errorf("words: %v to %v, %q", r.Base, r.New, r.Verdict())
				}
				continue
			}
			if i := slices.IndexFunc(plain, func(p *Contrast) bool { return p.Column.Name == r.Column.Name }); *plain[i].Adjusted != *r.Adjusted {
				t.Errorf("%s: p is %v, without words %v", r.Column.Name, *r.Adjusted, *plain[i].Adjusted)
			}
			if slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "9.0 words") }) {
				noted++
			}
		}
		if words != want || noted != want {
			t.Errorf("%q: %d rows of words and %d notes, want %d", columns, words, noted, want)
		}
	}
}

// A table that is wider than a terminal goes without what its title says, and breaks heads.
func TestNarrow(t *testing.T) {
	o := fakeOptions()
	o.Columns = []string{"f1@mem0", "exact-match", "evidence-recall", "words", "tokens@xmemory"}
	d := try.Get(Build([]*Run{pairRun("main", 0.1, "words")}, o))(t)
	table := d.Tables[0]
	table.Rows[0][0].Text = "Semantic Anchoring"
	text := unstyled(t, &Document{Tables: []*Table{{Columns: table.Columns, Rows: table.Rows}}}, "text")
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(line); n > terminal {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for name, want := range map[string]bool{"errors": false, "500": false, "evidence-": true, "Naive RAG": true} {
		if strings.Contains(text, name) != want {
			t.Errorf("%q is there: %v, want %v\n%s", name, !want, want, text)
		}
	}
}

// TestUnasked has the error of an audit in the interval of a rate, and says for how many
// answers it stands.
func TestUnasked(t *testing.T) {
	half := func(err float64) (float64, []string) {
		r := standInRun()
		r.Header.Metrics = append(slices.Clone(r.Header.Metrics), "judge")
		rescore(r, func(s *record.Score) {
			s.Values["judge"], s.Unasked = new(0.5), map[string]float64{"judge": err}
			if s.Request == "q0" {
				s.Values["judge"], s.Unasked = new(1.0), nil
			}
		})
		o := fakeOptions()
		o.Columns, o.Intervals = []string{"judge"}, true
		d, fault := Build([]*Run{r}, o)
		if fault != nil {
			t.Fatal(fault)
		}
		row := d.Tables[0].Rows[0]
		i := row[len(row)-1].Interval
		if i == nil {
			t.Fatalf("no interval in %+v", row)
		}
		return i.Hi - i.Lo, d.Tables[0].Notes
	}
	base, side := pairRun("main", 0), pairRun("change", 0.05)
	rescore(side, func(s *record.Score) { s.Unasked = map[string]float64{"exact-match": 0.01} })
	if _, notes := contrast(t, Side{Run: base}, contrastOptions(), Side{Run: side}); !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "not asked about 500 answers") }) {
		t.Errorf("differences do not say that they lack the error of an audit: %q", notes)
	}
	narrow, _ := half(0)
	wide, notes := half(0.05)
	if !(wide > narrow) || !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "the share of 50.0") }) {
		t.Errorf("the interval is %g wide, without the error %g; notes %q", wide, narrow, notes)
	}
}

// MeansOf and Summarize say what the tables say, with their intervals: over all categories
// and over each, of one seed and of several.
func TestSummaries(t *testing.T) {
	for _, r := range []*Run{standInRun(), seedsRun()} {
		o := fakeOptions()
		o.Intervals, o.By, o.Columns = true, Category, []string{"f1@mem0", "exact-match"}
		doc := try.Get(Build([]*Run{r}, o))(t)
		main, split := doc.Tables[0], doc.Tables[1]
		c := r.Header.Cells[0]
		spent := []record.Spent{{Dataset: c.Dataset, Method: c.Method, Model: c.Model, Requests: 4, Cost: new(0.5), Latency: &record.Latency{Median: 12}}}
		rows := try.Get(Summarize(r, spent, o))(t)
		means := try.Get(MeansOf(r, o))(t)
		if len(rows) != len(main.Rows) || len(means) != 5*len(rows) {
			t.Fatalf("%s: %d rows and %d means, want %d and five times as many", r.Name, len(rows), len(means), len(main.Rows))
		}
		for i, row := range rows {
			whole := means[5*i]
			for _, m := range whole.Columns {
				at := slices.IndexFunc(main.Columns, func(c Column) bool { return c.Name == m.Name })
				if at < 0 {
					continue
				}
				cell, mean := main.Rows[i][at], row.Columns[m.Name]
				if *m.Mean*m.Scale != *cell.Value || mean.Mean*m.Scale != *cell.Value || *mean.Low*m.Scale != cell.Interval.Lo || *mean.High*m.Scale != cell.Interval.Hi {
					t.Errorf("%s: %s of %s is %v and %v, want %v and %v", r.Name, m.Name, row.Method, *m.Mean, mean, *cell.Value, *cell.Interval)
				}
			}
			for k, m := range means[5*i+1 : 5*i+5] {
				want, f1 := *split.Rows[i][k+1].Value, slices.IndexFunc(m.Columns, func(c ColumnMean) bool { return c.Name == "f1@mem0" })
				if *m.Columns[f1].Mean*100 != want || row.Categories[m.CategoryName]["f1@mem0"].Mean*100 != want || m.CategoryName != split.Columns[k+1].Name {
					t.Errorf("%s: %s of %s is %v, want %v", r.Name, m.CategoryName, m.Method, *m.Columns[f1].Mean, want)
				}
			}
			if strconv.Itoa(whole.Failed) != main.Rows[i][2].Text || len(row.Cells) != max(1, len(r.Header.Seeds)) {
				t.Errorf("%s: %s has %d failed and cells %v", r.Name, row.Method, whole.Failed, row.Cells)
			}
		}
		if first, last := rows[0], rows[len(rows)-1]; *first.USD != 2 || *first.Median != 12 || last.USD != nil {
			t.Errorf("%s: the first row has %v dollars, %v ms, the last %v dollars", r.Name, *first.USD, *first.Median, last.USD)
		}
	}
}

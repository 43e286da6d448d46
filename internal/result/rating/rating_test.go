package rating

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"recallbench/internal/door/token"
	"recallbench/internal/files/spreadsheet"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// drawn returns what is asked of two raters about questions on samples, which
// three methods answered.
func drawn(t *testing.T, samples, each int, o Options) Asked {
	t.Helper()
	var questions []Question
	for s := range samples {
		for q := range each {
			question := Question{
				Sample: fmt.Sprintf("s%d", s), Request: fmt.Sprintf("q%d", q),
				Turn: fmt.Sprintf("What was thing %d of %d?", q, s), History: "Ana: it was blue", Facts: "blue",
			}
			for _, m := range []string{"stateless", "flat-rag", "mymethod"} {
				question.Answers = append(question.Answers, Answer{"cell-" + m, m, fmt.Sprintf("%s says blue %d %d", strings.ToUpper(m), s, q)})
			}
			questions = append(questions, question)
		}
	}
	asked := try.Get(Draw(questions, o))(t)
	return asked
}

func options() Options {
	return Options{Questions: 4, Seed: 1, Raters: []string{"rater-1", "rater-2"}, Names: []string{"stateless", "flat-rag", "mymethod"}}
}

func TestDraw(t *testing.T) {
	a := drawn(t, 6, 3, options())
	if len(a.Items) != 4*3 {
		t.Fatalf("%d items, want 12", len(a.Items))
	}
	samples, ids := make(map[string]bool), make(map[string]bool)
	for _, it := range a.Items {
		samples[it.Sample], ids[it.ID] = true, true
	}
	if len(samples) != 4 || len(ids) != 12 {
		t.Errorf("%d samples and %d ids, want 4 and 12: no conversation comes twice while there are others", len(samples), len(ids))
	}
	if diff := cmp.Diff(a, drawn(t, 6, 3, options())); diff != "" {
		t.Errorf("the same seed draws (-first +second):\n%s", diff)
	}
	other := options()
	other.Seed = 2
	if cmp.Equal(a.Items, drawn(t, 6, 3, other).Items) {
		t.Error("another seed draws the same")
	}
	// More than there are samples: each gives one before one gives two.
	counts := make(map[string]int)
	for _, it := range drawn(t, 3, 3, options()).Items {
		counts[it.Sample]++
	}
	if got := slices.Sorted(func(yield func(int) bool) {
		for _, n := range counts {
			if !yield(n) {
				return
			}
		}
	}); !slices.Equal(got, []int{3, 3, 6}) {
		t.Errorf("answers by sample are %v, want 3, 3, 6", got)
	}
	if got := len(drawn(t, 1, 2, options()).Items); got != 6 {
		t.Errorf("%d items of two questions, want all 6", got)
	}
	for _, o := range []Options{{}, {Questions: 1}, {Questions: 0, Raters: []string{"r"}}} {
		if _, err := Draw([]Question{{}}, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// TestOrders: each rater has an order of their own, of conversations and of the
// answers of each, and a method stands in every place.
func TestOrders(t *testing.T) {
	o := options()
	o.Questions = 30
	a := drawn(t, 30, 1, o)
	key := make(map[string]string)
	for _, it := range a.Items {
		key[it.ID] = it.Method
	}
	places := make(map[string]map[int]bool)
	var orders [][]string
	for _, r := range o.Raters {
		var order []string
		items := a.For(r)
		for i, it := range items {
			order = append(order, it.ID)
			if items[i/3*3].Conversation != it.Conversation {
				t.Fatalf("%s: the answers of a conversation do not stand together", r)
			}
			if places[key[it.ID]] == nil {
				places[key[it.ID]] = make(map[int]bool)
			}
			places[key[it.ID]][i%3] = true
		}
		orders = append(orders, order)
	}
	if slices.Equal(orders[0], orders[1]) {
		t.Error("two raters have the same order")
	}
	for m, p := range places {
		if len(p) != 3 {
			t.Errorf("%s stands in %d of 3 places", m, len(p))
		}
	}
	sorted := [][]string{slices.Sorted(slices.Values(orders[0])), slices.Sorted(slices.Values(orders[1]))}
	if !slices.Equal(sorted[0], sorted[1]) {
		t.Error("two raters have other items")
	}
}

// TestBlind: a sheet does not tell whose an answer is.
func TestBlind(t *testing.T) {
	a := drawn(t, 6, 1, options())
	var b bytes.Buffer
	for _, r := range a.Raters {
		try.Do(t, a.WriteCSV(&b, r))
	}
	for _, secret := range []string{"stateless", "flat-rag", "mymethod", "cell-", "sha256", "s0", "q0"} {
		if strings.Contains(strings.ToLower(b.String()), secret) {
			t.Errorf("a sheet holds %q", secret)
		}
	}
	for _, it := range a.Items {
		if !it.Hidden {
			t.Errorf("the key does not say that a name was hidden in %q", it.Response)
		}
	}
	blind := newBlind([]string{"flat-rag", "flat-rag-2", "x", "", "--"})
	for in, want := range map[string]string{
		"I am Flat RAG, flatrag and FLAT_RAG.": "I am [name removed], [name removed] and [name removed].",
		"flat-rag flat-rag flat-rag":           "[name removed] [name removed] [name removed]",
		"flat-rag-2":                           "[name removed]",
		"inflatrage, a flat rags, x":           "inflatrage, a flat rags, x",
	} {
		if got, _ := blind.hide(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// hostile texts could do harm on the way to a rater and back.
var hostile = []string{
	"", "=HYPERLINK(\"http://x\")", "+1", "-1", "@SUM(A1)", " =1+1", "\t=1", "'quoted", "a,b;c\td", "line\nline\r\nline", "\x00\x1b[31m",
	"\xff\xfe", "\u202eabc", "\"\"\"", strings.Repeat("é", 40_000), "＝1",
}

// TestRoundTrip: what is written can be filled in and read, whatever the answers
// hold.
func TestRoundTrip(t *testing.T) {
	var questions []Question
	for i, text := range hostile {
		questions = append(questions, Question{
			Sample: strconv.Itoa(i), Request: "q", Turn: text, History: text, Facts: text,
			Answers: []Answer{{"a", "a", text}, {"b", "b", "x" + text}},
		})
	}
	a := try.Get(Draw(questions, Options{Questions: 100, Raters: []string{"=rater"}}))(t)
	var b bytes.Buffer
	try.Do(t, a.WriteCSV(&b, "=rater"))
	none, err := a.Read([]File{{"csv", b.Bytes()}})
	if err != nil || len(none) != 0 {
		t.Fatalf("nothing was filled in: %d ratings, %v", len(none), err)
	}
	got := try.Get(a.Read([]File{{"csv", fill(t, b.Bytes(), func(int, string) string { return "3" })}}))(t)
	if len(got) != len(a.Items) {
		t.Errorf("%d ratings of %d items", len(got), len(a.Items))
	}
	rows := try.Get(csv.NewReader(bytes.NewReader(b.Bytes()[len(bom):])).ReadAll())(t)
	for _, row := range rows {
		for _, cell := range row {
			if spreadsheet.Inert(strings.TrimLeft(cell, "'")) != strings.TrimLeft(cell, "'") && cell[0] != '\'' || strings.ContainsAny(cell, "\x00\x1b") {
				t.Errorf("a spreadsheet could run %.40q", cell)
			}
		}
	}
}

// fill fills in a sheet: ucs gives the rating of the n-th item.
func fill(t *testing.T, data []byte, ucs func(n int, id string) string) []byte {
	t.Helper()
	rows := try.Get(csv.NewReader(bytes.NewReader(data[len(bom):])).ReadAll())(t)
	for i, row := range rows[1:] {
		row[slices.Index(Asked{}.columns(), "ucs")] = ucs(i, row[0])
		row[slices.Index(Asked{}.columns(), "hallucination")] = []string{"yes", "0"}[i%2]
	}
	var b bytes.Buffer
	try.Do(t, csv.NewWriter(&b).WriteAll(rows))
	return b.Bytes()
}

// TestFaults: all that is wrong comes at once, with its place.
func TestFaults(t *testing.T) {
	a := drawn(t, 2, 1, Options{Questions: 2, Seed: 1, Raters: []string{"ann"}})
	var b bytes.Buffer
	try.Do(t, a.WriteCSV(&b, "ann"))
	rows := try.Get(csv.NewReader(bytes.NewReader(b.Bytes()[len(bom):])).ReadAll())(t)
	at := func(name string) int { return slices.Index(Asked{}.columns(), name) }
	rows[1][at("ucs")] = "6"
	rows[2][at("ucs")], rows[2][at("response")] = "4", "something else"
	rows[3][at("ucs")], rows[3][at("hallucination")] = "3.5", "maybe"
	rows[4][at("ucs")], rows[4][at("rater")] = "2", " "
	rows[5][at("ucs")] = "1"
	rows = append(rows, slices.Clone(rows[5]), slices.Clone(rows[6]), []string{"too", "short"})
	rows[8][at("item")] = "a0\x1b[31m"
	var csvText bytes.Buffer
	w := csv.NewWriter(&csvText)
	w.Comma = ';'
	try.Do(t, w.WriteAll(rows))
	files := []File{
		{"ann.csv", csvText.Bytes()},
		{"empty.csv", nil},
		{"head.csv", []byte("item,turns,ucs,ucs\n")},
		{"utf16.csv", []byte("i\x00t\x00")},
	}
	ratings, err := a.Read(files)
	if err == nil {
		t.Fatal("no fault")
	}
	golden.Check(t, "faults.txt", fmt.Sprintf("%v\n%d read\n", err, len(ratings)))
}

func TestMerge(t *testing.T) {
	a := drawn(t, 2, 1, options())
	rate := func(i, ucs int) Rating {
		return Rating{Item: a.Items[i].ID, Rater: "ann", UCS: &ucs, Key: a.Items[i].Key}
	}
	stored := []Rating{rate(0, 3), rate(1, 4)}
	got, err := a.Merge(stored, []Rating{rate(2, 5), rate(1, 4)}, false)
	if err != nil || len(got) != 3 {
		t.Errorf("%d ratings, %v, want 3", len(got), err)
	}
	if _, err := a.Merge(stored, []Rating{rate(1, 5)}, false); err == nil || !strings.Contains(err.Error(), "ucs 4, now ucs 5") {
		t.Errorf("another rating of the same: %v", err)
	}
	if got, err = a.Merge(stored, []Rating{rate(1, 5)}, true); err != nil || *got[1].UCS != 5 {
		t.Errorf("replaced: %v, %v", got, err)
	}
}

// TestSummarise has a case worked out by hand: two questions, two raters, three
// methods.
func TestSummarise(t *testing.T) {
	a := drawn(t, 2, 1, options())
	said := map[string][2][2]int{ // by method: question, rater
		"stateless": {{1, 1}, {2, 1}},
		"flat-rag":  {{3, 3}, {2, 3}},
		"mymethod":  {{5, 5}, {4, 5}},
	}
	var ratings []Rating
	for i, it := range a.Items {
		for r, name := range a.Raters {
			ucs := said[it.Method][i/3][r]
			ratings = append(ratings, Rating{Item: it.ID, Rater: name, UCS: &ucs, Key: it.Key, Flags: map[string]bool{"hallucination": ucs < 3}})
		}
	}
	s := a.Summarise(ratings, 1)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	means := map[string]float64{"stateless": 1.25, "flat-rag": 2.75, "mymethod": 4.75}
	for _, m := range s.Methods {
		near(m.Name, m.Mean, means[m.Name])
		if m.Items != 2 || m.Ratings != 4 || m.Judged["hallucination"] != 4 || m.Judged["wrong_value"] != 0 || m.Interval == nil {
			t.Errorf("%+v", m)
		}
	}
	if s.Shared != 6 || len(s.Raters) != 2 {
		t.Errorf("%+v", s)
	}
	if empty := a.Summarise(nil, 1); empty.Alpha != nil {
		t.Errorf("%+v", empty)
	}
}

func TestHistory(t *testing.T) {
	tokens := try.Get(token.New("o200k_base"))(t)
	turns := []Turn{{"Ana", "first", false}, {"Raj", "second", true}, {"Ana", "third\nline", false}, {"Raj", "fourth", false}}
	if got, want := History(turns, 100, tokens), "Ana: first\nRaj: second\nAna: third line\nRaj: fourth"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	got := History(turns, 18, tokens)
	if !strings.Contains(got, "second") || !strings.Contains(got, "fourth") || strings.Contains(got, "first") || !strings.HasPrefix(got, gap) {
		t.Errorf("evidence and the latest turns should stay, with gaps: %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		turns := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Turn {
			return Turn{rapid.String().Draw(t, "speaker"), rapid.String().Draw(t, "text"), rapid.Bool().Draw(t, "evidence")}
		}), 0, 8).Draw(t, "turns")
		budget := rapid.IntRange(1, 60).Draw(t, "budget")
		if got := History(turns, budget, tokens); tokens.Count(got) > budget+2 {
			t.Fatalf("%d tokens of %d: %q", tokens.Count(got), budget, got)
		}
	})
}

func FuzzRead(f *testing.F) {
	a, err := Draw([]Question{{Sample: "s", Request: "q", Turn: "t", Answers: []Answer{{"c", "m", "x"}}}}, Options{Questions: 1, Raters: []string{"r"}})
	if err != nil {
		f.Fatal(err)
	}
	var c bytes.Buffer
	if err := a.WriteCSV(&c, "r"); err != nil {
		f.Fatal(err)
	}
	f.Add(c.Bytes())
	f.Add([]byte("item;ucs\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ratings, _ := a.Read([]File{{"f", data}})
		for _, r := range ratings {
			if r.Item != a.Items[0].ID || r.UCS != nil && (*r.UCS < Lowest || *r.UCS > Highest) || r.Rater == "" {
				t.Errorf("%+v", r)
			}
		}
	})
}

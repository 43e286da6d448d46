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

	"recallbench/internal/files/spreadsheet"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// asked returns what is asked of two raters about a question on each sample, which three
// methods answered.
func asked(samples int) Asked {
	var items []Item
	for s := range samples {
		for _, m := range []string{"stateless", "flat-rag", "mymethod"} {
			items = append(items, Item{
				Turn: fmt.Sprintf("What was thing 0 of %d?", s), History: "Ana: it was blue", Facts: "blue",
				Response: fmt.Sprintf("%s says blue %d 0", strings.ToUpper(m), s),
				Key:      Key{Subject: note.Subject{Cell: "cell-" + m, Sample: fmt.Sprintf("s%d", s), Request: "q0"}, Method: m},
			})
		}
	}
	return Ask(Continuity, items, 1, []string{"rater-1", "rater-2"}, []string{"stateless", "flat-rag", "mymethod"})
}

func sheet(t *testing.T, a Asked, rater string) []byte {
	t.Helper()
	return try.Get(a.Sheet(rater))(t)
}

func table(t *testing.T, data []byte) [][]string {
	t.Helper()
	return try.Get(csv.NewReader(bytes.NewReader(data[len(bom):])).ReadAll())(t)
}

// TestOrders: each rater has an order of their own, of questions and of the answers to
// each, and a method stands in every place.
func TestOrders(t *testing.T) {
	a := asked(30)
	if diff := cmp.Diff(a, asked(30)); diff != "" {
		t.Errorf("the same seed asks (-first +second):\n%s", diff)
	}
	places := make(map[string]map[int]bool)
	var orders [][]string
	for _, r := range a.Raters {
		var order []string
		items := a.For(r)
		for i, it := range items {
			order = append(order, it.ID)
			if items[i/3*3].Sample != it.Sample {
				t.Fatalf("%s: the answers to a question do not stand together", r)
			}
			if places[it.Method] == nil {
				places[it.Method] = make(map[int]bool)
			}
			places[it.Method][i%3] = true
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
	if x, y := slices.Sorted(slices.Values(orders[0])), slices.Sorted(slices.Values(orders[1])); !slices.Equal(x, y) || len(slices.Compact(x)) != 90 {
		t.Error("two raters have other items")
	}
}

// TestBlind: a sheet does not tell whose an answer is.
func TestBlind(t *testing.T) {
	a := asked(6)
	for _, r := range a.Raters {
		text := strings.ToLower(string(sheet(t, a, r)))
		for _, secret := range []string{"stateless", "flat-rag", "mymethod", "cell-", "sha256", "s0", "q0"} {
			if strings.Contains(text, secret) {
				t.Errorf("a sheet holds %q", secret)
			}
		}
	}
	for _, it := range a.Items {
		if !it.Hidden {
			t.Errorf("the key does not say that a name was hidden in %q", it.Response)
		}
	}
	names := hiding([]string{"flat-rag", "flat-rag-2", "x", "", "--"})
	for in, want := range map[string]string{
		"I am Flat RAG, flatrag and FLAT_RAG.": "I am [name removed], [name removed] and [name removed].",
		"flat-rag flat-rag flat-rag":           "[name removed] [name removed] [name removed]",
		"flat-rag-2":                           "[name removed]",
		"inflatrage, a flat rags, x":           "inflatrage, a flat rags, x",
	} {
		if got := names.ReplaceAllString(in, removed); got != want {
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
	var items []Item
	for i, text := range hostile {
		items = append(items, Item{Turn: text, History: text, Facts: text, Response: text, Key: Key{Subject: note.Subject{Sample: strconv.Itoa(i)}}})
	}
	a := Ask(Continuity, items, 1, []string{"=rater"}, nil)
	data := sheet(t, a, "=rater")
	if none, err := a.Read("csv", data); err != nil || len(none) != 0 {
		t.Fatalf("nothing was filled in: %d ratings, %v", len(none), err)
	}
	rows := table(t, data)
	for _, row := range rows {
		for _, cell := range row {
			if spreadsheet.Inert(strings.TrimLeft(cell, "'")) != strings.TrimLeft(cell, "'") && cell[0] != '\'' || strings.ContainsAny(cell, "\x00\x1b") {
				t.Errorf("a spreadsheet could run %.40q", cell)
			}
		}
	}
	for i, row := range rows[1:] {
		row[slices.Index(rows[0], "ucs")], row[slices.Index(rows[0], "hallucination")] = "3", []string{"yes", "0"}[i%2]
	}
	var b bytes.Buffer
	try.Do(t, csv.NewWriter(&b).WriteAll(rows))
	if got := try.Get(a.Read("csv", b.Bytes()))(t); len(got) != len(items) || got[0].Rater != "=rater" {
		t.Errorf("%d ratings of %d items: %+v", len(got), len(items), got[0])
	}
}

// TestFaults: all that is wrong comes at once, with its place.
func TestFaults(t *testing.T) {
	a := asked(2)
	rows := table(t, sheet(t, a, "rater-1"))
	at := func(name string) int { return slices.Index(rows[0], name) }
	rows[1][at("ucs")] = "6"
	rows[2][at("ucs")] = "4"
	rows[3][at("ucs")], rows[3][at("hallucination")] = "3.5", "maybe"
	rows[4][at("ucs")], rows[4][at("rater")] = "2", " "
	rows[5][at("ucs")] = "1"
	rows = append(rows, slices.Clone(rows[5]), slices.Clone(rows[6]))
	rows[8][at("item")] = "a0\x1b[31m"
	var csvText bytes.Buffer
	w := csv.NewWriter(&csvText)
	w.Comma = ';'
	try.Do(t, w.WriteAll(rows))
	ratings, err := a.Read("ann.csv", csvText.Bytes())
	var text strings.Builder
	fmt.Fprintf(&text, "%v\n%d read\n", err, len(ratings))
	for _, data := range []string{"", "item,turns,ucs,ucs\n", "i\x00t\x00", "item\n\"\n"} {
		_, err := a.Read("other.csv", []byte(data))
		fmt.Fprintln(&text, err)
	}
	golden.Check(t, "faults.txt", text.String())
}

func TestMerge(t *testing.T) {
	rate := func(item string, ucs int) Rating { return Rating{Item: item, Rater: "ann", UCS: &ucs} }
	stored := []Rating{rate("a0", 3), rate("a1", 4)}
	if got, err := Merge(stored, []Rating{rate("a2", 5), rate("a1", 4)}, false); err != nil || len(got) != 3 {
		t.Errorf("%d ratings, %v, want 3", len(got), err)
	}
	if _, err := Merge(stored, []Rating{rate("a1", 5)}, false); err == nil || !strings.Contains(err.Error(), "differently before") {
		t.Errorf("another rating of the same: %v", err)
	}
	if got, err := Merge(stored, []Rating{rate("a1", 5)}, true); err != nil || *got[1].UCS != 5 {
		t.Errorf("replaced: %v, %v", got, err)
	}
}

// TestSummarise has a case worked out by hand: two questions, two raters, three
// methods.
func TestSummarise(t *testing.T) {
	a := asked(2)
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
	s := a.Summarise(ratings)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	means := map[string]float64{"stateless": 1.25, "flat-rag": 2.75, "mymethod": 4.75}
	for _, m := range s.Methods {
		near(m.Name, m.Mean, means[m.Name])
		if _, judged := m.Flagged["wrong_value"]; m.Items != 2 || m.Ratings != 4 || m.Flagged["hallucination"] != map[string]float64{"stateless": 1, "flat-rag": 0.25}[m.Name] || judged || m.Interval == nil {
			t.Errorf("%+v", m)
		}
	}
	if s.Shared != 6 || s.Alpha == nil {
		t.Errorf("%+v", s)
	}
	if empty := a.Summarise(nil); empty.Alpha != nil {
		t.Errorf("%+v", empty)
	}
}

// TestSummary keeps what an answer rests on and the latest turns, and marks gaps.
func TestSummary(t *testing.T) {
	turns := []record.Utterance{{Speaker: "Ana", Text: "first"}, {Turn: "t2", Speaker: "Raj", Text: "second"}, {Speaker: "Ana", Text: "third\nline"}, {Speaker: "Raj", Text: "fourth"}}
	if got, want := Summary(turns, []string{"t2"}), "Ana: first\nRaj: second\nAna: third line\nRaj: fourth"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	turns[0].Text = strings.Repeat("long ", 2000)
	if got, want := Summary(turns, []string{"t2"}), gap+"\nRaj: second\nAna: third line\nRaj: fourth"; got != want {
		t.Errorf("%.100q, want %q", got, want)
	}
}

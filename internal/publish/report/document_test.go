package report

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"recallbench/internal/calc/stats"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// hostile has texts that would break out of a cell, and all kinds of cells.
func hostile() *Document {
	t := &Table{
		Name: "hostile", Title: "a *title* | with <b>\x1b[31m",
		Columns: []Column{{Name: "method", Repeats: true}, {Name: "f1@mem0", Head: "f1@mem0 (3)", Number: true}, {Name: "why"}},
	}
	odd := t.Note("a note\nof two lines | with a bar")
	t.TitleNotes = []int{odd}
	t.Columns[1].Notes = []int{t.Note("second")}
	t.Rows = [][]Cell{
		{text("a|b\\"), {Text: "36.42 (33.10, 39.80)", Value: new(36.4249), Interval: &stats.Interval{Lo: 33.1, Hi: 39.8}, Best: true, Notes: []int{odd}}, text("line\r\nbreak")},
		{text("a|b\\", odd), {Text: "-1.00", Value: new(-1.0)}, text("\x1b[2J`code` *bold* \u202eback")},
		{text("日本語, \"quoted\""), {}, text("<script>")},
		{text("bad \xff utf-8"), Whole(7), text("")},
	}
	return &Document{Tables: []*Table{t, {Name: "empty", Title: "no rows", Columns: []Column{{Name: "only here"}}, Rows: [][]Cell{}}}}
}

func TestHostile(t *testing.T) {
	for _, format := range Formats() {
		golden.Check(t, "hostile."+format, unstyled(t, hostile(), format))
	}
}

// What is written as CSV is read back as it was.
func TestCSV(t *testing.T) {
	records := try.Get(csv.NewReader(strings.NewReader(render(t, hostile(), "csv"))).ReadAll())(t)
	want := [][]string{
		{"table", "method", "f1@mem0", "f1@mem0 low", "f1@mem0 high", "why", "only here", "notes"},
		{"hostile", `a|b\`, "36.4249", "33.1", "39.8", "line\nbreak", "", "a note\nof two lines | with a bar; f1@mem0: second; f1@mem0: a note\nof two lines | with a bar"},
		{"hostile", `a|b\`, "-1", "", "", "\x1b[2J`code` *bold* \u202eback", "", "a note\nof two lines | with a bar; method: a note\nof two lines | with a bar; f1@mem0: second"},
		{"hostile", `日本語, "quoted"`, "", "", "", "<script>", "", "a note\nof two lines | with a bar; f1@mem0: second"},
		{"hostile", "bad � utf-8", "7", "", "", "", "", "a note\nof two lines | with a bar; f1@mem0: second"},
	}
	try.Equal(t, "records", want, records)
}

func TestJSON(t *testing.T) {
	var d Document
	try.Do(t, json.Unmarshal([]byte(render(t, hostile(), "json")), &d))
	got := d.Tables[0].Rows[0][1]
	try.Equal(t, "cell", hostile().Tables[0].Rows[0][1], got)
	if got := render(t, &Document{Tables: []*Table{}}, "json"); got != "{\n  \"tables\": []\n}\n" {
		t.Errorf("an empty document is %q", got)
	}
}

func TestUnknownFormat(t *testing.T) {
	err := hostile().Write(&strings.Builder{}, "markdwon")
	if want := `unknown format "markdwon"; did you mean "markdown"? have text, markdown, csv, json, html, latex`; err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}

// failing is a writer on a full disk.
type failing struct{}

var errFull = errors.New("no space left")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	for _, format := range Formats() {
		if err := hostile().Write(failing{}, format); !errors.Is(err, errFull) {
			t.Errorf("%s: error = %v, want %v", format, err, errFull)
		}
	}
}

func TestDecimal(t *testing.T) {
	for _, c := range []struct {
		x      float64
		digits int
		want   string
	}{{36.425, 2, "36.42"}, {-0.001, 2, "0.00"}, {-0.5, 0, "0"}, {-1.25, 1, "-1.2"}, {1540, 0, "1540"}, {1e21, 1, "1000000000000000000000.0"}} {
		if got := decimal(c.x, c.digits); got != c.want {
			t.Errorf("decimal(%g, %d) = %s, want %s", c.x, c.digits, got, c.want)
		}
	}
}

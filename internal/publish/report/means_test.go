package report

import (
	"strconv"
	"testing"

	"recallbench/internal/testkit/try"
)

// MeansOf says what the tables say: of each row over all categories and over each,
// of one seed and of several.
func TestMeansOf(t *testing.T) {
	for _, r := range []*Run{standInRun(), seedsRun()} {
		o := fakeOptions()
		all := try.Get(MeansOf(r, o))(t)
		o.By, o.Columns = Category, []string{"f1@mem0"}
		doc := try.Get(Build([]*Run{r}, o))(t)
		main, split := doc.Tables[0], doc.Tables[1]
		row, category := -1, 0
		for _, m := range all {
			if m.Category == "" {
				row, category = row+1, 0
			} else {
				category++
			}
			if m.Method != main.Rows[row][0].Text {
				t.Fatalf("%s: row %d is of %s, want %s", r.Name, row, m.Method, main.Rows[row][0].Text)
			}
			want, name := *main.Rows[row][3].Value, "all"
			if category > 0 {
				want, name = *split.Rows[row][category].Value, split.Columns[category].Name
			}
			i := 0
			for m.Columns[i].Name != "f1@mem0" {
				i++
			}
			if got := *m.Columns[i].Mean * 100; got != want {
				t.Errorf("%s: %s, %s: %v, want %v", r.Name, m.Method, name, got, want)
			}
			if m.Category == "" && strconv.Itoa(m.Failed) != main.Rows[row][2].Text {
				t.Errorf("%s: %s: %d failed, want %s", r.Name, m.Method, m.Failed, main.Rows[row][2].Text)
			}
		}
		if row != len(main.Rows)-1 || category != 4 {
			t.Errorf("%s: %d rows, the last with %d categories", r.Name, row+1, category)
		}
	}
	r := standInRun()
	r.Header.Metrics = []string{"nonsense"}
	if _, err := MeansOf(r, fakeOptions()); err == nil {
		t.Error("an unknown metric is no error")
	}
}

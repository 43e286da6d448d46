package suite_test

import (
	"slices"
	"strings"
	"testing"

	"recallbench/metrics"
	"recallbench/metrics/suite"
)

// TestSpecs checks what every metric must say of itself.
func TestSpecs(t *testing.T) {
	columns := make(map[string]bool)
	for _, s := range suite.All() {
		if s.Name == "" || s.Doc == "" || s.Source == "" || s.Of == "" || len(s.Columns) == 0 {
			t.Errorf("metric %+v lacks a name, doc, source, part or column", s)
		}
		if got, err := suite.Find(s.Name); got != s || err != nil {
			t.Errorf("Find(%q) = %v, %v", s.Name, got, err)
		}
		for _, c := range s.Columns {
			if c.Scale == 0 || columns[c.Name] {
				t.Errorf("column %+v of %s has no scale, or the name of another column", c, s.Name)
			}
			columns[c.Name] = true
		}
		for _, i := range []metrics.Item{
			{},
			{Failed: true},
			{Abstain: true},
			{Prediction: "\xff", Gold: "\x00", Category: "1", Blocks: make([]metrics.Block, 2)},
			{Gold: strings.Repeat("word another ", 99), Blocks: []metrics.Block{{Text: "word"}}},
		} {
			got := s.Score(i)
			if len(got) != len(s.Columns) {
				t.Errorf("%s of %+v has %d values, want %d", s.Name, i, len(got), len(s.Columns))
			}
			if slices.ContainsFunc(got, func(v metrics.Value) bool { return v.X != v.X || !v.Defined && v.X != 0 }) {
				t.Errorf("%s of %+v = %v, want numbers", s.Name, i, got)
			}
		}
	}
}

func TestFind(t *testing.T) {
	s, err := suite.Find("evidence-recall@5")
	if err != nil || s.Name != "evidence-recall@5" || s.Columns[0].Name != "evidence-recall@5" {
		t.Errorf("Find(evidence-recall@5) = %+v, %v", s, err)
	}
	if s, err := suite.Find("turn-recall@longmemeval-470@50"); err != nil || s.Columns[0].Name != "turn-recall-all@longmemeval-470@50" {
		t.Errorf("Find(turn-recall@longmemeval-470@50) = %+v, %v", s, err)
	}
	for name, want := range map[string]string{
		"f1@memo":                       `unknown metric "f1@memo"; did you mean "f1@mem0"? have f1@span, f1@mem0, `,
		"":                              `unknown metric ""; have f1@span`,
		"evidence-recall@":              `unknown metric "evidence-recall@"; did you mean "evidence-recall"?`,
		"evidence-recall@0":             `metric "evidence-recall@0": rank is 0, want a whole number of at least 1`,
		"coverage@-3":                   `rank is -3, want`,
		"coverage@2.5":                  `rank is 2.5, want`,
		"coverage@05":                   `rank is 05, want`,
		"coverage@99999999999999999999": `rank is 99999999999999999999, want`,
		"exact-match@5":                 `metric "exact-match@5": exact-match has no ranks to cut at`,
		"session-recall@longmemeval@0":  `metric "session-recall@longmemeval@0": rank is 0, want a whole number of at least 1`,
		"tokens@5":                      `tokens has no ranks`,
		"recall@5":                      `unknown metric "recall@5"`,
	} {
		if _, err := suite.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Find(%q): error is %v, want %q in it", name, err, want)
		}
	}
}

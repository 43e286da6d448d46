package scored_test

import (
	"fmt"
	"strings"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
)

// Cells of other labels are matched where there is one of a kind, and otherwise a
// method must be named.
func TestMatch(t *testing.T) {
	cells := func(text string) (all []record.Cell) {
		for cell := range strings.SplitSeq(text, ", ") {
			f := strings.Fields(cell)
			all = append(all, record.Cell{Dataset: f[0], Method: f[1], Model: f[2], Seed: uint64(f[3][0] - '0')})
		}
		return all
	}
	for _, tt := range []struct{ name, a, b, want string }{
		{"one of each", "d m x 1", "e n y 2", "e n y 2"},
		{"by label", "d m x 1, d n x 1", "d n y 1, d m y 1", "d m y 1, d n y 1"},
		{"one of several", "d m x 1, d n x 1", "d n x 1", "d n x 1; m is in A only"},
		{"seeds", "d m x 1, d m x 2", "d n x 2, d n x 3", "d n x 2; seed 1 is in A only; seed 3 is in B only"},
		{"excluded", "d m x 1, d n x 1, e m x 1", "d m x 1, d n x 1, e m x 1, e n x 1", "d m x 1, d n x 1, e m x 1; e, n is in B only"},
		{"methods", "d m x 1, d n x 1", "d o x 1", "no row in common: A has m and n; B has o; name one of each, such as RUN:m and RUN:o"},
	} {
		pairs, notes, err := scored.Match(cells(tt.a), cells(tt.b))
		var got []string
		for _, p := range pairs {
			got = append(got, fmt.Sprintf("%s %s %s %d", p[1].Dataset, p[1].Method, p[1].Model, p[1].Seed))
		}
		text := strings.Join(append([]string{strings.Join(got, ", ")}, notes...), "; ")
		if err != nil {
			text = err.Error()
		}
		if text != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, text, tt.want)
		}
	}
}

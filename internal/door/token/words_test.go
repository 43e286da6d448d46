package token

import (
	"slices"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// FuzzScanners compares the patterns matched by hand with their regular
// expressions.
func FuzzScanners(f *testing.F) {
	for _, s := range []string{
		"Hello, world! 12345", "it's HE'LL 'x 'S", " \n \t x\r\n\r\n", "!?\n\n a", "\u0085\u00a0 \u3000y", "½Ⅷ²٣",
		"é\u0301 中文 नमस्ते 🙂", "''s'll're", "   ", " 1  22   333", "\n", "x\n", "_a_b #c ,d",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = valid(s)
		if strings.Contains(s, "ſ") {
			t.Skip("regexp2 does not fold the long s, Oniguruma does")
		}
		for pattern, word := range scanners {
			find := try.Get(expression(pattern))(t)
			var want, got []string
			find(s, func(i, j int) { want = append(want, s[i:j]) })
			scan(word)(s, func(w string) { got = append(got, w) })
			if !slices.Equal(want, got) {
				t.Errorf("%s\n%q is cut into %q, want %q", pattern, s, got, want)
			}
		}
	})
}

func TestLongS(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"'ſtop", "'ſ|top"},
		{"'Stop", "'S|top"},
		{"'stop", "'s|top"},
	} {
		var got []string
		scan(scanners[llamaPattern])(tt.text, func(w string) { got = append(got, w) })
		if got := strings.Join(got, "|"); got != tt.want {
			t.Errorf("%q is cut into %q, want %q", tt.text, got, tt.want)
		}
	}
}

package token

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// The patterns matched by hand cut as their regular expressions do.
func TestWordPatterns(t *testing.T) {
	parts := []string{
		"a", "B", "é", "É", "ǅ", "ʰ", "ª", "中", "\u0301", "\u0903", "1", "²", "Ⅷ", "'", "'s", "'LL", "'ſ", "’", "-", "/", "_", "$", "🙂",
		" ", "  ", "\t", "\v", "\n", "\r\n", "\u0085", "\u00a0", "\u2028", "\u200d", "word", "CamelCase", "DON'T", "12345",
	}
	r := rand.New(rand.NewPCG(3, 4))
	for expr, byHand := range wordPatterns {
		p := try.Get(newPattern(expr, true))(t)
		for range 20_000 {
			var text strings.Builder
			for range 1 + r.IntN(8) {
				text.WriteString(parts[r.IntN(len(parts))])
			}
			want, got := p.cut(nil, text.String()), byHand.cut(nil, text.String())
			if !slices.Equal(want, got) {
				t.Fatalf("%s\n%q is cut into %q, want %q", expr, text.String(), got, want)
			}
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, tt := range []struct{ expr, text, want string }{
		{gpt2Pattern, "it's  x\n\n y", "it|'s| | x|\n\n| y"},
		{`[一-龥]+|\s`, "a 一龥\u00a0b", "a| |一龥|\u00a0|b"},
		{`[!"#\[\\\]][A-Za-z]+`, `x[ab\c!`, `x|[ab|\c|!`},
	} {
		if got := strings.Join(try.Get(newPattern(tt.expr, true))(t).cut(nil, tt.text), "|"); got != tt.want {
			t.Errorf("%s cuts %q into %q, want %q", tt.expr, tt.text, got, tt.want)
		}
	}
	for _, expr := range []string{`(a`, `a(?=b)`, `^a`, `a$`, `\d+`, `\w`, `\bx`, `a++`} {
		if _, err := newPattern(expr, true); err == nil {
			t.Errorf("%s is taken", expr)
		}
	}
}

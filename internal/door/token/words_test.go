package token

import (
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

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

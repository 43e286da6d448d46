package report

import (
	"strings"
	"testing"
)

func TestTeX(t *testing.T) {
	for in, want := range map[string]string{
		`50 % of $x_1$ & #2 {a} \b`: `50 \% of \$x\_1\$ \& \#2 \{a\} \textbackslash{}b`,
		`a "quoted" ("one") 5"`:     "a ``quoted'' (``one'') 5''",
		`--all, ,, it's ''`:         `-{}-all, ,{}, it's '{}'`,
		"[1pt] [2]":                 `{[}1pt] [2]`,
		"** *":                      `{*}* *`,
		"Zoë – 3 ≤ 4 … 日":           `Zoë -- 3 $\leq$ 4 \ldots{} \texttt{U+65E5}`,
		"ˆ~^<>|`":                   `\texttt{U+02C6}$\sim$\textasciicircum{}\textless{}\textgreater{}\textbar{}\allowbreak{}\textasciigrave{}`,
	} {
		if got := tex(in); got != want {
			t.Errorf("tex(%q) = %s, want %s", in, got, want)
		}
	}
	if got, want := tex("results/runs/20260101/a"+strings.Repeat("b", 30)), `results/\allowbreak{}runs/20260101/\allowbreak{}abbbbbbbbbbbbbbbbbbb\allowbreak{}bbbbbbbbbbb`; got != want {
		t.Errorf("tex = %s, want %s", got, want)
	}
}

// FuzzTeX checks that what any text becomes is one argument of LaTeX: braces are
// paired, and no character that LaTeX acts on is left but in commands.
func FuzzTeX(f *testing.F) {
	for _, s := range hostiles {
		f.Add(s[:min(len(s), 500)])
	}
	commands := strings.NewReplacer(
		`\textbackslash{}`, "", `\textasciicircum{}`, "", `\textasciigrave{}`, "", `\textless{}`, "", `\textgreater{}`, "", `\textbar{}`, "",
		`\textquoteleft{}`, "", `\textquoteright{}`, "", `\textquotedblleft{}`, "", `\textquotedblright{}`, "", `\textbullet{}`, "",
		`\{`, "", `\}`, "", `\$`, "", `\&`, "", `\#`, "", `\%`, "", `\_`, "", `\ldots{}`, "", `\allowbreak{}`, "", `\S{}`, "", `\dag{}`, "", `\ddag{}`, "", `\copyright{}`, "",
	)
	f.Fuzz(func(t *testing.T, s string) {
		got := tex(printable(s, longestCell))
		rest := commands.Replace(got)
		for _, sign := range texSigns {
			if strings.HasPrefix(sign, "$") {
				rest = strings.ReplaceAll(rest, sign, "")
			}
		}
		rest = strings.ReplaceAll(rest, `$\sim$`, "")
		rest = strings.ReplaceAll(rest, `\texttt{U+`, "{")
		if strings.Count(rest, "{") != strings.Count(rest, "}") {
			t.Errorf("%q gives unpaired braces: %s", s, got)
		}
		if i := strings.IndexAny(rest, "\\$&#%_^\x00\n\r"); i >= 0 {
			t.Errorf("%q leaves %q: %s", s, rest[i:min(len(rest), i+10)], got)
		}
	})
}

package latex

import "testing"

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		`50 % of $x_1$ & #2 {a} \b`: `50 \% of \$x\_1\$ \& \#2 \{a\} \textbackslash{}b`,
		`a "quoted" ("one") 5"`:     "a ``quoted'' (``one'') 5''",
		`--all, ,, it's ''`:         `-{}-all, ,{}, it's '{}'`,
		"[1pt] [2]":                 `{[}1pt] [2]`,
		"** *":                      `{*}* *`,
		"Zoë – 3 ≤ 4 … 日":           `Zoë -- 3 $\leq$ 4 \ldots{} \texttt{U+65E5}`,
		"ˆ~^<>|\u200b`":             `\texttt{U+02C6}$\sim$\textasciicircum{}\textless{}\textgreater{}\textbar{}\allowbreak{}\textasciigrave{}`,
	} {
		if got := Escape(in); got != want {
			t.Errorf("Escape(%q) = %s, want %s", in, got, want)
		}
	}
}

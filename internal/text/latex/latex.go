// Package latex escapes texts for LaTeX.
package latex

import (
	"fmt"
	"strings"
)

// Break is the zero-width space, at which [Escape] lets LaTeX break a line.
const Break = '\u200b'

// escapes are the characters with a special meaning in LaTeX, or that its oldest encoding
// prints as others, and signs beyond ASCII that need no package.
var escapes = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '%': `\%`, '_': `\_`,
	'^': `\textasciicircum{}`, '~': `$\sim$`, '<': `\textless{}`, '>': `\textgreater{}`, '|': `\textbar{}`,
	'`': `\textasciigrave{}`, Break: `\allowbreak{}`,
	'\u00a0': `~`, '–': `--`, '—': `---`, '‘': `\textquoteleft{}`, '’': `\textquoteright{}`,
	'“': `\textquotedblleft{}`, '”': `\textquotedblright{}`, '…': `\ldots{}`, '•': `\textbullet{}`,
	'−': `$-$`, '±': `$\pm$`, '×': `$\times$`, '·': `$\cdot$`, '÷': `$\div$`, '≤': `$\leq$`, '≥': `$\geq$`, '≠': `$\neq$`, '≈': `$\approx$`,
	'→': `$\rightarrow$`, '←': `$\leftarrow$`, '↑': `$\uparrow$`, '↓': `$\downarrow$`, '∞': `$\infty$`, '∩': `$\cap$`, '∪': `$\cup$`,
	'α': `$\alpha$`, 'β': `$\beta$`, 'γ': `$\gamma$`, 'δ': `$\delta$`, 'λ': `$\lambda$`, 'μ': `$\mu$`, 'µ': `$\mu$`, 'σ': `$\sigma$`, 'τ': `$\tau$`, 'Δ': `$\Delta$`,
	'°': `$^\circ$`, '²': `$^2$`, '³': `$^3$`, '§': `\S{}`, '†': `\dag{}`, '‡': `\ddag{}`, '©': `\copyright{}`,
}

// The letters from À to ž that LaTeX's own fonts lack.
const lacking = "ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲų"

// Escape returns a text that LaTeX prints as it is, whatever comes before it. Characters that
// its fonts lack are shown by their code points.
func Escape(s string) string {
	var b strings.Builder
	var before rune
	for _, r := range s {
		piece := escape(r)
		switch {
		case r == '"' && (before == 0 || strings.ContainsRune(" ([", before)):
			piece = "``"
		case r == '"':
			piece = "''"
		case before == 0 && strings.ContainsRune("[*", r):
			piece = "{" + piece + "}" // else the end of the row above would read it as an argument
		case r == before && strings.ContainsRune("-,'", r):
			piece = "{}" + piece // else two would become one
		}
		b.WriteString(piece)
		before = r
	}
	return b.String()
}

func escape(r rune) string {
	if escaped, ok := escapes[r]; ok {
		return escaped
	}
	if ' ' <= r && r <= '~' || 'À' <= r && r <= 'ž' && !strings.ContainsRune(lacking, r) {
		return string(r)
	}
	return fmt.Sprintf(`\texttt{U+%04X}`, r)
}

package report

import (
	"fmt"
	"strings"
)

// texSpecial are the characters with a special meaning in LaTeX, or that its oldest encoding
// prints as others.
var texSpecial = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`, '%': `\%`, '_': `\_`,
	'^': `\textasciicircum{}`, '~': `$\sim$`, '<': `\textless{}`, '>': `\textgreater{}`, '|': `\textbar{}`,
	'`': `\textasciigrave{}`,
}

// texSigns are signs beyond ASCII that need no package.
var texSigns = map[rune]string{
	'\u00a0': `~`, '–': `--`, '—': `---`, '‘': `\textquoteleft{}`, '’': `\textquoteright{}`,
	'“': `\textquotedblleft{}`, '”': `\textquotedblright{}`, '…': `\ldots{}`, '•': `\textbullet{}`,
	'−': `$-$`, '±': `$\pm$`, '×': `$\times$`, '·': `$\cdot$`, '÷': `$\div$`, '≤': `$\leq$`, '≥': `$\geq$`, '≠': `$\neq$`, '≈': `$\approx$`,
	'→': `$\rightarrow$`, '←': `$\leftarrow$`, '↑': `$\uparrow$`, '↓': `$\downarrow$`, '∞': `$\infty$`, '∩': `$\cap$`, '∪': `$\cup$`,
	'α': `$\alpha$`, 'β': `$\beta$`, 'γ': `$\gamma$`, 'δ': `$\delta$`, 'λ': `$\lambda$`, 'μ': `$\mu$`, 'µ': `$\mu$`, 'σ': `$\sigma$`, 'τ': `$\tau$`, 'Δ': `$\Delta$`,
	'°': `$^\circ$`, '²': `$^2$`, '³': `$^3$`, '§': `\S{}`, '†': `\dag{}`, '‡': `\ddag{}`, '©': `\copyright{}`,
}

// The letters from À to ž that LaTeX's own fonts lack.
const texLacks = "ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲų"

// tex escapes a text for LaTeX. Characters that the fonts lack are shown by their code
// points. Long words may be broken into lines.
func tex(s string) string {
	const shortest, longest = 6, 20 // pieces of a word
	var b strings.Builder
	word := 0
	var before rune
	for _, r := range strings.TrimLeft(s, " ") {
		if word++; r == ' ' || r == '-' {
			word = 0 // LaTeX breaks after these on its own
		} else if word > longest || word > shortest && strings.ContainsRune("/_.:@=,|", before) {
			b.WriteString(`\allowbreak{}`)
			word = 1
		}
		piece := texRune(r)
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

func texRune(r rune) string {
	if special, ok := texSpecial[r]; ok {
		return special
	}
	if sign, ok := texSigns[r]; ok {
		return sign
	}
	if ' ' <= r && r <= '~' || 'À' <= r && r <= 'ž' && !strings.ContainsRune(texLacks, r) {
		return string(r)
	}
	return fmt.Sprintf(`\texttt{U+%04X}`, r)
}

// texNote returns the letter of a note: a to z, then aa. A digit after a number would look
// like an exponent.
func texNote(n int) string {
	letter := string(rune('a' + (n-1)%26))
	if n > 26 {
		return texNote((n-1)/26) + letter
	}
	return letter
}

// texMarks returns the superscript after a text: a mark, then the letters of notes.
func texMarks(mark string, notes []int) string {
	var raised []string
	switch {
	case mark == shownNot:
		raised = append(raised, `$\sim$`)
	case mark != "":
		raised = append(raised, mark)
	}
	for _, n := range once(notes) {
		raised = append(raised, texNote(n))
	}
	if len(raised) == 0 {
		return ""
	}
	return `\textsuperscript{` + strings.Join(raised, ",") + `}`
}

package report

import (
	"fmt"
	"strings"
)

// texSpecial are the characters that LaTeX reads as something else, or that its
// oldest encoding sets as another one.
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

// Of the letters from À to ž, these are in no font that LaTeX has by itself.
const texLacks = "ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲų"

// tex returns a text as LaTeX prints it. What the fonts do not have is shown by its
// code point. Long words may be broken into lines.
func tex(s string) string {
	const shortest, longest = 6, 20 // pieces of a word
	var b strings.Builder
	word := 0
	var before rune
	for _, r := range s {
		if word++; r == ' ' || r == '-' {
			word = 0 // LaTeX breaks after these by itself
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
			piece = "{" + piece + "}" // or the end of the row above would take it for an argument
		case r == before && strings.ContainsRune("-,'", r):
			piece = "{}" + piece // or two would be set as one
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

// texNote returns the letter of a note: a to z, then aa. A digit behind a number
// would be read as its power.
func texNote(n int) string {
	letter := string(rune('a' + (n-1)%26))
	if n > 26 {
		return texNote((n-1)/26) + letter
	}
	return letter
}

// texMarks returns what stands raised behind a text: a mark, then the letters of
// notes.
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

package report

import (
	"fmt"
	"strings"
)

// texPlain are the widths of the characters from the blank to the tilde in
// Computer Modern Roman, in thousandths of the font's size.
var texPlain = [...]int{
	333, 278, 500, 833, 500, 833, 778, 278, 389, 389, 500, 778, 278, 333, 278, 500, // blank to /
	500, 500, 500, 500, 500, 500, 500, 500, 500, 500, 278, 278, 778, 778, 778, 472, // 0 to ?
	778, 750, 708, 722, 764, 681, 653, 785, 750, 361, 514, 778, 625, 917, 750, 778, // @ to O
	681, 778, 736, 556, 722, 750, 750, 1028, 750, 750, 611, 278, 500, 278, 500, 400, // P to _
	500, 500, 556, 444, 556, 444, 306, 500, 556, 278, 306, 528, 278, 833, 556, 500, // ` to o
	556, 528, 392, 394, 389, 556, 528, 722, 528, 528, 444, 500, 278, 500, 500, // p to ~
}

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

// tex returns a text as LaTeX prints it, and its width in the size of the font,
// about. What the fonts do not have is shown by its code point.
func tex(s string) (source string, em float64) { return texText(s, false) }

// texBroken is [tex] for a text that is broken into lines: long words may be
// broken too.
func texBroken(s string) string {
	source, _ := texText(s, true)
	return source
}

func texText(s string, broken bool) (source string, em float64) {
	const shortest, longest = 6, 20 // pieces of a word
	var b strings.Builder
	width, word := 0, 0
	var before rune
	for _, r := range s {
		if word++; r == ' ' || r == '-' {
			word = 0 // LaTeX breaks after these by itself
		} else if broken && (word > longest || word > shortest && strings.ContainsRune("/_.:@=,|", before)) {
			b.WriteString(`\allowbreak{}`)
			word = 1
		}
		piece, wide := texRune(r)
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
		width += wide
		before = r
	}
	return b.String(), float64(width) / 1000
}

func texRune(r rune) (source string, width int) {
	if ' ' <= r && r <= '~' {
		if special, ok := texSpecial[r]; ok {
			return special, texPlain[r-' ']
		}
		return string(r), texPlain[r-' ']
	}
	if sign, ok := texSigns[r]; ok {
		return sign, 1000
	}
	if 'À' <= r && r <= 'ž' && !strings.ContainsRune(texLacks, r) {
		return string(r), 750
	}
	code := fmt.Sprintf("U+%04X", r)
	return `\texttt{` + code + `}`, 525 * len(code)
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
func texMarks(mark string, notes []int) (source string, em float64) {
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
		return "", 0
	}
	s := strings.Join(raised, ",")
	return `\textsuperscript{` + s + `}`, 0.43 * float64(len(strings.ReplaceAll(s, `$\sim$`, "~~")))
}

package pyliteral

import "regexp"

// digits is a run of decimal digits, with underscores between them.
const digits = `[0-9](?:_?[0-9])*`

var (
	integer = regexp.MustCompile(`^(?:0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|[1-9](?:_?[0-9])*|0(?:_?0)*)$`)
	float   = regexp.MustCompile(`^(?:(?:` + digits + `\.(?:` + digits + `)?|\.` + digits + `)(?:[eE][+-]?` + digits + `)?|` + digits + `[eE][+-]?` + digits + `)$`)
)

// number reads a number with its sign.
func (p *parser) number() (Value, error) {
	start := p.at
	sign := ""
	if c := p.peek(); c == '+' || c == '-' {
		sign = string(c)
		p.at++
		p.blanks()
	}
	from := p.at
	for p.at < len(p.text) && p.inNumber(from) {
		p.at++
	}
	text := p.text[from:p.at]
	switch {
	case text == "":
		return Value{}, p.errorf(p.at, "%s after a sign, want a number", p.here())
	case integer.MatchString(text):
		return Value{Kind: Int, Text: sign + text, Offset: start}, nil
	case float.MatchString(text):
		return Value{Kind: Float, Text: sign + text, Offset: start}, nil
	default:
		return Value{}, p.errorf(from, "%s is no number", short(text))
	}
}

// inNumber tells whether the byte at the parser's place may be one of the
// number that began at from.
func (p *parser) inNumber(from int) bool {
	switch c := p.text[p.at]; {
	case digit(c), letter(c):
		return true
	case c == '.':
		return true
	case c == '+' || c == '-':
		// The sign of an exponent. A hexadecimal number has none.
		hex := p.at-from >= 2 && (p.text[from+1] == 'x' || p.text[from+1] == 'X')
		return p.at > from && !hex && (p.text[p.at-1] == 'e' || p.text[p.at-1] == 'E')
	default:
		return false
	}
}

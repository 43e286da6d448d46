package pyliteral

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// strings reads a string: one literal, or several that follow one another.
func (p *parser) strings() (Value, error) {
	v := Value{Offset: p.at}
	var b strings.Builder
	for {
		start := p.at
		kind, err := p.str(&b)
		switch {
		case err != nil:
			return Value{}, err
		case v.Kind == "":
			v.Kind = kind
		case v.Kind != kind:
			return Value{}, p.errorf(start, "%s follows %s", kind, v.Kind)
		}
		p.blanks()
		if !p.atString() {
			v.Text = b.String()
			return v, nil
		}
	}
}

// atString tells whether a string literal begins at the parser's place.
func (p *parser) atString() bool {
	i := p.at
	for i < len(p.text) && letter(p.text[i]) && p.text[i] < utf8.RuneSelf {
		i++
	}
	return i < len(p.text) && (p.text[i] == '\'' || p.text[i] == '"')
}

// str reads one string literal with its prefix.
func (p *parser) str(b *strings.Builder) (Kind, error) {
	start := p.at
	p.at += strings.IndexAny(p.text[p.at:], `'"`)
	kind, raw := Str, false
	switch prefix := strings.ToLower(p.text[start:p.at]); prefix {
	case "", "u":
	case "r":
		raw = true
	case "b":
		kind = Bytes
	case "br", "rb":
		kind, raw = Bytes, true
	case "f", "fr", "rf", "t", "tr", "rt":
		return "", p.errorf(start, "formatted strings are not read")
	default:
		return "", p.errorf(start, "unknown prefix %s of a string; want r, u, b, rb or br", short(prefix))
	}
	quote := p.text[p.at : p.at+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(p.text[p.at:], triple) {
		quote = triple
	}
	p.at += len(quote)
	return kind, p.body(b, quote, kind, raw, start)
}

// body reads a string literal up to its closing quote.
func (p *parser) body(b *strings.Builder, quote string, kind Kind, raw bool, start int) error {
	for p.at < len(p.text) {
		c := p.text[p.at]
		switch {
		case strings.HasPrefix(p.text[p.at:], quote):
			p.at += len(quote)
			return nil
		case c == '\\' && raw && p.at+1 < len(p.text):
			// A raw string keeps the backslash, which all the same keeps a
			// quote from ending it.
			b.WriteByte(c)
			p.at++
			p.char(b)
		case c == '\\' && !raw:
			if err := p.escape(b, kind); err != nil {
				return err
			}
		case (c == '\n' || c == '\r') && len(quote) == 1:
			return p.errorf(start, "the string does not end on its line")
		case c >= utf8.RuneSelf && kind == Bytes:
			return p.errorf(p.at, "%s in a byte string, want ASCII", p.here())
		default:
			p.char(b)
		}
	}
	return p.errorf(start, "the string does not end")
}

// char copies a character. Any line break is "\n", as Python reads source.
func (p *parser) char(b *strings.Builder) {
	if p.text[p.at] == '\r' {
		p.at++
		if p.peek() == '\n' {
			p.at++
		}
		b.WriteByte('\n')
		return
	}
	_, size := utf8.DecodeRuneInString(p.text[p.at:])
	b.WriteString(p.text[p.at : p.at+size])
	p.at += size
}

// simple maps the letter of an escape to what it stands for.
var simple = map[byte]byte{
	'\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
}

// escape reads an escape sequence. As in Python, a backslash before a
// character that makes none stays.
func (p *parser) escape(b *strings.Builder, kind Kind) error {
	start := p.at
	p.at++
	c := p.peek()
	if out, ok := simple[c]; ok {
		p.at++
		b.WriteByte(out)
		return nil
	}
	switch {
	case p.at == len(p.text):
		return p.errorf(start, "the text ends in an escape")
	case c == '\n' || c == '\r':
		p.char(&strings.Builder{}) // joins lines
		return nil
	case '0' <= c && c <= '7':
		return p.octal(b, kind)
	case c == 'x':
		return p.hex(b, kind, 2)
	case c == 'u' && kind == Str:
		return p.hex(b, kind, 4)
	case c == 'U' && kind == Str:
		return p.hex(b, kind, 8)
	case c == 'N' && kind == Str:
		return p.errorf(start, "characters by name are not read")
	default:
		b.WriteByte('\\')
		return nil // the character comes next
	}
}

// octal reads an escape of up to three octal digits.
func (p *parser) octal(b *strings.Builder, kind Kind) error {
	start := p.at
	for p.at < len(p.text) && p.at < start+3 && '0' <= p.text[p.at] && p.text[p.at] <= '7' {
		p.at++
	}
	n, _ := strconv.ParseUint(p.text[start:p.at], 8, 16) // its digits are octal
	return p.code(b, kind, n, start-1)
}

// hex reads the digits of an escape, size of them, behind its letter.
func (p *parser) hex(b *strings.Builder, kind Kind, size int) error {
	start := p.at - 1
	p.at++
	end := min(p.at+size, len(p.text))
	n, err := strconv.ParseUint(p.text[p.at:end], 16, 32)
	if err != nil || end-p.at < size {
		return p.errorf(start, "the escape \\%c wants %d hexadecimal digits", p.text[start+1], size)
	}
	p.at = end
	return p.code(b, kind, n, start)
}

// code writes the byte or the character of a number.
func (p *parser) code(b *strings.Builder, kind Kind, n uint64, start int) error {
	switch {
	case kind == Bytes && n > 0xff:
		return p.errorf(start, "the escape %s is no byte", p.text[start:p.at])
	case kind == Bytes:
		b.WriteByte(byte(n))
	case n > utf8.MaxRune || !utf8.ValidRune(rune(n)):
		return p.errorf(start, "the escape %s is no character", p.text[start:p.at])
	default:
		b.WriteRune(rune(n))
	}
	return nil
}

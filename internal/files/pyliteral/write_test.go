package pyliteral

import (
	"fmt"
	"strings"
	"unicode"
)

// String writes the value as Python's repr does, but numbers as they were
// written. What it writes can be parsed.
func (v Value) String() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

func (v Value) write(b *strings.Builder) {
	switch v.Kind {
	case None:
		b.WriteString("None")
	case Bool, Int, Float:
		b.WriteString(v.Text)
	case Str:
		writeStr(b, v.Text)
	case Bytes:
		writeBytes(b, v.Text)
	case List:
		b.WriteByte('[')
		writeItems(b, v.Items)
		b.WriteByte(']')
	case Tuple:
		b.WriteByte('(')
		writeItems(b, v.Items)
		if len(v.Items) == 1 {
			b.WriteByte(',')
		}
		b.WriteByte(')')
	case Dict:
		b.WriteByte('{')
		for i, p := range v.Pairs {
			if i > 0 {
				b.WriteString(", ")
			}
			p.Key.write(b)
			b.WriteString(": ")
			p.Value.write(b)
		}
		b.WriteByte('}')
	}
}

func writeItems(b *strings.Builder, items []Value) {
	for i, v := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		v.write(b)
	}
}

// quoteFor returns the quote that repr chooses: the double one where only the
// single one occurs.
func quoteFor(s string) byte {
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		return '"'
	}
	return '\''
}

func writeStr(b *strings.Builder, s string) {
	quote := quoteFor(s)
	b.WriteByte(quote)
	for _, r := range s {
		switch {
		case r < 0x80:
			writeByte(b, byte(r), quote)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			fmt.Fprintf(b, `\U%08x`, r)
		}
	}
	b.WriteByte(quote)
}

func writeBytes(b *strings.Builder, s string) {
	quote := quoteFor(s)
	b.WriteByte('b')
	b.WriteByte(quote)
	for i := range len(s) {
		writeByte(b, s[i], quote)
	}
	b.WriteByte(quote)
}

// writeByte writes a byte of a byte string, or an ASCII character.
func writeByte(b *strings.Builder, c, quote byte) {
	switch {
	case c == quote, c == '\\':
		b.WriteByte('\\')
		b.WriteByte(c)
	case c == '\n':
		b.WriteString(`\n`)
	case c == '\r':
		b.WriteString(`\r`)
	case c == '\t':
		b.WriteString(`\t`)
	case c < ' ' || c >= 0x7f:
		fmt.Fprintf(b, `\x%02x`, c)
	default:
		b.WriteByte(c)
	}
}

package pyliteral

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxSize is the number of bytes above which a text is refused, 1 MiB: the
	// longest literals of the data sets have some thousands.
	MaxSize = 1 << 20
	// MaxDepth is how many brackets may stand in each other.
	MaxDepth = 100
)

// A SyntaxError says where a text is not a Python literal as this package
// takes it.
type SyntaxError struct {
	Offset int // of the byte at fault; the length of the text when it ends too early
	// Line and Column say the same for people. Both count from 1, the column
	// in characters.
	Line, Column int
	Reason       string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Reason) }

// Parse reads the one literal that a text holds. Its error is a
// [*SyntaxError].
func Parse(text string) (*Value, error) {
	p := &parser{text: text}
	v, err := p.document()
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// A parser walks over a text. Its methods return a *SyntaxError as error.
type parser struct {
	text  string
	at    int
	depth int // brackets that are open
}

func (p *parser) document() (Value, error) {
	if len(p.text) > MaxSize {
		return Value{}, &SyntaxError{Line: 1, Column: 1, Reason: fmt.Sprintf("the text has %d bytes, want at most %d", len(p.text), MaxSize)}
	}
	if i := firstInvalid(p.text); i >= 0 {
		return Value{}, p.errorf(i, "byte %#02x is not UTF-8", p.text[i])
	}
	if i := strings.IndexByte(p.text, 0); i >= 0 {
		return Value{}, p.errorf(i, "a NUL character stands in the text; Python writes it \\x00")
	}
	p.skip(" \t\f\r\n")
	v, err := p.value()
	if err != nil {
		return Value{}, err
	}
	p.skip(" \t\f\r\n")
	if p.at < len(p.text) {
		return Value{}, p.errorf(p.at, "%s after the literal", p.here())
	}
	return v, nil
}

// firstInvalid returns the offset of the first byte that is not UTF-8, or -1.
func firstInvalid(s string) int {
	if utf8.ValidString(s) {
		return -1
	}
	for i, r := range s {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
			return i
		}
	}
	return -1
}

// errorf returns a fault at an offset.
func (p *parser) errorf(offset int, format string, args ...any) error {
	e := &SyntaxError{Offset: offset, Line: 1, Column: 1, Reason: fmt.Sprintf(format, args...)}
	before := p.text[:offset]
	for i, r := range before {
		switch {
		case r == '\n' || r == '\r' && !strings.HasPrefix(before[i+1:], "\n"):
			e.Line++
			e.Column = 1
		case r != '\r':
			e.Column++
		}
	}
	return e
}

// peek returns the byte at the parser's place, or 0 at the end.
func (p *parser) peek() byte {
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// here says what stands at the parser's place.
func (p *parser) here() string {
	if p.at == len(p.text) {
		return "the text ends"
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return fmt.Sprintf("%q", r)
}

func (p *parser) skip(blanks string) {
	for p.at < len(p.text) && strings.IndexByte(blanks, p.text[p.at]) >= 0 {
		p.at++
	}
}

// blanks skips what parts tokens: line breaks, too, within brackets.
func (p *parser) blanks() {
	if p.depth > 0 {
		p.skip(" \t\f\r\n")
		return
	}
	p.skip(" \t\f")
}

// value reads a literal and the blanks behind it.
func (p *parser) value() (Value, error) {
	v, err := p.single()
	p.blanks()
	return v, err
}

func (p *parser) single() (Value, error) {
	switch c := p.peek(); {
	case c == '[' || c == '(' || c == '{':
		return p.bracket(c)
	case c == '\'' || c == '"' || letter(c):
		return p.word()
	case c == '+' || c == '-' || c == '.' || digit(c):
		return p.number()
	case c == '#':
		return Value{}, p.errorf(p.at, "comments are not read")
	default:
		return Value{}, p.errorf(p.at, "%s, want a literal", p.here())
	}
}

func digit(c byte) bool { return '0' <= c && c <= '9' }
func letter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}

// word reads a name, or a string, whose prefix looks like one.
func (p *parser) word() (Value, error) {
	start := p.at
	for _, r := range p.text[start:] {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		p.at += utf8.RuneLen(r)
	}
	name := p.text[start:p.at]
	if c := p.peek(); c == '\'' || c == '"' {
		p.at = start
		return p.strings()
	}
	switch name {
	case "None":
		return Value{Kind: None, Offset: start}, nil
	case "True", "False":
		return Value{Kind: Bool, Text: name, Offset: start}, nil
	case "":
		return Value{}, p.errorf(start, "%s, want a literal", p.here())
	default:
		return Value{}, p.errorf(start, "%s is no literal; the names that are read are None, True and False", short(name))
	}
}

// short quotes the beginning of a word.
func short(s string) string {
	const most = 20
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "..."
	}
	return fmt.Sprintf("%q", s)
}

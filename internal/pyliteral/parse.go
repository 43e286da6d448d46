package pyliteral

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// MaxSize is the number of bytes above which a text is refused, 1 MiB: the
	// longest literals of the data sets have some thousands.
	MaxSize = 1 << 20
	// MaxDepth is how many brackets may stand in each other.
	MaxDepth = 100
)

// Parse reads the one literal that a text holds. An error begins with the line and
// the column, in characters, of the fault.
func Parse(text string) (*Value, error) {
	if len(text) > MaxSize {
		return nil, fmt.Errorf("the text has %d bytes, want at most %d", len(text), MaxSize)
	}
	if !utf8.ValidString(text) {
		return nil, errors.New("the text is not UTF-8")
	}
	p := &parser{text: text}
	v, err := p.value()
	if err == nil && p.at < len(p.text) {
		err = p.errorf(p.at, "%s after the literal", p.here())
	}
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// A parser walks over a text.
type parser struct {
	text  string
	at    int
	depth int // brackets that are open
}

// errorf returns a fault at an offset.
func (p *parser) errorf(offset int, format string, args ...any) error {
	before := p.text[:offset]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return fmt.Errorf("%d:%d: %w", 1+strings.Count(before, "\n"), 1+utf8.RuneCountInString(line), fmt.Errorf(format, args...))
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

func (p *parser) blanks() {
	p.at = len(p.text) - len(strings.TrimLeft(p.text[p.at:], " \t\f\r\n"))
}

// value reads a literal and the blanks around it.
func (p *parser) value() (v Value, err error) {
	p.blanks()
	switch c := p.peek(); c {
	case '[', '(', '{':
		v, err = p.bracket(c)
	case '\'', '"':
		v, err = p.str(c)
	default:
		v, err = p.word()
	}
	p.blanks()
	return v, err
}

// word reads a name or a number.
func (p *parser) word() (Value, error) {
	start := p.at
	for strings.IndexByte(" \t\f\r\n,:'\"()[]{}\x00", p.peek()) < 0 {
		p.at++
	}
	switch text := p.text[start:p.at]; {
	case text == "":
		return Value{}, p.errorf(start, "%s, want a literal", p.here())
	case text == "None":
		return Value{Kind: None}, nil
	case text == "True", text == "False":
		return Value{Kind: Bool, Text: text}, nil
	case strings.IndexByte("-0123456789", text[0]) >= 0 && json.Valid([]byte(text)):
		return Value{Kind: Number, Text: text}, nil
	default:
		const most = 20
		if r := []rune(text); len(r) > most {
			text = string(r[:most]) + "..."
		}
		return Value{}, p.errorf(start, "%q is no literal", text)
	}
}

// bracket reads what an opening bracket begins.
func (p *parser) bracket(open byte) (v Value, err error) {
	if p.depth == MaxDepth {
		return v, p.errorf(p.at, "more than %d brackets stand in each other", MaxDepth)
	}
	p.depth++
	defer func() { p.depth-- }()
	p.at++
	p.blanks()
	kinds := map[byte]Kind{'[': List, '(': Tuple, '{': Dict}
	ends := map[byte]byte{'[': ']', '(': ')', '{': '}'}
	v.Kind = kinds[open]
	end, comma := ends[open], true
	for p.peek() != end {
		if !comma {
			return v, p.errorf(p.at, "%s in %s, want ',' or %q", p.here(), v.Kind, end)
		}
		item, err := p.value()
		if err != nil {
			return v, err
		}
		if v.Kind != Dict {
			v.Items = append(v.Items, item)
		} else if err := p.pair(&v, item); err != nil {
			return v, err
		}
		if comma = p.peek() == ','; comma {
			p.at++
			p.blanks()
		}
	}
	if v.Kind == Tuple && len(v.Items) == 1 && !comma {
		return v, p.errorf(p.at, "a tuple of one value has a comma behind it")
	}
	p.at++
	return v, nil
}

// pair reads the value behind a key.
func (p *parser) pair(v *Value, key Value) error {
	if key.Kind == List || key.Kind == Dict {
		return p.errorf(p.at, "%s cannot be a key", key.Kind)
	}
	if p.peek() != ':' {
		return p.errorf(p.at, "%s after a key, want ':'", p.here())
	}
	p.at++
	value, err := p.value()
	v.Pairs = append(v.Pairs, Pair{key, value})
	return err
}

// escapes maps the letter of an escape to what it stands for.
var escapes = map[byte]byte{'\\': '\\', '\'': '\'', '"': '"', 'n': '\n', 'r': '\r', 't': '\t'}

// codes maps the letter of an escape to its number of hexadecimal digits.
var codes = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// str reads a string.
func (p *parser) str(quote byte) (Value, error) {
	start := p.at
	var b strings.Builder
	for p.at++; p.peek() != quote; p.at++ {
		switch c := p.peek(); {
		case p.at == len(p.text), c == '\n', c == '\r':
			return Value{}, p.errorf(start, "the string does not end on its line")
		case c != '\\':
			b.WriteByte(c)
		default:
			r, size, err := p.escape()
			if err != nil {
				return Value{}, err
			}
			b.WriteRune(r)
			p.at += size
		}
	}
	p.at++
	return Value{Kind: Str, Text: b.String()}, nil
}

// escape returns the character of the escape at the parser's place, and the number
// of bytes behind the backslash.
func (p *parser) escape() (r rune, size int, err error) {
	rest := p.text[p.at+1:]
	if rest == "" {
		return 0, 0, p.errorf(p.at, "the text ends in an escape")
	}
	if c, ok := escapes[rest[0]]; ok {
		return rune(c), 1, nil
	}
	n, ok := codes[rest[0]]
	if !ok {
		return 0, 0, p.errorf(p.at, "unknown escape; want one that Python's repr writes")
	}
	code, err := strconv.ParseUint(rest[1:min(1+n, len(rest))], 16, 32)
	if err != nil || len(rest) < 1+n {
		return 0, 0, p.errorf(p.at, "the escape \\%c wants %d hexadecimal digits", rest[0], n)
	}
	if code > utf8.MaxRune || !utf8.ValidRune(rune(code)) {
		return 0, 0, p.errorf(p.at, "the escape %s is no character", p.text[p.at:p.at+2+n])
	}
	return rune(code), 1 + n, nil
}

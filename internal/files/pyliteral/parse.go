// Package pyliteral reads Python literals as Python's repr writes them, for data sets
// that hold such: {'4_0': {'Name': "Li's", 'Age': 28}}. These are None, True and False,
// decimal numbers, strings in single or double quotes with escapes, lists, tuples and
// dicts, between which any blanks may stand. What else Python reads is an error.
//
// Texts are hostile: their size and depth are bounded, see [MaxSize] and [MaxDepth].
package pyliteral

import (
	"fmt"
	"regexp"
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

// A Kind is the type of a literal.
type Kind string

// The kinds of literals, named as messages name them.
const (
	None  Kind = "None"
	Bool  Kind = "a boolean"
	Int   Kind = "an integer"
	Float Kind = "a float"
	Str   Kind = "a string"
	List  Kind = "a list"
	Tuple Kind = "a tuple"
	Dict  Kind = "a dict"
)

// A Value is a literal.
type Value struct {
	Kind Kind
	// Text is a string, decoded; a number as it is written; or True or False.
	Text  string
	Items []Value // of a list or a tuple
	Pairs []Pair  // of a dict, in the order of the text, equal keys among them
}

// A Pair is a key of a dict with its value.
type Pair struct{ Key, Value Value }

// A SyntaxError says where a text is not a literal.
type SyntaxError struct {
	Line, Column int // from 1, the column in characters
	Reason       string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Reason) }

// Parse reads the one literal that a text holds. Its error is a [*SyntaxError].
func Parse(text string) (*Value, error) {
	p := &parser{text: text}
	switch {
	case len(text) > MaxSize:
		return nil, &SyntaxError{1, 1, fmt.Sprintf("the text has %d bytes, want at most %d", len(text), MaxSize)}
	case !utf8.ValidString(text):
		return nil, &SyntaxError{1, 1, "the text is not UTF-8"}
	}
	p.blanks()
	v, err := p.value()
	if err == nil && p.at < len(text) {
		err = p.errorf(p.at, "%s after the literal", p.here())
	}
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

// errorf returns a fault at an offset.
func (p *parser) errorf(offset int, format string, args ...any) error {
	before := p.text[:offset]
	line := strings.LastIndexByte(before, '\n') + 1
	return &SyntaxError{strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[line:]) + 1, fmt.Sprintf(format, args...)}
}

// here says what stands at the parser's place.
func (p *parser) here() string {
	if p.at == len(p.text) {
		return "the text ends"
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return strconv.QuoteRune(r)
}

func (p *parser) blanks() {
	p.at = len(p.text) - len(strings.TrimLeft(p.text[p.at:], " \t\f\r\n"))
}

// take reads a mark and the blanks behind it, if it stands at the parser's place.
func (p *parser) take(mark string) bool {
	if !strings.HasPrefix(p.text[p.at:], mark) {
		return false
	}
	p.at += len(mark)
	p.blanks()
	return true
}

var (
	word    = regexp.MustCompile(`^[\w.+-]+`)
	integer = regexp.MustCompile(`^[+-]?(0|[1-9][0-9]*)$`)
	float   = regexp.MustCompile(`^[+-]?(([0-9]+\.[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)$`)
)

// value reads a literal and the blanks behind it.
func (p *parser) value() (v Value, err error) {
	start := p.at
	switch {
	case p.take("["):
		v.Kind = List
		_, err = p.items(&v, "]")
	case p.take("("):
		v.Kind = Tuple
		var comma bool
		if comma, err = p.items(&v, ")"); err == nil && len(v.Items) == 1 && !comma {
			err = p.errorf(start, "a tuple of one has no comma")
		}
	case p.take("{"):
		v.Kind = Dict
		_, err = p.items(&v, "}")
	case p.at < len(p.text) && strings.IndexByte(`'"`, p.text[p.at]) >= 0:
		v.Kind = Str
		v.Text, err = p.str()
	default:
		v.Text = word.FindString(p.text[p.at:])
		switch {
		case v.Text == "None":
			v = Value{Kind: None}
		case v.Text == "True", v.Text == "False":
			v.Kind = Bool
		case integer.MatchString(v.Text):
			v.Kind = Int
		case float.MatchString(v.Text):
			v.Kind = Float
		default:
			return v, p.errorf(start, "%s, want a literal", p.here())
		}
		p.at = start + len(word.FindString(p.text[start:]))
		p.blanks()
	}
	return v, err
}

// items reads what an opening bracket holds, up to the closing one. It returns whether
// a comma stood before that.
func (p *parser) items(v *Value, end string) (comma bool, err error) {
	if p.depth == MaxDepth {
		return false, p.errorf(p.at, "more than %d brackets stand in each other", MaxDepth)
	}
	p.depth++
	defer func() { p.depth-- }()
	for !p.take(end) {
		if len(v.Items)+len(v.Pairs) > 0 && !comma {
			return false, p.errorf(p.at, "%s in %s, want ',' or '%s'", p.here(), v.Kind, end)
		}
		start := p.at
		item, err := p.value()
		if err != nil {
			return false, err
		}
		if v.Kind == Dict {
			if item.Kind == List || item.Kind == Dict {
				return false, p.errorf(start, "%s cannot be a key", item.Kind)
			}
			if !p.take(":") {
				return false, p.errorf(p.at, "%s after a key, want ':'", p.here())
			}
			value, err := p.value()
			if err != nil {
				return false, err
			}
			v.Pairs = append(v.Pairs, Pair{item, value})
		} else {
			v.Items = append(v.Items, item)
		}
		comma = p.take(",")
	}
	return comma, nil
}

// str reads a string and the blanks behind it.
func (p *parser) str() (string, error) {
	var b strings.Builder
	start, quote := p.at, p.text[p.at]
	for p.at++; p.at < len(p.text) && p.text[p.at] != '\n'; {
		rest := p.text[p.at:]
		if rest[0] == quote {
			p.at++
			p.blanks()
			return b.String(), nil
		}
		if strings.HasPrefix(rest, `\'`) || strings.HasPrefix(rest, `\"`) {
			b.WriteByte(rest[1])
			p.at += 2
			continue
		}
		r, _, tail, err := strconv.UnquoteChar(rest, 0)
		if err != nil {
			return "", p.errorf(p.at, "an escape that is not read")
		}
		b.WriteRune(r)
		p.at = len(p.text) - len(tail)
	}
	return "", p.errorf(start, "the string does not end on its line")
}

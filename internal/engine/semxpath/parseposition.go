package semxpath

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// atPosition reports whether a position follows, right or wrong: not the 1 of
// 1-P.
func (p *parser) atPosition() bool {
	t, after := p.peek(), p.peekAt(1)
	switch {
	case t.kind == number:
		return !after.is("-") || p.peekAt(2).kind == number && p.peekAt(3).is("]")
	case t.is("-"), t.is("+"):
		return after.kind == number
	}
	return t.is(":")
}

// position reads a position:
//
//	position = i | -i | [i] ":" [j], up to the closing bracket
func (p *parser) position() (*position, *SyntaxError) {
	r := &position{from: 1, to: -1}
	var err *SyntaxError
	start := p.peek()
	if !start.is(":") {
		if r.from, err = p.index(); err != nil {
			return nil, err
		}
		r.to = r.from
	}
	switch t := p.peek(); {
	case p.accept(":"):
		r.to = -1
		if p.peek().is("]") {
			if start.is(":") {
				return nil, p.fault(start, "a range has an end; use [i:j], [i:] or [:j]")
			}
		} else if r.to, err = p.index(); err != nil {
			return nil, err
		}
	case t.is("-") || t.is(","):
		return nil, p.fault(t, "a range is written with a colon, as in [1:3]")
	}
	return r, p.want("]", "want ] to close the position; it is [i], [-i], [i:j], [i:] or [:j]")
}

// index reads a number that a place has: from 1, or from -1.
func (p *parser) index() (int, *SyntaxError) {
	start := p.peek()
	sign := 1
	if p.accept("-") {
		sign = -1
	}
	t := p.peek()
	if t.kind != number {
		return 0, p.fault(t, "want a number: 1 is the first and -1 the last")
	}
	p.read()
	i, err := strconv.ParseInt(t.text, 10, 64)
	switch {
	case err != nil || i > math.MaxInt32:
		return 0, p.fault(start, fmt.Sprintf("index is at most %d", math.MaxInt32))
	case i == 0:
		return 0, p.fault(start, "index counts from 1; use [1] or [-1]")
	}
	return sign * int(i), nil
}

// sibling reads a sibling:
//
//	sibling = "@" ( "+" | "-" ) k, up to the closing bracket
func (p *parser) sibling() (int, *SyntaxError) {
	p.read()
	if p.accept("+") && p.peek().is("-") {
		return 0, p.fault(p.peek(), "a sibling is [@+k] after the node or [@-k] before it")
	}
	k, err := p.index()
	if err != nil {
		if strings.HasPrefix(err.Want, "index counts") {
			err.Want = "a sibling counts from 1; use [@+1] or [@-1]"
		}
		return 0, err
	}
	return k, p.want("]", "want ] to close the sibling, as in [@+1]")
}

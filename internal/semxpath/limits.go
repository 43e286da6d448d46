package semxpath

import "fmt"

// What a query may be at most.
const (
	MaxLength = 64 << 10 // bytes, as written and in the canonical spelling
	MaxDepth  = 100      // conditions within conditions
	MaxSteps  = 1000     // steps, those of evidence included
)

// maxNesting bounds brackets within brackets as written. The canonical spelling
// of a query of MaxDepth stays below it.
const maxNesting = 3 * MaxDepth

// limits says where a query is more than it may be.
func (p *parser) limits(q *Query) *SyntaxError {
	n := 0
	for s := range q.allSteps() {
		if n++; n > MaxSteps {
			return &SyntaxError{At: s.at, Want: fmt.Sprintf("a query has at most %d steps", MaxSteps)}
		}
	}
	for _, s := range q.steps {
		if deep := deeper(s.cond, MaxDepth); deep != nil {
			return &SyntaxError{At: deep.offset(), Want: tooDeep}
		}
	}
	if n := len(q.String()); n > MaxLength {
		return &SyntaxError{At: MaxLength, Want: fmt.Sprintf("a query has at most %d bytes, and this one %d in its canonical spelling", MaxLength, n)}
	}
	return nil
}

// deeper returns a condition that stands deeper than depth; nil for none.
func deeper(c condition, depth int) condition {
	if c == nil {
		return nil
	}
	if depth == 0 {
		return c
	}
	var of []condition
	switch c := c.(type) {
	case *inverse:
		of = []condition{c.of}
	case *combination:
		of = c.of
	case *aggregation:
		of = []condition{c.evidence.cond}
	}
	for _, c := range of {
		if deep := deeper(c, depth-1); deep != nil {
			return deep
		}
	}
	return nil
}

package pyliteral

// bracket reads what an opening bracket begins.
func (p *parser) bracket(open byte) (Value, error) {
	start := p.at
	if p.depth == MaxDepth {
		return Value{}, p.errorf(start, "more than %d brackets stand in each other", MaxDepth)
	}
	p.depth++
	p.at++
	p.blanks()
	v := Value{Offset: start}
	var err error
	switch open {
	case '[':
		v.Kind = List
		_, err = p.items(&v, ']')
	case '(':
		v, err = p.parens(v)
	default:
		v.Kind = Dict
		err = p.pairs(&v)
	}
	p.depth--
	return v, err
}

// parens reads a tuple, or the value that brackets only hold together.
func (p *parser) parens(v Value) (Value, error) {
	v.Kind = Tuple
	comma, err := p.items(&v, ')')
	if err == nil && len(v.Items) == 1 && !comma {
		return v.Items[0], nil
	}
	return v, err
}

// items reads values up to the closing bracket. It returns whether a comma
// stood before that.
func (p *parser) items(v *Value, end byte) (comma bool, err error) {
	for p.peek() != end {
		item, err := p.value()
		if err != nil {
			return false, err
		}
		v.Items = append(v.Items, item)
		if comma, err = p.comma(v, end); err != nil {
			return false, err
		}
		if !comma {
			break
		}
	}
	p.at++
	return comma, nil
}

// pairs reads the keys and values of a dict up to the closing bracket.
func (p *parser) pairs(v *Value) error {
	for p.peek() != '}' {
		key, err := p.value()
		if err != nil {
			return err
		}
		switch key.Kind {
		case List, Dict:
			return p.errorf(key.Offset, "%s cannot be a key", key.Kind)
		case None, Bool, Int, Float, Str, Bytes, Tuple:
		}
		if p.peek() != ':' {
			return p.errorf(p.at, "%s after a key, want ':'; sets are not read", p.here())
		}
		p.at++
		p.blanks()
		value, err := p.value()
		if err != nil {
			return err
		}
		v.Pairs = append(v.Pairs, Pair{key, value})
		comma, err := p.comma(v, '}')
		if err != nil {
			return err
		}
		if !comma {
			break
		}
	}
	p.at++
	return nil
}

// comma reads the comma behind an item. Without one the closing bracket must
// follow.
func (p *parser) comma(v *Value, end byte) (bool, error) {
	switch {
	case p.peek() == ',':
		p.at++
		p.blanks()
		return true, nil
	case p.peek() == end:
		return false, nil
	case p.at == len(p.text):
		return false, p.errorf(p.at, "the text ends before the %q of %s", end, v.Kind)
	default:
		return false, p.errorf(p.at, "%s in %s, want ',' or %q", p.here(), v.Kind, end)
	}
}

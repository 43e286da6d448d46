package reader

import "slices"

// What speaks for a value that a line tells of somebody.
const (
	worthHolder = 2.0 // said by the one asked about
	worthHeld   = 1.5 // in a sentence that names that one
	leastThing  = 1.0
)

// things weighs what one has or is, or where one lives.
func (k *kinship) things(m *matcher) {
	for _, c := range m.out {
		s := c.sentence()
		if s.image {
			continue
		}
		x := c.early()
		mentioned := c.speaksOf(k.name)
		switch {
		case k.says(c.line):
			x += worthHolder
		case mentioned:
			x += worthHeld
		default:
			continue
		}
		for _, v := range s.values(c.line.text, want(k.tie)) {
			if x+v.fit >= leastThing {
				k.add(v.text, x+v.fit, c)
			}
		}
	}
}

// speaksOf reports whether a sentence has a name, or "she" and the like behind one
// that has.
func (c candidate) speaksOf(name []string) bool {
	if c.sentence().has(name) {
		return true
	}
	return c.at > 0 && c.sentence().tells(thirdPerson) &&
		slices.ContainsFunc(c.line.sentences[:c.at], func(s sentence) bool { return s.has(name) })
}

package offline

import "strings"

// extract finds the answer in the ranked sentences and says which it used.
func (q *query) extract(ranked []candidate) (string, []candidate) {
	if len(ranked) == 0 || ranked[0].match <= 0 {
		return "", nil
	}
	if q.kind == askWhen {
		if text, c, ok := q.when(ranked); ok {
			return text, []candidate{c}
		}
	}
	c := ranked[0]
	s := c.sentence()
	text := c.line.text[s.words[0].start:s.words[len(s.words)-1].end]
	return strings.TrimSpace(text), ranked[:1]
}

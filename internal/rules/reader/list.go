package reader

import "strings"

const (
	listGap      = 6.0 // how much less than the best span another may score to be listed
	listMax      = 3   // spans in a list
	instancesMax = 4   // instances of a category in a list
)

// list joins the best spans of several lines, each with a word that is new.
func (q *query) list(best []span) (string, []candidate) {
	var parts []string
	var used []candidate
	seen := make(map[string]bool)
	for _, p := range best {
		if p.score < best[0].score-listGap || len(parts) == listMax {
			break
		}
		text := q.render(q.tidy(p))
		fresh := 0
		for w := range strings.FieldsSeq(strings.ToLower(text)) {
			if !seen[w] && classOf(w) == content {
				fresh++
			}
		}
		if fresh == 0 {
			continue
		}
		for w := range strings.FieldsSeq(strings.ToLower(text)) {
			seen[w] = true
		}
		parts = append(parts, text)
		used = append(used, p.candidate)
	}
	return strings.Join(parts, ", "), used
}

// instances lists the members of the category asked for that the person asked
// about speaks of, in the best statements.
func (q *query) instances(ranked []candidate) (string, []candidate) {
	if q.members == nil {
		return "", nil
	}
	var parts []string
	var used []candidate
	seen := make(map[string]bool)
	for _, c := range ranked {
		if c.score < ranked[0].score-tie || len(parts) >= instancesMax {
			break
		}
		s := c.sentence()
		if s.question || c.lv[lOther] > 0 {
			continue
		}
		for i := range s.words {
			w := &s.words[i]
			if w.punct || !q.members[w.low] || seen[singular(w.low)] || q.has(w) {
				continue
			}
			from := q.modifiers(s.words, max(0, i-2), i)
			seen[singular(w.low)] = true
			parts = append(parts, q.render(span{candidate: c, from: from, to: i + 1}))
			used = append(used, c)
		}
	}
	return strings.Join(parts[:min(len(parts), instancesMax)], ", "), used
}

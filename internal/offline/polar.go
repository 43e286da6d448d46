package offline

import "strings"

// negations turn a statement around.
var negations = set("not n't never no none nothing neither nor without cannot")

// weakMatch is the share of a question that must be found before a statement
// counts as support.
const weakMatch = 0.35

// polar answers a yes-or-no question: yes when the best statement supports
// it, no when it denies it or when nothing is found. A question about what is
// likely gets "Likely no" for the lack of support.
func (q *query) polar(ranked []candidate) (string, []candidate) {
	for _, c := range ranked {
		s := c.sentence()
		if s.question {
			continue
		}
		if c.lv[lOwn] < weakMatch {
			break
		}
		if negated(s.words) != negated(q.words) {
			if q.kind == askLikely {
				return "Likely no", []candidate{c}
			}
			return "No", []candidate{c}
		}
		return "Yes", []candidate{c}
	}
	if q.kind == askLikely {
		return "Likely no", nil
	}
	return "No", nil
}

func negated(words []word) bool {
	n := 0
	for _, w := range words {
		if negations[w.low] {
			n++
		}
	}
	return n%2 == 1
}

// choose answers "A or B" with the one that the evidence speaks of more, the
// better sentences counting more.
func (q *query) choose(ranked []candidate) (string, []candidate) {
	var support [2]float64
	var from [2]candidate
	for rank, c := range ranked[:min(4*considered, len(ranked))] {
		for k, option := range q.options {
			for _, o := range option {
				if o.class != content {
					continue
				}
				for _, w := range c.sentence().words {
					if w.stem == o.stem && !w.punct {
						if support[k] == 0 {
							from[k] = c
						}
						support[k] += 1 / float64(4+rank)
					}
				}
			}
		}
	}
	best := 0
	if support[1] > support[0] {
		best = 1
	}
	if support[best] == 0 {
		return "", nil
	}
	var words []string
	for i, w := range q.options[best] {
		if i == 0 && (w.tag == "DT" || w.tag == "IN") {
			continue
		}
		words = append(words, w.text)
	}
	return strings.Join(words, " "), []candidate{from[best]}
}

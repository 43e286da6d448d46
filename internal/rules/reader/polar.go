package reader

import "strings"

// negations turn a statement around.
var negations = set("not n't never no none nothing neither nor without cannot")

// weakMatch is the share of a question that must be found in a line before it
// counts as a statement about it.
const weakMatch = 0.25

// polar answers a yes-or-no question: yes when the statement that has most of
// it supports it, no when that denies it or when there is none. A question
// about what is likely gets "Likely no" for want of support.
func (q *query) polar(ranked []candidate) (string, []candidate) {
	var best *candidate
	for i := range ranked[:min(considered, len(ranked))] {
		c := &ranked[i]
		if !c.sentence().question && c.lv[lOwn] >= weakMatch && (best == nil || c.statement() > best.statement()) {
			best = c
		}
	}
	no := "No"
	if q.kind == askLikely {
		no = "Likely no"
	}
	switch {
	case best == nil:
		return no, nil
	case negated(best.sentence().words) != negated(q.words):
		return no, []candidate{*best}
	}
	return "Yes", []candidate{*best}
}

// statement is how well a candidate serves as a statement about what is asked:
// by the share of the question in it, and by who says it.
func (c candidate) statement() float64 { return c.lv[lOwn] + c.own + c.lv[lPerson]/2 }

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

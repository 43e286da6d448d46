package reader

// reason returns the clause behind a word of cause, in the best sentences.
func (q *query) reason(ranked []candidate) (string, []candidate) {
	for _, c := range ranked {
		if c.score < ranked[0].score-tie/2 {
			break
		}
		words := c.sentence().words
		for i := range words {
			w := &words[i]
			cause := w.low == "because" || w.low == "'cause" || w.low == "cause" && w.tag == "IN" ||
				(w.low == "since" && i+1 < len(words) && words[i+1].tag == "PRP")
			if !cause || i+2 >= len(words) {
				continue
			}
			end := i + 1
			for end < len(words) && end < i+16 && (!words[end].punct || (!breaks(words[end].low) && words[end].low != ",")) {
				end++
			}
			return q.render(span{candidate: c, from: i, to: end}), []candidate{c}
		}
	}
	return "", nil
}

// feeling returns what stands behind a form of "feel" up to the end of the
// clause, in the best sentences.
func (q *query) feeling(ranked []candidate) (string, []candidate) {
	if q.verbLow != "feel" {
		return "", nil
	}
	for _, c := range ranked {
		if c.score < ranked[0].score-tie/2 {
			break
		}
		words := c.sentence().words
		for i := range words {
			if lemma(words[i].low) != "feel" && words[i].low != "feeling" {
				continue
			}
			end, adjective := i+1, false
			for end < len(words) && end < i+8 && !words[end].punct {
				t := words[end].tag
				if words[end].low == "about" || words[end].low == "when" || words[end].low == "to" || words[end].low == "but" {
					break
				}
				adjective = adjective || t == "JJ" || t == "VBN"
				end++
			}
			if adjective {
				return q.render(span{candidate: c, from: i + 1, to: end}), []candidate{c}
			}
		}
	}
	return "", nil
}

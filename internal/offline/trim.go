package offline

// tidy adjusts the borders of a span to what a person would say: a quotation
// is taken whole, and words of the question at the start, with the small words
// behind them, are left out when something remains.
func (q *query) tidy(p span) span {
	words := p.sentence().words
	if from, to, ok := enclosing(words, p.from, p.to); ok {
		p.from, p.to = from, to
		return p
	}
	if q.kind == askWhere {
		i := p.from
		for i < p.to && (words[i].punct || q.has(&words[i]) || words[i].tag == "DT" || (i > p.from && words[i].tag == "IN")) {
			i++
		}
		if i < p.to && i > p.from && q.has(&words[p.from]) {
			p.from = i
		}
	}
	return p
}

// enclosing returns the quotation that the words from..to lie in.
func enclosing(words []word, from, to int) (start, end int, ok bool) {
	const longest = 12 // words of a title
	open := -1
	for i := range words {
		switch words[i].low {
		case `"`, "“", "”":
			if open >= 0 && words[i].low != "“" {
				if open < from && to <= i && i-open <= longest {
					return open + 1, i, true
				}
				open = -1
			} else {
				open = i
			}
		}
	}
	return 0, 0, false
}

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

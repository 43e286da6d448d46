package reader

// calling are the words that a name follows: "a dog called Rex".
var calling = set("called named nicknamed")

// name answers a question for a name from a sentence that tells one: "called
// Rex", "her name is Rex", near the best sentences.
func (q *query) name(ranked []candidate) (string, []candidate) {
	if q.focusLow != "name" && q.focusLow != "names" {
		return "", nil
	}
	for _, c := range ranked {
		if c.score < ranked[0].score-tie {
			break
		}
		if p, ok := naming(c); ok {
			return q.render(p), []candidate{c}
		}
	}
	return "", nil
}

// naming finds the name that a sentence tells.
func naming(c candidate) (span, bool) {
	words := c.sentence().words
	for i := range words {
		j := i + 1
		switch {
		case calling[words[i].low]:
		case words[i].low == "name" && j < len(words) && (words[j].low == "is" || words[j].low == "'s" || words[j].low == "was"):
			j++
		default:
			continue
		}
		for j < len(words) && (words[j].punct || words[j].low == "her" || words[j].low == "him" || words[j].low == "it") && j < i+4 {
			j++
		}
		end := j
		for end < len(words) && (words[end].upper || (end > j && end+1 < len(words) && words[end].low == "and" && words[end+1].upper)) {
			end++
		}
		if end > j {
			return span{candidate: c, from: j, to: end}, true
		}
	}
	return span{}, false
}

// Package span scores an answer by the part of it that matches the gold answer best, so
// that neither brevity nor the reasons around a fact are rewarded or punished.
//
// Texts are split into content words and values: numbers, days of a month, months,
// years and times of day, however they are written. A score is the F1 of the best
// stretch of the answer's words against those of the gold answer, lowered if a value
// of the gold answer is missing there or another one takes its place.
package span

import (
	"slices"
	"strings"
)

// Factors that lower a score. The numbers were chosen on the development half of
// docs/scores.md.
const (
	// askedWeight is the weight of a gold word that the question has too: repeating the
	// question adds no information.
	askedWeight = 0.3
	// negatedFactor is for a stretch that the answer denies and the gold answer does not.
	negatedFactor = 0.1
	// conflictFactor is for a stretch with another value of a kind that is missing.
	conflictFactor = 0.3
	// spareValues is how many values of a kind an answer may have besides those of the
	// gold answer: reasons mention dates, too.
	spareValues = 2
	// spareItems is how many short clauses an answer may have besides those of the gold
	// answer before it counts as a list of guesses.
	spareItems = 8
	// spareAtEnd is the same for the last sentence, scored by itself.
	spareAtEnd = 2
	// spareOpenings is how many sentences may begin with the same two words.
	spareOpenings = 4
	// orWeight is how much each "or" adds to the number of alternatives.
	orWeight = 0.5
	// unsaid is the score of an answer to a yes-or-no question that takes the right side
	// without either word.
	unsaid = 0.5
)

// Score returns the F1 of the best span of an answer, and the share of the gold answer
// that is in it; both are in [0, 1]. An answer that says it does not know scores 0. If a
// gold answer begins with yes or no, that word decides. The score of a list is the mean
// over its items, wherever they occur. For a gold answer that gives a day relative to
// another ("the week before 9 June 2023"), a date within the days that are meant is as
// right as the same words.
func Score(question, answer, gold string) (f1, recall float64) {
	if Abstains(answer) {
		return 0, 0
	}
	said, told := parse(answer), parse(gold)
	guard := min(hedges(said, told), guesses(said, told, spareItems))
	if want := polarity(told); want != "" {
		x := yesNo(said, want) * guard
		return x, x
	}
	if x, ok := relative(answer, gold, said); ok {
		return x * guard, x * guard
	}
	asked := make(map[string]bool)
	for _, t := range parse(question) {
		asked[t.text] = true
	}
	reach, items := reachOver(split(gold)), listItems(gold)
	for i, part := range [][]token{said, conclusion(answer, said)} {
		if i > 0 {
			if guard = guesses(part, told, spareAtEnd); hedges(part, told) < 1 {
				break // it concludes nothing
			}
		}
		var f1s, recalls float64
		for _, item := range items {
			f, r := best(part, parse(item), asked, reach)
			f1s += f / float64(len(items))
			recalls += r / float64(len(items))
		}
		if len(items) > 1 { // or as a whole, in one place
			f, r := best(part, told, asked, reach)
			f1s, recalls = max(f1s, f), max(recalls, r)
		}
		f1, recall = max(f1, f1s*guard), max(recall, recalls*guard)
	}
	return f1, recall
}

// conclusion returns the last sentence of an answer, which is also scored by itself: what
// an answer weighs up before it is not a guess. It is empty if many sentences begin as it
// does, because these are a list.
func conclusion(answer string, said []token) []token {
	answer = strings.TrimSpace(answer)
	from := len(answer) - 1
	for ; from > 0; from-- {
		before := strings.TrimRight(answer[max(0, from-4):from], "\"*)")
		if answer[from] == '\n' || answer[from] == ' ' && before != "" && strings.IndexByte(".!?:", before[len(before)-1]) >= 0 {
			break
		}
	}
	if from <= 0 {
		return nil
	}
	alike := 0
	for i, t := range said {
		if t.opening == said[len(said)-1].opening && (i == 0 || said[i-1].sentence != t.sentence) {
			alike++
		}
	}
	if alike > spareOpenings {
		return nil
	}
	return parse(answer[from:])
}

// itemWords is the largest number of content words of a list item.
const itemWords = 4

// listItems returns the items of a gold answer that is a list, otherwise the gold answer
// alone.
func listItems(gold string) []string {
	separate := func(r rune) bool { return r == ',' || r == ';' || r == '\n' || r == '&' }
	var items []string
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(gold, " and ", ","), separate) {
		tokens := parse(part)
		dated := func(t token) bool { return t.kind == day || t.kind == month || t.kind == year }
		if len(tokens) > itemWords || slices.ContainsFunc(tokens, dated) {
			return []string{gold}
		}
		if len(tokens) > 0 {
			items = append(items, part)
		}
	}
	if len(items) < 2 {
		return []string{gold}
	}
	return items
}

// A target is a gold answer prepared for comparison with windows.
type target struct {
	ids     map[string]int // of its distinct tokens
	need    []int          // how often each occurs
	weights []float64
	kinds   []kind
	total   float64    // weight
	values  int        // tokens that are values
	of      [kinds]int // distinct values by kind
}

func newTarget(gold []token, asked map[string]bool) *target {
	g := &target{ids: make(map[string]int)}
	for _, t := range gold {
		id, ok := g.ids[t.text]
		if !ok {
			id = len(g.need)
			weight := 1.0
			if t.kind == word && asked[t.text] {
				weight = askedWeight
			}
			g.ids[t.text] = id
			g.need, g.weights, g.kinds = append(g.need, 0), append(g.weights, weight), append(g.kinds, t.kind)
			if t.kind != word {
				g.of[t.kind]++
			}
		}
		g.need[id]++
		g.total += g.weights[id]
		if t.kind != word {
			g.values++
		}
	}
	return g
}

// best returns the F1 and the recall of the best window of an answer; a window has up to
// twice the gold answer's tokens plus two.
func best(said, gold []token, asked map[string]bool, reach int) (f1, recall float64) {
	g := newTarget(gold, asked)
	if len(gold) == 0 {
		return 0, 0
	}
	at := make([]int32, len(said)) // id, -1 if not in the gold answer
	for i, t := range said {
		at[i] = -1
		if id, ok := g.ids[t.text]; ok {
			at[i] = int32(id)
		}
	}
	guard := g.otherValues(said)
	have := make([]int, len(g.need))
	for from := range said {
		if at[from] < 0 {
			continue
		}
		clear(have)
		hit, length, values, denied := 0.0, 0.0, 0, false
		for to := from; to < len(said) && to-from < 2*len(gold)+2; to++ {
			id := at[to]
			if id < 0 {
				length++
				continue
			}
			length += g.weights[id]
			if have[id] < g.need[id] {
				have[id]++
				hit += g.weights[id]
				if g.kinds[id] != word {
					values++
				}
			}
			denied = denied || denies(said[to], reach)
			p, r := hit/length, hit/g.total
			factor := guard
			if denied {
				factor *= negatedFactor
			}
			if g.values > 0 {
				factor *= float64(values) / float64(g.values)
			}
			if r*factor <= recall && 2*p*r/(p+r)*factor <= f1 {
				continue
			}
			if values < g.values && g.conflict(said, at, from, to) {
				factor *= conflictFactor
			}
			f1, recall = max(f1, 2*p*r/(p+r)*factor), max(recall, r*factor)
		}
	}
	return f1, recall
}

// otherValues lowers the score of an answer with many values of a kind of which the gold
// answer has few: some of them are guesses.
func (g *target) otherValues(said []token) float64 {
	var have [kinds]map[string]bool
	for _, t := range said {
		if g.of[t.kind] > 0 {
			if have[t.kind] == nil {
				have[t.kind] = make(map[string]bool)
			}
			have[t.kind][t.text] = true
		}
	}
	guard := 1.0
	for k, n := range g.of {
		if m := len(have[k]) - spareValues; n > 0 && m > n {
			guard = min(guard, float64(n)/float64(m))
		}
	}
	return guard
}

// conflict reports whether a window, or the text next to it, has a value of a kind of
// which the gold answer has another.
func (g *target) conflict(said []token, at []int32, from, to int) bool {
	low, high := max(0, from-2), min(len(said)-1, to+2)
	var right [kinds]bool
	for i := low; i <= high; i++ {
		if at[i] >= 0 {
			right[said[i].kind] = true
		}
	}
	for i := low; i <= high; i++ {
		if k := said[i].kind; at[i] < 0 && k != word && g.of[k] > 0 && !right[k] {
			return true
		}
	}
	return false
}

// guesses lowers the score of an answer that lists many things when the gold answer
// names few: it counts short clauses beyond the spare ones, and sentences that begin
// alike.
func guesses(said, gold []token, spare int) float64 {
	short, run := 0, 0              // short clauses, words of the clause that is being read
	openings := make(map[int32]int) // sentences by how they begin
	for i, t := range said {
		run++
		if i+1 == len(said) || said[i+1].clause != t.clause {
			if run <= itemWords {
				short++
			}
			run = 0
		}
		if i == 0 || said[i-1].sentence != t.sentence {
			openings[t.opening]++
		}
	}
	clauses := 1
	for i, t := range gold {
		if i > 0 && gold[i-1].clause != t.clause {
			clauses++
		}
	}
	guard := 1.0
	if m := short - clauses - spare; m > 0 {
		guard = min(guard, 1/float64(m))
	}
	for _, n := range openings {
		if m := n - spareOpenings; m > 1 {
			guard = min(guard, 1/float64(m))
		}
	}
	return guard
}

// hedges lowers the score of an answer for each "or" beyond those of the gold answer.
func hedges(said, gold []token) float64 {
	ors := func(tokens []token) int32 {
		if len(tokens) == 0 {
			return 0
		}
		return tokens[len(tokens)-1].ors
	}
	return 1 / (1 + orWeight*float64(max(0, ors(said)-ors(gold))))
}

// polarity returns "yes" or "no" if a gold answer begins with one of them, possibly
// after one other word ("likely no").
func polarity(gold []token) string {
	for _, t := range gold[:min(2, len(gold))] {
		if p := side(t); p != "" {
			return p
		}
	}
	return ""
}

func side(t token) string {
	switch t.text {
	case "ye", "yes", "yeah": // yes has the stem ye
		return "yes"
	case "no", "never":
		return "no"
	}
	return ""
}

// yesNo scores an answer by the side that it takes: its first yes or no, otherwise no if
// something is negated.
func yesNo(said []token, want string) float64 {
	negated := "yes"
	for _, t := range said {
		if p := side(t); p != "" {
			if (p == want) != (t.denied == 1) {
				return 1
			}
			return 0
		}
		if denies(t, negationReach) {
			negated = "no"
		}
	}
	if len(said) > 0 && negated == want {
		return unsaid
	}
	return 0
}

// abstentions are phrases in the first sentence of an answer that does not know.
var abstentions = []string{
	"no information", "no specific information", "not enough information", "no mention", "no evidence", "unknown",
	"not mentioned", "not specified", "not provided", "not available", "not explicitly stated",
	"don't know", "do not know", "i don't have", "cannot be determined", "can't be determined",
	"does not mention", "doesn't mention", "do not mention", "don't mention", "does not specify", "do not specify", "does not provide", "do not provide",
}

// Abstains reports whether an answer is empty or says in its first sentence that it
// does not know.
func Abstains(answer string) bool {
	first := strings.TrimSpace(answer)
	if i := strings.IndexAny(first, ".\n"); i > 0 {
		first = first[:i]
	}
	first = strings.ToLower(strings.ReplaceAll(first, "’", "'"))
	return first == "" || slices.ContainsFunc(abstentions, func(a string) bool { return strings.Contains(first, a) })
}

package tree

import (
	"slices"
	"strings"
	"sync"

	"recallbench/internal/engine/treetask"
)

// A ruleForm is a line of forms.txt.
type ruleForm struct {
	kind, value string
	form        form
}

// ruleForms are the lines of forms.txt.
var ruleForms = sync.OnceValue(func() []ruleForm {
	var all []ruleForm
	for _, line := range lines(formsText) {
		f := strings.Fields(line)
		all = append(all, ruleForm{f[0], f[1], f[2:]})
	}
	return all
})

// findForm returns the first form of a kind that words match.
func findForm(kind string, words []word) (ruleForm, match, bool) {
	for _, r := range ruleForms() {
		if r.kind != kind {
			continue
		}
		if m, ok := r.form.find(words); ok {
			return r, m, true
		}
	}
	return ruleForm{}, match{}, false
}

// A manner is how a clause puts what it wants.
type manner int

const (
	aside    manner = iota // wants nothing
	states                 // says what is so from now on
	question               // asks
	order                  // tells what to do
)

// A clause is a part of a request that wants one thing.
type clause struct {
	words  []word
	op     treetask.Operation // empty for an aside
	manner manner
	verb   int // index of the word that names the operation, -1 where a whole form does
}

// clauses parts words where a sentence ends, and inside of one where an order
// begins.
func clauses(words []word) []clause {
	var all []clause
	for _, s := range sentences(words) {
		start := 0
		for i := 1; i < len(s); i++ {
			w := s[i-1]
			dash := w.low == "-" && i > 1 && s[i-2].end < w.start
			joint := w.mark && (w.low == "," || w.low == ":" || w.low == "(" || dash) || w.low == "and" || w.low == "so" || w.low == "but" || w.low == "then" || w.low == "please"
			if !joint || s[i].low == "and" {
				continue
			}
			op, m, _ := classify(s[i:], true)
			before, apart := clauseOf(s[start:i]), false
			switch {
			case m == order && (op != treetask.Read || w.mark):
				apart = true
			case m == question && w.mark && (w.low == ":" || s[len(s)-1].low == "?") && !prepositions[s[start].low] && !s[start].in("except"):
				apart = true
			case w.low == "so" && i > 1 && s[i-2].low == ",":
				apart = before.manner != order && clauseOf(s[i:]).manner == states
			case w.low == "," && subjects[s[i].low]:
				apart = before.manner == order && before.op != treetask.Update
			}
			if apart {
				all = append(all, before)
				start = i
			}
		}
		all = append(all, clauseOf(s[start:]))
	}
	return slices.DeleteFunc(all, func(c clause) bool {
		return !slices.ContainsFunc(c.words, func(w word) bool { return !w.mark })
	})
}

// leading are words that begin an order with where or when.
var leading = exactly("after before on at in for among between directly right straight")

// subjects are words that begin a clause of their own.
var subjects = exactly("i we he she they it you nobody somebody")

func clauseOf(s []word) clause {
	c := clause{words: s}
	c.op, c.manner, c.verb = classify(s, false)
	return c
}

// classify tells what a clause wants and how it puts it. With ordersOnly
// statements are left out.
func classify(s []word, ordersOnly bool) (treetask.Operation, manner, int) {
	i, told := 0, false
	for i < len(s) && (s[i].mark || s[i].in("filler") || s[i].low == "let" && i+1 < len(s) && s[i+1].low == "'s") {
		switch s[i].low {
		case "i", "we":
			told = true
		case "want", "like", "need", "must", "should", "'d", "have", "let", "'ll", "better":
			told = false
		}
		i++
	}
	asks := len(s) > 0 && s[len(s)-1].low == "?"
	if i < len(s) && !told && i == 0 && leading[s[0].low] {
		for j := 2; j < min(len(s), 9) && !s[j-1].mark; j++ {
			if !s[j].in("adding") {
				continue
			}
			if op, m, at := classify(s[j:], true); m == order && op == treetask.Create {
				return op, m, j + at
			}
		}
	}
	if i < len(s) && !told {
		if r, m, ok := findForm("order", s[i:min(len(s), i+14)]); ok && m.from == 0 {
			return treetask.Operation(r.value), order, i
		}
		for _, op := range []treetask.Operation{treetask.Delete, treetask.Create, treetask.Move, treetask.Update} {
			if s[i].in(string(op)) && i+1 < len(s) && !(s[i+1].low == "is" || s[i+1].low == "was") {
				return op, order, i
			}
		}
	}
	first := 0
	for first < len(s) && (s[first].mark || s[first].in("filler") && !s[first].in("show")) {
		if said := s[first].low; said == "i" || said == "we" || said == "let" || said == "'s" {
			first = len(s)
			break
		}
		first++
	}
	switch {
	case i < len(s) && !told && s[i].in("show") && !(s[i].low == "when" && !asks) && (s[i].low != "give" || i+1 < len(s) && (s[i+1].low == "me" || s[i+1].low == "us")):
		return treetask.Read, question, i
	case asks, first < len(s) && s[first].in("show") && s[first].low != "have" && s[first].low != "give" && s[first].low != "when":
		return treetask.Read, question, min(first, len(s)-1)
	case ordersOnly:
		return "", aside, -1
	}
	if r, _, ok := findForm("say", s); ok {
		return treetask.Operation(r.value), states, -1
	}
	return "", aside, -1
}

// operation returns what a request does: an order for an edit counts before a
// question, a question before a statement.
func operation(words []word) (treetask.Operation, string) {
	all := clauses(words)
	for _, c := range all {
		if c.manner == order && c.op != treetask.Read {
			return c.op, "an order"
		}
	}
	for _, m := range []manner{question, order, states} {
		for _, c := range all {
			if c.manner == m {
				return c.op, [...]string{"", "a statement", "a question", "an order"}[m]
			}
		}
	}
	return treetask.Read, "nothing said"
}

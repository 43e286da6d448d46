package metrics_test

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
	"recallbench/metrics"
)

var (
	dayAndMonth = regexp.MustCompile(`(?i)\b(\d{1,2})(,? )(january|february|march|april|may|june|july|august|september|october|november|december)\b`)
	yearOf      = regexp.MustCompile(`\b20\d\d\b`)
	nameAlone   = regexp.MustCompile(`^[A-Z][a-z]+( [A-Z][a-z]+)?$`)
	countsFrom  = regexp.MustCompile(`(?i)before|after|between`)
)

// TestProbes scores made-up answers to LoCoMo's questions, up to 200 of a kind: wrong ones
// that share most words with the gold answer, lists of guesses, and right ones in other
// words.
func TestProbes(t *testing.T) {
	var golds []judgedAnswer
	for _, a := range judgedAnswers(t) {
		if a.system == "zep" { // which answers all questions
			golds = append(golds, a)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	r.Shuffle(len(golds), func(i, j int) { golds[i], golds[j] = golds[j], golds[i] })
	another := func(fits func(judgedAnswer) bool) string {
		for {
			if a := golds[r.IntN(len(golds))]; fits(a) {
				return a.gold
			}
		}
	}
	alternatives := func(n int, between string) func(judgedAnswer) string {
		return func(g judgedAnswer) string {
			parts := make([]string, n)
			for i := range parts {
				parts[i] = another(func(a judgedAnswer) bool { return a.category == g.category && len(a.gold) < 60 })
			}
			parts[r.IntN(n)] = g.gold
			return "It was " + strings.Join(parts, between)
		}
	}
	for _, probe := range []struct {
		name        string
		least, most float64 // of the mean
		answer      func(judgedAnswer) string
	}{
		{"gold in a sentence", 0.99, 1, func(g judgedAnswer) string { return "It is " + g.gold + "." }},
		{"wrong day", 0, 0.2, func(g judgedAnswer) string {
			m := dayAndMonth.FindStringSubmatchIndex(g.gold)
			if m == nil || countsFrom.MatchString(g.gold) {
				return ""
			}
			day := try.Get(strconv.Atoi(g.gold[m[2]:m[3]]))(t)
			return "It was " + g.gold[:m[2]] + strconv.Itoa((day+5)%28+1) + g.gold[m[3]:]
		}},
		{"wrong year", 0, 0.2, func(g judgedAnswer) string {
			year := yearOf.FindString(g.gold)
			if year == "" {
				return ""
			}
			return "In " + strings.ReplaceAll(g.gold, year, "1999")
		}},
		{"swapped name", 0, 0.2, func(g judgedAnswer) string {
			if !nameAlone.MatchString(g.gold) {
				return ""
			}
			return "It was " + another(func(a judgedAnswer) bool { return nameAlone.MatchString(a.gold) && a.gold != g.gold })
		}},
		{"negated", 0, 0.2, func(g judgedAnswer) string { return "It was not " + g.gold }},
		{"three alternatives", 0, 0.6, alternatives(3, " or ")},
		{"twenty alternatives", 0, 0.1, alternatives(20, " or ")},
		{"twenty in a list", 0, 0.1, alternatives(20, ", ")},
		{"twenty sentences", 0, 0.1, alternatives(20, ". It was ")},
		{"question repeated", 0, 0.1, func(g judgedAnswer) string { return g.question }},
		{"evidence pasted", 0, 0.7, func(g judgedAnswer) string { return g.evidence }},
		{"sessions pasted", 0, 0.2, func(g judgedAnswer) string { return g.sessions }},
		{"empty", 0, 0, func(judgedAnswer) string { return " " }},
		{"I do not know", 0, 0, func(judgedAnswer) string { return "I do not know." }},
		{"date in another form", 0.9, 1, func(g judgedAnswer) string {
			m := dayAndMonth.FindStringSubmatch(g.gold)
			if m == nil || countsFrom.MatchString(g.gold) {
				return ""
			}
			return "on " + strings.Replace(g.gold, m[0], strings.ToUpper(m[3][:1])+m[3][1:]+" "+m[1]+"th", 1)
		}},
		{"list in another order", 0.9, 1, func(g judgedAnswer) string {
			items := strings.Split(g.gold, ", ")
			if len(items) < 2 || dayAndMonth.MatchString(g.gold) || strings.ContainsAny(g.gold, ".;") {
				return ""
			}
			return "They are " + strings.Join(append(items[1:], items[0]), ", ")
		}},
		{"number in words", 0.9, 1, func(g judgedAnswer) string {
			words := []string{"", "", "two", "three", "four", "five", "six", "seven", "eight"}
			if n, err := strconv.Atoi(g.gold); err == nil && n > 1 && n < len(words) {
				return words[n] + " times"
			}
			return ""
		}},
	} {
		n, sum := 0, 0.0
		for _, g := range golds {
			if n == 200 {
				break
			}
			answer := probe.answer(g)
			if answer == "" {
				continue
			}
			f1, _ := metrics.SpanF1(g.question, answer, g.gold)
			n, sum = n+1, sum+f1
		}
		mean := sum / float64(n)
		t.Logf("| %s | %d | %.1f |", probe.name, n, 100*mean)
		if n == 0 || mean < probe.least || mean > probe.most {
			t.Errorf("%s: mean %.3f of %d, want %g to %g", probe.name, mean, n, probe.least, probe.most)
		}
	}
}

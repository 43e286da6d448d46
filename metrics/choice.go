package metrics

import (
	"regexp"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
)

// The metrics of a multiple choice: 1 if an answer chooses only the right option,
// else 0; higher is better. The mean is the share of right choices; chance gives
// one over the number of options. They are 0 for a question that failed, and
// undefined without options.
//
// accuracy@mcq follows PersonaMem's scorer: keys in parentheses count or, if there are
// none, keys that stand as words, so the article a counts as one. It searches after the
// last <final_answer> and, unless it finds the right key alone there, in the whole
// answer. accuracy@mcq-strict accepts only a key in parentheses or alone on its line.
var (
	ChoiceSpec       = choice("accuracy@mcq", "only the right option, as PersonaMem's scorer reads an answer", "PersonaMem (Jiang et al., 2025): inference script", chosenLoosely)
	ChoiceStrictSpec = choice("accuracy@mcq-strict", "only the right option, in parentheses or alone on a line", "this project", chosenStrictly)
)

func choice(name, doc, source string, chosen func(answer string, keys []string, right string) bool) *Spec {
	return ofItem(Column{Name: name, Scale: 100, Digits: 1, Binary: true}, Spec{Doc: doc, Source: source}, func(i Item) Value {
		if len(i.Options) == 0 || i.Correct == "" {
			return Value{}
		}
		keys := lists.Map(i.Options, func(o Option) string { return strings.ToLower(o.Key) })
		return holds(!i.Failed && chosen(strings.ToLower(i.Prediction), keys, strings.ToLower(i.Correct)))
	})
}

const finalAnswer = "<final_answer>"

var (
	inParentheses = regexp.MustCompile(`\((\w+)\)`)
	word          = regexp.MustCompile(`(\w+)`)
	alone         = regexp.MustCompile(`(?m)^[ \t]*(\w+)[ \t\r]*$`)
)

func chosenLoosely(answer string, keys []string, right string) bool {
	last := answer
	if at := strings.LastIndex(answer, finalAnswer); at >= 0 {
		last = answer[at+len(finalAnswer):]
	}
	for _, text := range []string{last, answer} {
		found := keysIn(text, inParentheses, keys)
		if len(found) == 0 {
			found = keysIn(text, word, keys)
		}
		if slices.Equal(found, []string{right}) {
			return true
		}
	}
	return false
}

func chosenStrictly(answer string, keys []string, right string) bool {
	found := append(keysIn(answer, inParentheses, keys), keysIn(answer, alone, keys)...)
	return len(found) > 0 && !slices.ContainsFunc(found, func(key string) bool { return key != right })
}

// keysIn returns the distinct keys that a pattern finds in a text.
func keysIn(text string, pattern *regexp.Regexp, keys []string) []string {
	var found []string
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		if slices.Contains(keys, m[1]) && !slices.Contains(found, m[1]) {
			found = append(found, m[1])
		}
	}
	return found
}

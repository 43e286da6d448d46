package memoryrules

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/locomo"
	"recallbench/internal/realdata"
)

// TestRulesKnowNoData reads the rules and looks in them for what could only
// come from LoCoMo: the names of who talks, answers of two words and more, and
// three words in a row of a question, an answer or a message of which two say
// what it is about, by the rules' own lists. It looks at strings and comments
// alike, with lists of words taken as one text each.
func TestRulesKnowNoData(t *testing.T) {
	set, err := locomo.Spec.Open(t.Context(), datasets.Env{Dir: realdata.Datasets(t)}, locomo.Spec.Options)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	rules := make(map[string]string) // three words in a row, to the file
	single := make(map[string]string)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		words := plainWords(string(text))
		for i, w := range words {
			single[w] = name
			if i+3 <= len(words) {
				rules[strings.Join(words[i:i+3], " ")] = name
			}
		}
	}
	looked := 0
	look := func(text, where string) {
		words := plainWords(text)
		for i := range len(words) - 2 {
			about := 0
			for _, w := range words[i : i+3] {
				if tells(w) {
					about++
				}
			}
			if about < 2 {
				continue
			}
			looked++
			if file, ok := rules[strings.Join(words[i:i+3], " ")]; ok {
				t.Errorf("%s has %q of %s", file, words[i:i+3], where)
			}
		}
	}
	for _, s := range set.Samples {
		for _, name := range s.Speakers {
			for _, w := range plainWords(name) {
				if file, ok := single[w]; ok {
					t.Errorf("%s has the name %q of %s", file, w, s.ID)
				}
			}
		}
		for _, session := range s.Sessions {
			for _, turn := range session.Turns {
				look(turn.Text, turn.ID+" of "+s.ID)
			}
		}
		for _, q := range s.Requests {
			gold, _ := set.Gold(s.ID, q.ID)
			look(q.Text, q.ID)
			look(gold.Answer, "the answer to "+q.ID)
		}
	}
	if looked < 10000 {
		t.Fatalf("only %d phrases were looked for", looked)
	}
}

// tells reports whether a word says what something is about.
func tells(w string) bool {
	for _, list := range []map[string]bool{
		auxiliaries, adverbs, subjects, firstPerson, backward, vague, verdicts, likings, courtesies, openers, farewells, greetings,
		affirmations, denials, hypotheses, placing,
	} {
		if list[w] {
			return false
		}
	}
	return len(w) > 3
}

var letters = regexp.MustCompile(`[a-z]+`)

func plainWords(s string) []string { return letters.FindAllString(strings.ToLower(s), -1) }

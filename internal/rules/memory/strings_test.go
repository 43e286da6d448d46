package memory

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/datasettest"
	"recallbench/datasets/locomo"
	"recallbench/internal/testkit/realdata"
)

// TestRulesKnowNoData reads the rules and looks in their strings for what could
// only come from LoCoMo: the names of who talks, and of a question, an answer or
// a message three words in a row that say what it is about, or four of which two
// do. Which words do, the rules' own lists tell.
func TestRulesKnowNoData(t *testing.T) {
	set, err := locomo.Spec.Open(t.Context(), datasets.Env{Dir: realdata.Datasets(t)}, locomo.Spec.Options)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../../text/english/words.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, shared, _ := strings.Cut(string(data), "[auxiliaries]")
	lists := regexp.MustCompile(`\n\n|;`).Split(shared, -1) // those that memories are built with
	runs := make(map[string]string)                         // of three and four words, to the file
	single := make(map[string]string)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, text := range append(literals(t, name), lists...) {
			words := plainWords(text)
			for i, w := range words {
				single[w] = name
				for n := 3; n <= 4 && i+n <= len(words); n++ {
					runs[strings.Join(words[i:i+n], " ")] = name
				}
			}
		}
	}
	if len(single) < 300 {
		t.Fatalf("only %d words in the strings of the rules", len(single))
	}
	looked := 0
	look := func(text, where string) {
		words := plainWords(text)
		for i := range words {
			for n := 3; n <= 4 && i+n <= len(words); n++ {
				about := 0
				for _, w := range words[i : i+n] {
					if tells(w) {
						about++
					}
				}
				if n == 3 && about < 3 || about < 2 {
					continue
				}
				looked++
				if file, ok := runs[strings.Join(words[i:i+n], " ")]; ok {
					t.Errorf("%s has %q of %s", file, words[i:i+n], where)
				}
			}
		}
	}
	for _, s := range datasettest.Samples(t, set) {
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

// literals are the strings of a Go file.
func literals(t *testing.T, name string) (texts []string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile(name, fset.Base(), len(data)), data, nil, 0)
	for {
		_, tok, text := s.Scan()
		if tok == token.EOF {
			return texts
		}
		if tok == token.STRING {
			texts = append(texts, text)
		}
	}
}

// tells reports whether a word says what something is about.
func tells(w string) bool {
	for _, list := range []map[string]bool{
		auxiliaries, adverbs, subjects, firstPerson, backward, vague, likings, courtesies, openers,
		affirmations, denials, placing,
	} {
		if list[w] {
			return false
		}
	}
	return len(w) > 3
}

var letters = regexp.MustCompile(`[a-z]+`)

func plainWords(s string) []string { return letters.FindAllString(strings.ToLower(s), -1) }

package tasks

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"recallbench/datasets/datasettest"
)

// everyday are names of nodes that any list of dishes has.
var everyday = map[string]bool{"shepherd s pie": true, "thai green curry": true}

// function are words that say nothing of what a request is about.
const function = " a about again ago all also an and any are as at away back be been before but by can could day days did do does don end every first for from get go had has have " +
	"here how i if in instead into is it its just last later left let like little long made make me middle more most moved my need new no not now of off on one only or other our out over own " +
	"please put s same should so some start still t take than that the their them then there these they thing things this time to too took two up us used very want was way we week were what " +
	"when where which while who will with would you your "

// TestRulesKnowNoData reads the rules of the offline backend and looks in them
// for what could only come from the suites: names of nodes of two words and
// more, and four words in a row of a request of which two say what it is about.
func TestRulesKnowNoData(t *testing.T) {
	rules := "\n"
	for _, dir := range []string{"rules", "backend/offline"} {
		root := filepath.Join("..", "..", "internal", filepath.FromSlash(dir))
		err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "testdata" {
				if d != nil && d.IsDir() {
					return fs.SkipDir
				}
				return err
			}
			if d.IsDir() || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path.Clean(name))))
			rules += " " + strings.Join(plainWords(string(text)), " ") + " \n"
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	phrases := make(map[string]string) // to where they stand
	for _, turns := range []Turns{Single, Multi} {
		set := load(t, Options{Turns: turns})
		for _, s := range datasettest.Samples(t, set) {
			for n := range s.Tree.All() {
				if name := strings.Join(plainWords(n.Name()), " "); strings.Contains(name, " ") && !everyday[name] {
					phrases[name] = "the tree of " + s.ID
				}
			}
			for _, r := range s.Requests {
				words := plainWords(r.Text)
				for i := range len(words) - 3 {
					about := 0
					for _, w := range words[i : i+4] {
						if !strings.Contains(function, " "+w+" ") {
							about++
						}
					}
					if about > 1 {
						phrases[strings.Join(words[i:i+4], " ")] = s.ID + " " + r.ID
					}
				}
			}
		}
	}
	if len(phrases) < 1000 {
		t.Fatalf("only %d phrases to look for", len(phrases))
	}
	for phrase, where := range phrases {
		if strings.Contains(rules, " "+phrase+" ") {
			t.Errorf("a rule has %q of %s", phrase, where)
		}
	}
}

var letters = regexp.MustCompile(`[a-z]+`)

func plainWords(s string) []string { return letters.FindAllString(strings.ToLower(s), -1) }

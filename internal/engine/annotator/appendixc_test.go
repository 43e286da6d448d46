package annotator

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/door/annotate"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// TestAppendixC records what the rules do with dialogues of the kinds that
// appendix C of the Semantic Anchoring paper shows: where it succeeds and where
// it fails. The golden file says of each expectation whether it is met; a wrong
// answer is recorded as it is.
func TestAppendixC(t *testing.T) {
	b := try.Get(os.ReadFile("testdata/appendixc/cases.txt"))(t)
	a := New()
	var out strings.Builder
	right, all := 0, 0
	for text := range strings.SplitSeq(strings.TrimSpace(string(b)), "\n\n") {
		r, c := recordCase(t, a, &out, text)
		right, all = right+r, all+c
	}
	fmt.Fprintf(&out, "%d of %d expectations are met.\n", right, all)
	t.Logf("%d of %d expectations are met", right, all)
	golden.Check(t, "appendixc/behaviour.txt", out.String())
}

// recordCase annotates the sessions of a case and writes what they gave.
func recordCase(t *testing.T, a *Annotator, out *strings.Builder, text string) (right, all int) {
	t.Helper()
	title, body, _ := strings.Cut(text, "\n")
	fmt.Fprintln(out, title)
	r := annotate.Request{Layers: annotate.Layers()}
	var expectations []string
	var d annotate.Document
	run := func() {
		var err error
		if d, err = a.Annotate(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if err := d.Check(r); err != nil {
			t.Error(err)
		}
		met := record(out, d, r.Utterances, expectations)
		right, all = right+met, all+len(expectations)
		expectations = nil
	}
	for line := range strings.SplitSeq(body, "\n") {
		if e, ok := strings.CutPrefix(line, "? "); ok {
			expectations = append(expectations, e)
			continue
		}
		if line == "---" {
			run()
			fmt.Fprintln(out, "  ---")
			r.Known, r.Utterances = d.Recall(r.Utterances, r.Known), nil
			continue
		}
		fmt.Fprintln(out, "  "+line)
		speaker, said, _ := strings.Cut(line, ": ")
		r.Utterances = append(r.Utterances, annotate.Utterance{Speaker: speaker, Text: said})
	}
	run()
	fmt.Fprintln(out)
	return right, all
}

// record writes the clusters of a session, and which expectations it meets.
func record(out *strings.Builder, d annotate.Document, utterances []annotate.Utterance, expectations []string) (right int) {
	for _, c := range d.Clusters {
		fmt.Fprintf(out, "    %s %s", c.ID, c.Name)
		if c.Type != "" {
			fmt.Fprintf(out, " (%s)", c.Type)
		}
		sep := ": "
		for _, m := range c.Mentions {
			fmt.Fprintf(out, "%s%s", sep, d.Text(utterances, m))
			sep = ", "
		}
		fmt.Fprintln(out)
	}
	for _, e := range expectations {
		if ok, got := meets(d, utterances, e); ok {
			right++
			fmt.Fprintln(out, "    right:", e)
		} else {
			fmt.Fprintf(out, "    WRONG: %s, but %s\n", e, got)
		}
	}
	return right
}

// meets holds an expectation against a document.
func meets(d annotate.Document, utterances []annotate.Utterance, e string) (met bool, got string) {
	switch {
	case strings.HasPrefix(e, "triple "):
		var triples []string
		for _, s := range d.Sentences {
			for _, dep := range s.Dependencies {
				if dep.Head >= 0 {
					triples = append(triples, s.Tokens[dep.Head].Lemma+":"+dep.Label+":"+s.Tokens[dep.Dependent].Lemma)
				}
			}
		}
		return slices.Contains(triples, e[len("triple "):]), "there are " + strings.Join(triples, " ")
	case strings.HasPrefix(e, "sense "), strings.HasPrefix(e, "no sense "):
		last := len(d.Sentences) - 1
		var senses []string
		for _, r := range d.Relations {
			if d.Sentences[r.To].Utterance == d.Sentences[last].Utterance {
				senses = append(senses, r.Sense)
			}
		}
		_, want, _ := strings.Cut(e, "sense ")
		has := slices.ContainsFunc(senses, func(s string) bool { return strings.HasPrefix(s, want) })
		return has != strings.HasPrefix(e, "no "), "the senses are " + fmt.Sprint(senses)
	}
	quoted, want, _ := strings.Cut(e, "\" is ")
	quoted = strings.TrimPrefix(quoted, "\"")
	name, kind := "nobody", "nobody in the talk"
	for _, c := range d.Clusters {
		for _, m := range c.Mentions {
			if d.Text(utterances, m) == quoted {
				name, kind = c.Name, "somebody else"
				if c.Speaker {
					kind = "a participant"
				}
			}
		}
	}
	if want == "a participant" || want == "somebody else" {
		return kind == want, "it is " + kind
	}
	if other, ok := strings.CutPrefix(want, "not "); ok {
		return name != other, "it is"
	}
	return name == want, "it is " + name
}

package semanticanchoring

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/methods/methodtest"
)

// TestCases records what the memory finds first, with rules in place of models, in
// dialogues of the kinds that appendix C of the paper shows: pronouns and ellipses
// where it says that the memory succeeds, and names that two people share, speech
// repairs and sarcasm where it says that it fails. The golden file says what
// similarity alone finds, too, and whether either is the turn that should be found;
// what is wrong is recorded as it is.
func TestCases(t *testing.T) {
	data := try.Get(os.ReadFile("testdata/cases.txt"))(t)
	dense := Defaults()
	dense.Weights = Weights{Similarity: 1}
	var out strings.Builder
	right := make(map[string]int)
	for text := range strings.SplitSeq(strings.TrimSpace(string(data)), "\n\n") {
		title, sample, question, want := parseCase(t, text)
		fmt.Fprintf(&out, "%s\n  Q: %s\n", title, question)
		for _, by := range []struct {
			name    string
			options Options
		}{{"anchors", Defaults()}, {"similarity", dense}} {
			resp := ask(t, by.options, sample, question)
			top := resp.Evidence[0].Sources[0]
			verdict := "WRONG"
			if top == want {
				verdict = "right"
				right[by.name]++
			}
			_, line, _ := strings.Cut(resp.Evidence[0].Text, "[UTTERANCE] ")
			line, _, _ = strings.Cut(line, "\n")
			fmt.Fprintf(&out, "  %s: %s finds %s %s\n", verdict, by.name, top, line)
			if by.name == "anchors" {
				fmt.Fprintf(&out, "    entities of the question: %s\n    answer: %s\n", fmt.Sprint(resp.Trace[0].Data["entities"]), resp.Text)
			}
		}
	}
	fmt.Fprintf(&out, "right: anchors %d, similarity %d\n", right["anchors"], right["similarity"])
	golden.Check(t, "cases.golden", out.String())
}

// parseCase reads a case: a title, sessions that --- parts, a question behind Q:,
// and behind = the turn that should be found.
func parseCase(t *testing.T, text string) (title string, s datasets.Sample, question, want string) {
	t.Helper()
	title, body, _ := strings.Cut(text, "\n")
	s.ID = title
	session := datasets.Session{ID: "1"}
	for line := range strings.SplitSeq(body, "\n") {
		speaker, said, ok := strings.Cut(line, ": ")
		switch {
		case line == "---":
			s.Sessions = append(s.Sessions, session)
			session = datasets.Session{ID: strconv.Itoa(len(s.Sessions) + 1)}
		case speaker == "Q":
			question = said
		case strings.HasPrefix(line, "= "):
			want = line[2:]
		case ok:
			if !slices.Contains(s.Speakers, speaker) {
				s.Speakers = append(s.Speakers, speaker)
			}
			id := session.ID + ":" + strconv.Itoa(len(session.Turns)+1)
			session.Turns = append(session.Turns, datasets.Turn{ID: id, Speaker: speaker, Text: said})
		default:
			t.Fatalf("%s: line %q", title, line)
		}
	}
	s.Sessions = append(s.Sessions, session)
	return title, s, question, want
}

func ask(t *testing.T, o Options, s datasets.Sample, question string) methods.Response {
	t.Helper()
	m := methodtest.Method(t, Spec, o, methodtest.Plain)
	memory := try.Get(m.Build(t.Context(), s))(t)
	return try.Get(memory.Answer(t.Context(), datasets.Request{ID: "q", Text: question}))(t)
}

package pytext_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"recallbench/internal/testkit/try"
	"recallbench/internal/text/pytext"
)

// TestReference compares with what the reference implementations printed;
// metrics/testdata/reference.py makes the file, and its first line names them.
func TestReference(t *testing.T) {
	f := try.Get(os.Open("testdata/reference.jsonl"))(t)
	defer f.Close()
	lines := 0
	for sc := bufio.NewScanner(f); sc.Scan(); lines++ {
		var want struct {
			Text, Lower                     string
			Sentences, Words, Fields, Rouge []string
			Word, Stem                      string
		}
		try.Do(t, json.Unmarshal(sc.Bytes(), &want))
		check := func(what string, got, want any) {
			t.Helper()
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s of %q (-want +got):\n%s", what, sc.Text(), diff)
			}
		}
		check("lower case", pytext.Lower(want.Text), want.Lower)
		check("fields", pytext.AppendFields(nil, want.Text), want.Fields)
		check("sentences", pytext.AppendSentences(nil, want.Text), want.Sentences)
		check("words", pytext.AppendWords(nil, want.Text), want.Words)
		check("rouge tokens", pytext.AppendRouge(nil, want.Text), want.Rouge)
		check("stem", pytext.Stem(want.Word), want.Stem)
	}
	if lines < 200 {
		t.Errorf("compared %d lines, want at least 200", lines)
	}
}

// TestLastMark is the one departure from NLTK that [pytext.AppendWords] names.
func TestLastMark(t *testing.T) {
	for in, want := range map[string][]string{
		"the plan.!":   {"the", "plan.", "!"},
		"the plan.?\n": {"the", "plan.", "?"},
		"no. the u.s.!": {
			"no", ".", "the", "u.s.", "!",
		},
		"the plan.! so": {"the", "plan.", "!", "so"},
		"the plan. !":   {"the", "plan", ".", "!"},
		"the plan!!":    {"the", "plan", "!", "!"},
	} {
		if diff := cmp.Diff(want, pytext.AppendWords(nil, in)); diff != "" {
			t.Errorf("Words(%q) (-want +got):\n%s", in, diff)
		}
	}
}

func TestIsCommon(t *testing.T) {
	for low, want := range map[string]bool{"place": true, "sister": true, "restaurant": true, "rachel": false, "cambridge": false, "tuesday": false, "": false} {
		if got := pytext.IsCommon(low); got != want {
			t.Errorf("IsCommon(%q) is %v, want %v", low, got, want)
		}
	}
}

package calls

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/compress"
	"recallbench/internal/door/fault"
)

// halves keeps the first half of each text that is asked about.
type halves struct{ asked *[]string }

func (h halves) Classify(_ context.Context, texts []string) ([][]compress.Token, error) {
	*h.asked = append(*h.asked, texts...)
	all := make([][]compress.Token, len(texts))
	for i, t := range texts {
		if t != "" {
			all[i] = []compress.Token{{End: len(t) / 2, Keep: 0.75}, {Start: len(t) / 2, End: len(t)}}
		}
	}
	return all, nil
}

func TestClassifier(t *testing.T) {
	s := openStore(t, t.TempDir())
	var asked []string
	live := NewRecorder(s, Reuse).Classifier(testModel, halves{&asked})
	want := [][]compress.Token{{{Start: 0, End: 1, Keep: 0.75}, {Start: 1, End: 2}}, nil, {{Start: 0, End: 2, Keep: 0.75}, {Start: 2, End: 4}}}
	for _, texts := range [][]string{{"ab", "", "ab"}, {"ab", "cdef"}, nil} {
		if _, err := live.Classify(t.Context(), texts); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"ab", "", "cdef"}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	replay := NewRecorder(s, Replay).Classifier(testModel, nil)
	got, err := replay.Classify(t.Context(), []string{"ab", "", "cdef"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replayed (-want +got):\n%s", diff)
	}
	if _, err := replay.Classify(t.Context(), []string{"xy"}); fault.KindOf(err) != fault.Miss {
		t.Errorf("a text that is not recorded: error %v", err)
	}
	if NewRecorder(nil, Off).Classifier(testModel, halves{}) == nil || NewRecorder(s, Reuse).Classifier(testModel, nil) != nil {
		t.Error("a recorder that is off loses a door, or one that reuses makes one")
	}
}

// wrong returns the same for whatever it is asked.
type wrong [][]compress.Token

func (w wrong) Classify(context.Context, []string) ([][]compress.Token, error) { return w, nil }

// What a later replay could not use is not recorded.
func TestClassifierFaults(t *testing.T) {
	s := openStore(t, t.TempDir())
	for _, w := range []wrong{nil, {nil}, {{{End: 9, Keep: 1}}}, {{{End: 2, Keep: 2}}}, {{{End: 2}}, {{End: 2}}}} {
		_, err := NewRecorder(s, Record).Classifier(testModel, w).Classify(t.Context(), []string{"ab"})
		if fault.KindOf(err) != fault.BadReply {
			t.Errorf("%v: error %v", w, err)
		}
	}
	if all, err := s.Recordings(); err != nil || len(all) != 0 {
		t.Errorf("%d recordings, %v", len(all), err)
	}
}

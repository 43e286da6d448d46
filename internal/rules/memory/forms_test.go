package memory

import (
	"strings"
	"testing"
)

func TestThird(t *testing.T) {
	for _, c := range []struct{ low, tag, one, more string }{
		{"am", "VBP", "is", "are"},
		{"'m", "VBP", "is", "are"},
		{"'ve", "VBP", "has", "have"},
		{"'ll", "MD", "will", "will"},
		{"was", "VBD", "was", "were"},
		{"have", "VBP", "has", "have"},
		{"do", "VBP", "does", "do"},
		{"go", "VBP", "goes", "go"},
		{"carry", "VBP", "carries", "carry"},
		{"play", "VBP", "plays", "play"},
		{"watch", "VBP", "watches", "watch"},
		{"miss", "VBP", "misses", "miss"},
		{"paint", "NN", "paints", "paint"}, // tagged wrongly
		{"can", "MD", "can", "can"},
		{"painted", "VBD", "painted", "painted"},
		{"painted", "NN", "painted", "painted"},
		{"went", "NN", "went", "went"},
		{"painting", "VBG", "painting", "painting"},
	} {
		w := &Word{Low: c.low, Tag: c.tag}
		if got := third(w); got != c.one {
			t.Errorf("third(%s %s) = %q, want %q", c.low, c.tag, got, c.one)
		}
		if got := plural(w); got != c.more {
			t.Errorf("plural(%s %s) = %q, want %q", c.low, c.tag, got, c.more)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"one two three", 3, "one two three"},
		{"one two three four", 3, "one two three"},
		{"one two three, four five six", 4, "one two three"},
		{"one two and three four", 3, "one two"},
		{"", 3, ""},
		{strings.Repeat("x", 9), 3, "xxxxxxxxx"},
	} {
		if got := cut(c.text, c.n); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"short", 9, "short"}, {"a long text", 6, "a long"}, {"añb", 2, "a"}, {"我们", 4, "我"}, {"\x80\x80\x80", 2, ""},
	} {
		if got := clip(c.text, c.n); got != c.want {
			t.Errorf("clip(%q, %d) = %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

func TestList(t *testing.T) {
	for want, items := range map[string][]string{"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b and c": {"a", "b", "c"}} {
		if got := list(items); got != want {
			t.Errorf("list(%q) = %q, want %q", items, got, want)
		}
	}
}

// The longer an episode, the less it takes to end it; what answers a question
// never ends a short one.
func TestBoundaryHazard(t *testing.T) {
	sentence := func(question bool, words ...string) []Sentence {
		s := Sentence{Question: question}
		for i, w := range words {
			s.Words = append(s.Words, Word{Low: w, Stem: uint64(len(w)*1000 + i + int(w[0])), Tag: "NN"})
		}
		return []Sentence{s}
	}
	next := sentence(false, "harbour", "festival", "lanterns")
	last := 0.0
	for n := 1; n < 40; n++ {
		b := weighBoundary(n, sentence(false, "garden", "fences"), next, nil)
		p := b.Confidence
		if !b.NewEpisode {
			p = 1 - p
		}
		if p < last {
			t.Errorf("after %d messages an end has %v, after fewer %v", n, p, last)
		}
		last = p
	}
	if last < 0.9 {
		t.Errorf("after 39 messages an end has %v, want about 1", last)
	}
	for n := 1; n < 12; n++ {
		if b := weighBoundary(n, sentence(true, "what", "happened"), next, nil); b.NewEpisode {
			t.Errorf("an answer after %d messages ends the episode: %s", n, b.Why)
		}
	}
}

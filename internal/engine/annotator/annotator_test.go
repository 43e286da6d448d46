package annotator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recallbench/internal/door/annotate"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

// TestSound checks on random dialogues that a document is sound: offsets within
// texts, every mention in one cluster, mentions in order, no two participants in
// one cluster, and ids that belong to what they belonged to.
func TestSound(t *testing.T) {
	a := New()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(rapid.SampledFrom([]string{
			"Anna", "anna", "Tom", "Rachel Green", "Rachel", "Mr. Green", "my", "sister", "she", "he", "it", "they", "the", "hotel", "restaurant", "a", "is", "was",
			"called", "I", "you", "we", "9:00", "9 am", "$", "5", "two", "on", "Friday", ",", ".", "?", "!", "...", "'s", "n't", "don't", "there", "same", "as", "last", "time", "and", "but",
			"because", "Hey", "Parkview Hotel", "London", "another", "TR8185", "’s", "\x00", "\xff", "“", "book",
		}), rapid.String())
		text := rapid.Custom(func(t *rapid.T) string {
			var s strings.Builder
			for _, w := range rapid.SliceOfN(word, 0, 14).Draw(t, "words") {
				s.WriteString(w)
				s.WriteString(rapid.SampledFrom([]string{" ", " ", " ", ""}).Draw(t, "space"))
			}
			return s.String()
		})
		speaker := rapid.SampledFrom([]string{"Anna", "Tom", "USER", "SYSTEM", "Speaker 1", ""})
		var known []annotate.Known
		taken := map[string]annotate.Known{}
		for range rapid.IntRange(1, 3).Draw(t, "sessions") {
			r := annotate.Request{Layers: annotate.Layers(), Known: known}
			for range rapid.IntRange(0, 4).Draw(t, "turns") {
				r.Utterances = append(r.Utterances, annotate.Utterance{Speaker: speaker.Draw(t, "speaker"), Text: text.Draw(t, "text")})
			}
			d := try.Get(a.Annotate(t.Context(), r))(t)
			try.Do(t, d.Check(r))
			checkClusters(t, d, taken)
			known = d.Recall(r.Utterances, known)
			for _, k := range known {
				taken[k.ID] = k
			}
		}
	})
}

// checkClusters checks what Document.Check does not ask for.
func checkClusters(t *rapid.T, d annotate.Document, taken map[string]annotate.Known) {
	at := make(map[annotate.Mention]bool)
	for _, c := range d.Clusters {
		k, known := taken[c.ID]
		if known && k.Speaker && (!c.Speaker || c.Name != k.Name) {
			t.Errorf("%s was the speaker %q, is %q", c.ID, k.Name, c.Name)
		}
		if known && k.Type != "" && c.Type != k.Type && !c.Speaker {
			t.Errorf("%s was a %s, is a %s", c.ID, k.Type, c.Type)
		}
		if c.Speaker && !known {
			for _, other := range taken {
				if other.Speaker && other.Name == c.Name {
					t.Errorf("speaker %q has a second id, %s beside %s", c.Name, c.ID, other.ID)
				}
			}
		}
		for i, m := range c.Mentions {
			m.Kind = ""
			if at[m] {
				t.Errorf("%+v is in two clusters", m)
			}
			at[m] = true
			if i > 0 && compareMentions(c.Mentions[i-1], c.Mentions[i]) >= 0 {
				t.Errorf("%s: %+v is not before %+v", c.ID, c.Mentions[i-1], m)
			}
		}
	}
}

// TestHostile checks that the annotation of long and odd texts is sound and comes to
// an end.
func TestHostile(t *testing.T) {
	a := New()
	size := longtest.N(1<<13, 1<<17)
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for name, text := range map[string]string{
		"one word": repeat("a"), "no mark": strings.Repeat("the hotel and ", size/2), "names": repeat("Anna Green "), "new names": newNames(size / 40),
		"pronouns": repeat("she told him it. "), "marks": repeat("!"), "marks in turn": repeat("!?"), "periods": repeat("."), "quotes": repeat("'"),
		"numbers": repeat("9:00 "), "zero": repeat("\x00"), "invalid": repeat("\xff"), "periods apart": repeat(". "),
		"own names": repeat("my sister's sister's "), "other letters": repeat("日本語"),
	} {
		r := annotate.Request{Layers: annotate.Layers(), Utterances: []annotate.Utterance{{Speaker: "A", Text: text}}}
		d := try.Get(a.Annotate(t.Context(), r))(t)
		if err := d.Check(r); err != nil {
			t.Errorf("%s: %.300v", name, err)
		}
	}
}

func newNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Anna %c%c%c%c met the man from Gol%c%c. ", 'A'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+i%7, 'a'+i%26, 'a'+i/26%26)
	}
	return b.String()
}

// TestLayers checks that only what is asked for is given, that an unknown layer
// and a cancelled call are errors.
func TestLayers(t *testing.T) {
	r := annotate.Request{Utterances: []annotate.Utterance{{Speaker: "Tom", Text: "Anna left because she was tired."}}}
	for _, l := range annotate.Layers() {
		r.Layers = []annotate.Layer{l}
		d := try.Get(New().Annotate(t.Context(), r))(t)
		s := d.Sentences[0]
		got := map[annotate.Layer]bool{
			annotate.Tokens: len(s.Tokens) > 0, annotate.Entities: len(s.Entities) > 0, annotate.Dependencies: len(s.Dependencies) > 0,
			annotate.Coreference: len(d.Clusters) > 0, annotate.Discourse: len(d.Relations) > 0,
		}
		for _, other := range annotate.Layers() {
			if want := other == l || other == annotate.Tokens; got[other] != want {
				t.Errorf("asked for %s, %s is given: %v", l, other, got[other])
			}
		}
	}
	r.Layers = []annotate.Layer{"syntax"}
	if _, err := New().Annotate(t.Context(), r); err == nil || !strings.Contains(err.Error(), `unknown layer "syntax"`) {
		t.Errorf("an unknown layer gave %v", err)
	}
	r.Layers = annotate.Layers()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New().Annotate(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call gave %v", err)
	}
}

// FuzzAnnotate annotates two utterances and asks what is known of them.
func FuzzAnnotate(f *testing.F) {
	f.Add("like the hotel", "it 's there")
	f.Add("Hey Anna!", "’s n't \x00")
	f.Add("called the", "half past")
	f.Add("same as last time", "'d 'd")
	f.Add("Dr. my name is", "$ the other Alex")
	a := New()
	f.Fuzz(func(t *testing.T, x, y string) {
		r := annotate.Request{Layers: annotate.Layers(), Utterances: []annotate.Utterance{{Speaker: "A", Text: x}, {Speaker: y, Text: y}}}
		for range 2 {
			d := try.Get(a.Annotate(t.Context(), r))(t)
			try.Do(t, d.Check(r))
			r.Known = d.Recall(r.Utterances, r.Known)
		}
	})
}

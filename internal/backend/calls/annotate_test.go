package calls

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/annotate"
	"recallbench/internal/door/fault"
	"recallbench/internal/testkit/try"
)

// words is an annotator that makes a root of each utterance's first letter.
type words struct{ asked *[]string }

func (w words) Annotate(_ context.Context, r annotate.Request) (annotate.Document, error) {
	var doc annotate.Document
	for i, u := range r.Utterances {
		*w.asked = append(*w.asked, u.Text)
		doc.Sentences = append(doc.Sentences, annotate.Sentence{
			Utterance: i, Tokens: []annotate.Token{{Text: u.Text[:1], End: 1}}, Dependencies: []annotate.Dependency{{Head: -1, Label: "root"}},
		})
	}
	if len(r.Known) > 0 {
		doc.Clusters = []annotate.Cluster{{ID: r.Known[0].ID, Name: "x", Mentions: []annotate.Mention{{Span: annotate.Span{End: 1}, Kind: annotate.Named}}}}
	}
	return doc, nil
}

func request(texts ...string) annotate.Request {
	r := annotate.Request{Layers: []annotate.Layer{annotate.Dependencies}}
	for _, t := range texts {
		r.Utterances = append(r.Utterances, annotate.Utterance{Text: t})
	}
	return r
}

// A session is recorded as a whole, with all that its annotation depends on.
func TestAnnotatorOfSessions(t *testing.T) {
	s := openStore(t, t.TempDir())
	var asked []string
	live := NewRecorder(s, Reuse).Annotator(testModel, words{&asked})
	r := request("a", "b")
	r.Layers = []annotate.Layer{annotate.Coreference, annotate.Entities}
	r.Known = []annotate.Known{{ID: "E3", Name: "Ann"}}
	r.Names = []annotate.Name{{Text: "Ann", Type: "PERSON"}}
	first := try.Get(live.Annotate(t.Context(), r))(t)
	same := r
	same.Layers = []annotate.Layer{annotate.Entities, annotate.Coreference, annotate.Entities}
	same.Utterances = []annotate.Utterance{{ID: "other", Text: "a"}, {ID: "ids", Text: "b"}}
	again := try.Get(NewRecorder(s, Replay).Annotator(testModel, nil).Annotate(t.Context(), same))(t)
	if diff := cmp.Diff(first, again); diff != "" || len(asked) != 2 {
		t.Errorf("asked %q; replayed (-first +again):\n%s", asked, diff)
	}
	for name, change := range map[string]func(*annotate.Request){
		"layers": func(r *annotate.Request) { r.Layers = annotate.Layers() },
		"known":  func(r *annotate.Request) { r.Known = []annotate.Known{{ID: "E3", Name: "Bob"}} },
		"names":  func(r *annotate.Request) { r.Names = nil },
		"speakers": func(r *annotate.Request) {
			r.Utterances = []annotate.Utterance{{Text: "a", Speaker: "Ann"}, {Text: "b"}}
		},
		"texts": func(r *annotate.Request) { r.Utterances = r.Utterances[:1] },
	} {
		other := r
		change(&other)
		_, err := NewRecorder(s, Replay).Annotator(testModel, nil).Annotate(t.Context(), other)
		if fault.KindOf(err) != fault.Miss {
			t.Errorf("other %s: error %v, want a miss", name, err)
		}
	}
}

// astray returns the same document for whatever it is asked.
type astray annotate.Document

func (a astray) Annotate(context.Context, annotate.Request) (annotate.Document, error) {
	return annotate.Document(a), nil
}

// What a later replay could not use is not recorded.
func TestAnnotatorFaults(t *testing.T) {
	s := openStore(t, t.TempDir())
	bad := astray{Sentences: []annotate.Sentence{{Tokens: []annotate.Token{{Text: "abc", End: 3}}}}}
	_, err := NewRecorder(s, Record).Annotator(testModel, bad).Annotate(t.Context(), request("ab"))
	if fault.KindOf(err) != fault.BadReply {
		t.Errorf("a token outside its text: error %v", err)
	}
	if all, err := s.Recordings(); err != nil || len(all) != 0 {
		t.Errorf("%d recordings, %v", len(all), err)
	}
}

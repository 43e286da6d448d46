package annotate

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// model replies by layer, one reply after another, and notes what it was asked.
type model struct {
	replies map[string][]string
	asked   []llm.Request
}

func (m *model) Generate(_ context.Context, r llm.Request) (llm.Reply, error) {
	m.asked = append(m.asked, r)
	layer := strings.TrimPrefix(r.Format.Name, "annotate_")
	all := m.replies[layer]
	if len(all) == 0 {
		return llm.Reply{}, errors.New("no reply for " + layer)
	}
	m.replies[layer] = all[1:]
	return llm.Reply{Text: all[0]}, nil
}

var chatRequest = Request{
	Layers: ChatLayers(),
	Utterances: []Utterance{
		{Speaker: "Ann", Text: "Did Eve see Eve Ray? She lives in Leeds."},
		{Speaker: "Bob", Text: ""},
		{Speaker: "Bob", Text: "No, she didn't."},
	},
	Known: []Known{{ID: "E4", Name: "Eve Ray", Type: "PERSON", Aliases: []string{"Evie"}}, {ID: "E1", Name: "Ann", Speaker: true}},
}

// good are replies that fit.
func good() map[string][]string {
	return map[string][]string{
		"entities":     {`{"entities": [{"sentence": 2, "quote": "Leeds", "type": "GPE"}, {"sentence": 1, "quote": "Eve", "type": "PERSON"}, {"sentence": 1, "quote": "Eve Ray", "type": "PERSON"}]}`},
		"dependencies": {`{"words": [{"sentence": 2, "word": 2, "head": 0, "label": "root"}, {"sentence": 2, "word": 1, "head": 2, "label": "nsubj"}, {"sentence": 3, "word": 4, "head": 0, "label": "ROOT"}]}`},
		"coreference": {`{"entities": [
			{"known": "E4", "name": "Eve Ray", "type": "PERSON", "gender": "f", "plural": false, "mentions": [
				{"sentence": 3, "quote": "she", "kind": "pronominal"}, {"sentence": 1, "quote": "Eve Ray", "kind": "named"}, {"sentence": 2, "quote": "She", "kind": "pronominal"}]},
			{"known": "", "name": "Leeds", "type": "GPE", "gender": "", "plural": false, "mentions": [{"sentence": 2, "quote": "Leeds", "kind": "named"}]}]}`},
		"discourse": {`{"relations": [{"from": 1, "to": 3, "sense": "Comparison.Contrast", "cue": ""}, {"from": 0, "to": 1, "sense": "Expansion.Conjunction", "cue": ""}]}`},
	}
}

// brief writes a document in short.
func brief(d Document, u []Utterance) string {
	var b strings.Builder
	for i, s := range d.Sentences {
		fmt.Fprintf(&b, "%d of %d:", i, s.Utterance)
		for _, t := range s.Tokens {
			fmt.Fprintf(&b, " %s", t.Text)
		}
		for _, e := range s.Entities {
			fmt.Fprintf(&b, "; %s %s", e.Type, d.Text(u, Mention{Sentence: i, Span: e.Span}))
		}
		for _, e := range s.Dependencies {
			fmt.Fprintf(&b, "; %s(%d, %d)", e.Label, e.Head, e.Dependent)
		}
		if s.Unparsed {
			b.WriteString("; unparsed")
		}
		b.WriteByte('\n')
	}
	for _, c := range d.Clusters {
		fmt.Fprintf(&b, "%s %s %s %s:", c.ID, c.Name, c.Type, c.Gender)
		for _, m := range c.Mentions {
			fmt.Fprintf(&b, " %d %s %s;", m.Sentence, m.Kind, d.Text(u, m))
		}
		b.WriteByte('\n')
	}
	for _, r := range d.Relations {
		fmt.Fprintf(&b, "%d to %d: %s\n", r.From, r.To, r.Sense)
	}
	return b.String()
}

// cut is an annotator of tokens, whose entity is the first of each sentence.
type cut struct{}

func (cut) Annotate(_ context.Context, r Request) (Document, error) {
	var doc Document
	for i, u := range r.Utterances {
		for _, sentence := range regexp.MustCompile(`[^?.]+[?.]`).FindAllStringIndex(u.Text, -1) {
			s := Sentence{Utterance: i}
			for _, w := range regexp.MustCompile(`[\w']+|[^\w\s]`).FindAllStringIndex(u.Text[sentence[0]:sentence[1]], -1) {
				start, end := sentence[0]+w[0], sentence[0]+w[1]
				s.Tokens = append(s.Tokens, Token{Text: u.Text[start:end], Start: start, End: end})
			}
			if slices.Contains(r.Layers, Entities) {
				s.Entities = []Entity{{Span{0, 1}, "FIRST"}}
			}
			doc.Sentences = append(doc.Sentences, s)
		}
	}
	return doc, nil
}

func TestChat(t *testing.T) {
	m := &model{replies: good()}
	doc := try.Get(FromChat(m, cut{}, ChatLayers()).Annotate(t.Context(), chatRequest))(t)
	if err := doc.Check(chatRequest); err != nil {
		t.Error(err)
	}
	var b strings.Builder
	b.WriteString(brief(doc, chatRequest.Utterances))
	for _, r := range m.asked {
		if r.Role != RoleAnnotate || *r.Params.Temperature != 0 || r.Prefix != len(r.Messages[0].Content) {
			t.Errorf("request %+v", r)
		}
		for _, msg := range r.Messages {
			fmt.Fprintf(&b, "\n--- %s\n%s\n", msg.Role, strings.TrimSpace(msg.Content))
		}
	}
	golden.Check(t, "chat.txt", b.String())
}

// A layer that was not asked for costs no call, and neither does silence.
func TestChatLayers(t *testing.T) {
	m := &model{replies: good()}
	r := chatRequest
	r.Layers = []Layer{Discourse, Tokens}
	if _, err := FromChat(m, cut{}, ChatLayers()).Annotate(t.Context(), r); err != nil || len(m.asked) != 1 {
		t.Errorf("one layer: %d calls, error %v", len(m.asked), err)
	}
	if doc, err := FromChat(nil, cut{}, ChatLayers()).Annotate(t.Context(), Request{Layers: ChatLayers(), Utterances: []Utterance{{}, {Text: " "}}}); err != nil || len(doc.Sentences) > 0 {
		t.Errorf("nothing said: %+v, %v", doc, err)
	}
	// What the model is not asked for comes from the annotator of the tokens.
	r.Layers = []Layer{Entities, Discourse}
	m = &model{replies: good()}
	if doc, err := FromChat(m, cut{}, []Layer{Discourse}).Annotate(t.Context(), r); err != nil || len(m.asked) != 1 || len(doc.Relations) != 2 || doc.Sentences[0].Entities[0].Type != "FIRST" {
		t.Errorf("one layer of two: %d calls, %+v, error %v", len(m.asked), doc, err)
	}
}

func TestChatRepairs(t *testing.T) {
	for _, tt := range []struct {
		layer Layer
		bad   string
		want  string // what the model is told
	}{
		{Entities, "sorry", "no JSON object"},
		{Entities, `{"entities": [{"sentence": 1, "quote": "eve", "type": "PERSON"}]}`, `sentence 1 has no words \"eve\"`},
		{Entities, `{"entities": [{"sentence": 9, "quote": "Eve", "type": "PERSON"}]}`, "no sentence 9"},
		{Entities, `{"entities": [{"sentence": 1, "quote": "Did Eve", "type": "PERSON"}, {"sentence": 1, "quote": "Eve see", "type": "PERSON"}]}`, "overlap"},
		{Entities, `{"entities": [{"sentence": 2, "quote": "Leeds", "type": "GPE"}, {"sentence": 2, "quote": "Leeds", "type": "GPE"}]}`, "only 1 times"},
		{Entities, `{"entities": [{"sentence": 2, "quote": " ", "type": "GPE"}]}`, "is empty"},
		{Entities, `{"entities": [{"sentence": 2, "quote": "Leeds", "type": "TOWN"}]}`, "must be one of"},
		{Coreference, `{"entities": [{"known": "E9", "name": "x", "type": "", "gender": "", "plural": false, "mentions": [{"sentence": 2, "quote": "She", "kind": "pronominal"}]}]}`, "none of the known"},
		{Coreference, `{"entities": [{"known": "", "name": "x", "type": "", "gender": "", "plural": false, "mentions": [{"sentence": 3, "quote": "Rachel", "kind": "named"}]}]}`, "no words"},
		{Discourse, `{"relations": [{"from": 3, "to": 1, "sense": "Temporal.Asynchronous", "cue": ""}]}`, "from sentence 3 to 1"},
		{Dependencies, `{"words": [{"sentence": 2, "word": 2, "head": 2, "label": "root"}]}`, "has the head 2"},
		{Dependencies, `{"words": [{"sentence": 4, "word": 2, "head": 1, "label": "obj"}]}`, "no sentence 4"},
		{Dependencies, `{"words": [{"sentence": 2, "word": 2, "head": 0, "label": "root"}, {"sentence": 2, "word": 2, "head": 1, "label": "obj"}]}`, "two heads"},
	} {
		r := chatRequest
		r.Layers = []Layer{tt.layer}
		m := &model{replies: map[string][]string{string(tt.layer): {tt.bad, good()[string(tt.layer)][0]}}}
		doc, err := FromChat(m, cut{}, ChatLayers()).Annotate(t.Context(), r)
		if err != nil || len(m.asked) != 2 {
			t.Errorf("%s: %d calls, error %v", tt.bad, len(m.asked), err)
			continue
		}
		told := m.asked[1].Messages[len(m.asked[1].Messages)-1].Content
		if !strings.Contains(told, strings.ReplaceAll(tt.want, `\"`, `"`)) {
			t.Errorf("%s: the model is told\n%s\nwant %s", tt.bad, told, tt.want)
		}
		want := try.Get(FromChat(&model{replies: good()}, cut{}, ChatLayers()).Annotate(t.Context(), r))(t)
		if diff := cmp.Diff(want, doc); diff != "" {
			t.Errorf("%s: repaired (-want +got):\n%s", tt.bad, diff)
		}
		// Wrong twice: sentences are unparsed, other layers fail.
		m = &model{replies: map[string][]string{string(tt.layer): {tt.bad, tt.bad}}}
		doc, err = FromChat(m, cut{}, ChatLayers()).Annotate(t.Context(), r)
		switch {
		case tt.layer != Dependencies:
			if fault.KindOf(err) != fault.BadReply {
				t.Errorf("%s twice: error %v, want a bad reply", tt.bad, err)
			}
		case err != nil:
			t.Errorf("%s twice: error %v", tt.bad, err)
		default:
			for i, s := range doc.Sentences {
				if !s.Unparsed || len(s.Dependencies) > 0 {
					t.Errorf("%s twice: sentence %d is %+v", tt.bad, i, s)
				}
			}
		}
	}
}

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

// model gives one reply after another, and notes what it was asked.
type model struct {
	replies []string
	asked   []llm.Request
}

func (m *model) Generate(_ context.Context, r llm.Request) (llm.Reply, error) {
	m.asked = append(m.asked, r)
	if len(m.replies) == 0 {
		return llm.Reply{}, errors.New("no reply")
	}
	reply := m.replies[0]
	m.replies = m.replies[1:]
	return llm.Reply{Text: reply}, nil
}

var chatRequest = Request{
	Layers: Layers(),
	Utterances: []Utterance{
		{Speaker: "Ann", Text: "Did Eve see Eve Ray? She lives in Leeds."},
		{Speaker: "Bob", Text: ""},
		{Speaker: "Bob", Text: "No, she didn't."},
	},
	Known: []Known{{ID: "E4", Name: "Eve Ray", Type: "PERSON", Aliases: []string{"Evie"}}, {ID: "E1", Name: "Ann", Speaker: true}},
}

// good is a reply that fits.
const good = `{"relations": [{"from": 1, "to": 3, "sense": "Comparison.Contrast", "cue": ""}, {"from": 0, "to": 1, "sense": "Expansion.Conjunction", "cue": ""}]}`

// brief writes a document in short.
func brief(d Document) string {
	var b strings.Builder
	for i, s := range d.Sentences {
		fmt.Fprintf(&b, "%d of %d:", i, s.Utterance)
		for _, t := range s.Tokens {
			fmt.Fprintf(&b, " %s", t.Text)
		}
		for _, e := range s.Entities {
			fmt.Fprintf(&b, "; %s %s", e.Type, s.Tokens[e.Start].Text)
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
	m := &model{replies: []string{good}}
	doc := try.Get(FromChat(m, cut{}).Annotate(t.Context(), chatRequest))(t)
	if err := doc.Check(chatRequest); err != nil {
		t.Error(err)
	}
	var b strings.Builder
	b.WriteString(brief(doc))
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

// A layer that was not asked for costs no call, and neither does silence; what the
// model is not asked for comes from the annotator of the tokens.
func TestChatLayers(t *testing.T) {
	r := chatRequest
	r.Layers = []Layer{Entities, Tokens}
	if doc, err := FromChat(nil, cut{}).Annotate(t.Context(), r); err != nil || doc.Sentences[0].Entities[0].Type != "FIRST" {
		t.Errorf("no discourse: %+v, error %v", doc, err)
	}
	if doc, err := FromChat(nil, cut{}).Annotate(t.Context(), Request{Layers: Layers(), Utterances: []Utterance{{}, {Text: " "}}}); err != nil || len(doc.Sentences) > 0 {
		t.Errorf("nothing said: %+v, %v", doc, err)
	}
	r.Layers = []Layer{Entities, Discourse}
	m := &model{replies: []string{good}}
	if doc, err := FromChat(m, cut{}).Annotate(t.Context(), r); err != nil || len(m.asked) != 1 || len(doc.Relations) != 2 || doc.Sentences[0].Entities[0].Type != "FIRST" {
		t.Errorf("one layer of two: %d calls, %+v, error %v", len(m.asked), doc, err)
	}
}

func TestChatRepairs(t *testing.T) {
	want := try.Get(FromChat(&model{replies: []string{good}}, cut{}).Annotate(t.Context(), chatRequest))(t)
	for _, tt := range []struct {
		bad  string
		told string // to the model
	}{
		{"sorry", "no JSON object"},
		{`{"relations": [{"from": 3, "to": 1, "sense": "Temporal.Asynchronous", "cue": ""}]}`, "from sentence 3 to 1"},
	} {
		m := &model{replies: []string{tt.bad, good}}
		doc, err := FromChat(m, cut{}).Annotate(t.Context(), chatRequest)
		if err != nil || len(m.asked) != 2 {
			t.Errorf("%s: %d calls, error %v", tt.bad, len(m.asked), err)
			continue
		}
		if told := m.asked[1].Messages[len(m.asked[1].Messages)-1].Content; !strings.Contains(told, tt.told) {
			t.Errorf("%s: the model is told\n%s\nwant %s", tt.bad, told, tt.told)
		}
		if diff := cmp.Diff(want, doc); diff != "" {
			t.Errorf("%s: repaired (-want +got):\n%s", tt.bad, diff)
		}
		m = &model{replies: []string{tt.bad, tt.bad}}
		if _, err = FromChat(m, cut{}).Annotate(t.Context(), chatRequest); fault.KindOf(err) != fault.BadReply {
			t.Errorf("%s twice: error %v, want a bad reply", tt.bad, err)
		}
	}
}

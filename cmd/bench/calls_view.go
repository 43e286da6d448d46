package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/text/termsafe"
)

// A callView is a full recording as JSON.
type callView struct {
	ID       string          `json:"id"`
	Key      string          `json:"key"`
	Time     time.Time       `json:"time"`
	Kind     calls.Kind      `json:"kind"`
	Identity calls.Identity  `json:"identity"`
	Role     string          `json:"role,omitzero"`
	Settings []calls.Setting `json:"settings,omitempty"`
	Texts    []calls.Text    `json:"texts"`
	Reply    replyView       `json:"reply"`
}

// A replyView is a recorded reply of any kind.
type replyView struct {
	Text        *string         `json:"text,omitempty"`
	Finish      string          `json:"finish,omitzero"`
	Model       string          `json:"model,omitzero"`
	Fingerprint string          `json:"fingerprint,omitzero"`
	Usage       *llm.Usage      `json:"usage,omitempty"`
	Logprobs    []llm.Logprob   `json:"logprobs,omitempty"`
	Attempts    int             `json:"attempts,omitzero"`
	Vector      []float32       `json:"vector,omitempty"`
	Tokens      int             `json:"tokens,omitzero"`
	Score       *float64        `json:"score,omitempty"`
	Annotation  json.RawMessage `json:"annotation,omitempty"`
	Latency     float64         `json:"latency_ms,omitzero"`
}

func viewOf(r *calls.Recording) (v callView, err error) {
	c, err := r.Call()
	if err != nil {
		return v, damaged(err)
	}
	reply, err := r.Reply()
	if err != nil {
		return v, damaged(err)
	}
	v = callView{r.Key.ID(), r.Key.String(), r.Time, r.Kind, c.Identity, c.Role, c.Settings(), c.Texts, replyView{
		Vector: reply.Vector, Tokens: reply.Tokens, Annotation: reply.Annotation, Latency: float64(reply.Latency) / float64(time.Millisecond),
	}}
	switch chat := reply.Chat; v.Kind {
	case calls.Entail:
		v.Reply.Score = &reply.Score
	case calls.Chat:
		v.Reply.Text, v.Reply.Finish, v.Reply.Model, v.Reply.Fingerprint = new(chat.Written()), chat.Finish, chat.Model, chat.Fingerprint
		v.Reply.Usage, v.Reply.Logprobs, v.Reply.Attempts = &chat.Usage, chat.Logprobs, max(chat.Attempts, 1)
	}
	return v, nil
}

// row is the line of the list.
func (v callView) row() string {
	usage := llm.Usage{Input: v.Reply.Tokens}
	if v.Reply.Usage != nil {
		usage = *v.Reply.Usage
	}
	text := v.Texts[len(v.Texts)-1].Content
	switch {
	case v.Reply.Text != nil:
		text = *v.Reply.Text
	case v.Reply.Score != nil:
		text = fmt.Sprintf("%.4f %s => %s", *v.Reply.Score, termsafe.Excerpt(v.Texts[0].Content, 30), text)
	}
	return strings.Join([]string{
		v.ID, stamp(v.Time), string(v.Kind), termsafe.Text(cmp.Or(v.Role, v.Texts[0].Role)), termsafe.Text(v.Identity.Model),
		strconv.Itoa(usage.Input), strconv.Itoa(usage.Output), termsafe.Excerpt(text, 60),
	}, "\t")
}

// text prints the recording for a terminal.
func (v callView) text() string {
	var b strings.Builder
	for _, f := range append([]calls.Setting{
		{Name: "key", Value: v.Key}, {Name: "time", Value: stamp(v.Time)}, {Name: "kind", Value: string(v.Kind)},
		{Name: "class", Value: v.Identity.Class}, {Name: "provider", Value: v.Identity.Provider}, {Name: "model", Value: v.Identity.Model},
		{Name: "fixed", Value: string(v.Identity.Fixed)}, {Name: "role", Value: v.Role},
	}, v.Settings...) {
		if f.Value != "" {
			fmt.Fprintf(&b, "%-12s %s\n", f.Name, termsafe.Text(f.Value))
		}
	}
	texts, reply := v.Texts, v.Reply
	if reply.Text != nil {
		texts = append(texts[:len(texts):len(texts)], calls.Text{Role: "reply", Content: *reply.Text})
		reply.Text = nil
	}
	reply.Vector = reply.Vector[:min(8, len(reply.Vector))]
	var rest strings.Builder
	_ = jsonout.Lines(&rest, reply) // it has a form in JSON
	for _, t := range append(texts[:len(texts):len(texts)], calls.Text{Role: "rest of the reply", Content: strings.TrimSuffix(rest.String(), "\n")}) {
		lines := lists.Map(strings.Split(t.Content, "\n"), termsafe.Text)
		fmt.Fprintf(&b, "\n--- %s\n%s\n", termsafe.Text(cmp.Or(t.Role, "text")), strings.Join(lines, "\n"))
	}
	return b.String()
}

// stamp writes a time to the second.
func stamp(t time.Time) string { return t.UTC().Format(time.DateTime) }

// sizeOf writes a number of bytes.
func sizeOf(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

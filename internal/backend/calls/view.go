package calls

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/text/termsafe"
)

// A View is a full recording as JSON.
type View struct {
	ID       string    `json:"id"`
	Key      string    `json:"key"`
	Time     time.Time `json:"time"`
	Kind     Kind      `json:"kind"`
	Identity Identity  `json:"identity"`
	Role     string    `json:"role,omitzero"`
	Settings []Setting `json:"settings,omitempty"`
	Texts    []Text    `json:"texts"`
	Reply    ReplyView `json:"reply"`

	asked []Setting // of whom, for what, and the settings
}

// A ReplyView is a recorded reply of any kind.
type ReplyView struct {
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

// View reads the request and the reply.
func (r *Recording) View() (v View, err error) {
	c, err := r.Call()
	if err != nil {
		return v, err
	}
	reply, err := r.Reply()
	if err != nil {
		return v, err
	}
	v = View{r.Key.ID(), r.Key.String(), r.Time, r.Kind, c.Identity, c.Role, c.Settings(), c.Texts, ReplyView{
		Vector: reply.Vector, Tokens: reply.Tokens, Annotation: reply.Annotation, Latency: float64(reply.Latency) / float64(time.Millisecond),
	}, c.settings()}
	switch chat := reply.Chat; v.Kind {
	case Embed, Annotate: // above
	case Entail:
		v.Reply.Score = &reply.Score
	case Chat:
		v.Reply.Text, v.Reply.Finish, v.Reply.Model, v.Reply.Fingerprint = new(chat.Written()), chat.Finish, chat.Model, chat.Fingerprint
		v.Reply.Usage, v.Reply.Logprobs, v.Reply.Attempts = &chat.Usage, chat.Logprobs, max(chat.Attempts, 1)
	}
	return v, nil
}

// Row is the line of the recording in a list, with tabs between columns: id, time, kind,
// role, model, input and output tokens, and the beginning of the text that tells most.
func (v View) Row() string {
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

// Text prints the recording for a terminal. It cuts vectors.
func (v View) Text() string {
	var b strings.Builder
	for _, f := range append([]Setting{{"key", v.Key}, {"time", stamp(v.Time)}, {"kind", string(v.Kind)}}, v.asked...) {
		fmt.Fprintf(&b, "%-12s %s\n", f.Name, termsafe.Text(f.Value))
	}
	texts, reply := v.Texts, v.Reply
	if reply.Text != nil {
		texts = append(slices.Clip(texts), Text{Role: "reply", Content: *reply.Text})
		reply.Text = nil
	}
	reply.Vector = reply.Vector[:min(8, len(reply.Vector))]
	var rest strings.Builder
	_ = jsonout.Lines(&rest, reply) // it has a form in JSON
	for _, t := range append(slices.Clip(texts), Text{Role: "rest of the reply", Content: strings.TrimSuffix(rest.String(), "\n")}) {
		lines := lists.Map(strings.Split(t.Content, "\n"), termsafe.Text)
		fmt.Fprintf(&b, "\n--- %s\n%s\n", termsafe.Text(cmp.Or(t.Role, "text")), strings.Join(lines, "\n"))
	}
	return b.String()
}

// stamp writes a time to the second.
func stamp(t time.Time) string { return t.UTC().Format(time.DateTime) }

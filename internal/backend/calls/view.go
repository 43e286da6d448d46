package calls

import (
	"encoding/json"
	"time"

	"recallbench/internal/door/llm"
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
	}}
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

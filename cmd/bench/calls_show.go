package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/text/termsafe"
)

func newCallsShowCommand(a *app) *cobra.Command {
	var (
		store string
		lines bool
	)
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show a recorded request and its reply in full",
		Long: `Show prints the request and the reply of the recording whose id begins with ID,
as list and the records of runs have it. Control characters are printed as blanks, and
of a vector the first eight numbers; --json has all.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := a.openCalls(store)
			if err != nil {
				return err
			}
			defer s.Close()
			r, err := oneCall(s, args[0])
			if err != nil {
				return err
			}
			v, err := showCall(r)
			if err != nil {
				return damaged(err)
			}
			if lines {
				return jsonout.Lines(a.stdout, v)
			}
			_, err = a.stdout.Write([]byte(v.text()))
			return err
		},
	}
	storeFlag(cmd, &store)
	cmd.Flags().BoolVar(&lines, "json", false, "write one JSON line to stdout")
	return cmd
}

// oneCall finds the one recording whose id begins with a prefix.
func oneCall(s *calls.Store, prefix string) (*calls.Recording, error) {
	if strings.Trim(strings.ToLower(prefix), "0123456789abcdef") != "" {
		return nil, usageError(fmt.Errorf("%q is not the id of a recording: want hexadecimal digits, as 'bench calls list' lists them", prefix))
	}
	found, err := s.Find(prefix)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, usageError(fmt.Errorf("no recording in %s has an id that begins with %s; 'bench calls list' lists them", s.Dir(), prefix))
	case len(found) > 1:
		return nil, usageError(fmt.Errorf("%d recordings have an id that begins with %q, such as %s and %s; want more of its digits", len(found), prefix, found[0].Key.ID(), found[1].Key.ID()))
	}
	return found[0], nil
}

// A callView is a recording in full: the JSON line of show.
type callView struct {
	Key      string          `json:"key"`
	Time     time.Time       `json:"time"`
	Kind     calls.Kind      `json:"kind"`
	Identity calls.Identity  `json:"identity"`
	Role     string          `json:"role,omitzero"`
	Settings []calls.Setting `json:"settings,omitempty"`
	Texts    []calls.Text    `json:"texts"`
	Reply    replyView       `json:"reply"`
}

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

func showCall(r *calls.Recording) (v callView, err error) {
	c, err := r.Call()
	if err != nil {
		return v, err
	}
	reply, err := r.Reply()
	if err != nil {
		return v, err
	}
	v = callView{Key: r.Key.String(), Time: r.Time, Kind: r.Kind, Identity: c.Identity, Role: c.Role, Settings: c.Settings(), Texts: c.Texts}
	switch v.Kind {
	case calls.Embed:
		v.Reply = replyView{Vector: reply.Vector, Tokens: reply.Tokens}
	case calls.Entail:
		v.Reply.Score = &reply.Score
	case calls.Annotate:
		v.Reply.Annotation = reply.Annotation
	default:
		chat := reply.Chat
		v.Reply = replyView{
			Text: new(chat.Written()), Finish: chat.Finish, Model: chat.Model, Fingerprint: chat.Fingerprint,
			Usage: &chat.Usage, Logprobs: chat.Logprobs, Attempts: max(chat.Attempts, 1),
		}
	}
	v.Reply.Latency = float64(reply.Latency) / float64(time.Millisecond)
	return v, nil
}

// text prints the recording for a terminal.
func (v callView) text() string {
	var b strings.Builder
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-12s %s\n", name, termsafe.Text(value))
		}
	}
	field("key", v.Key)
	field("time", stamp(v.Time))
	field("kind", string(v.Kind))
	field("class", v.Identity.Class)
	field("provider", v.Identity.Provider)
	field("model", v.Identity.Model)
	field("fixed", string(v.Identity.Fixed))
	field("role", v.Role)
	for _, s := range v.Settings {
		field(s.Name, s.Value)
	}
	for _, t := range v.Texts {
		block(&b, cmp.Or(t.Role, "text"), t.Content)
	}
	reply := v.Reply
	if reply.Text != nil {
		block(&b, "reply", *reply.Text)
		reply.Text = nil
	}
	reply.Vector = reply.Vector[:min(8, len(reply.Vector))]
	var rest strings.Builder
	_ = jsonout.Lines(&rest, reply) // it has a form in JSON
	block(&b, "rest of the reply", strings.TrimSuffix(rest.String(), "\n"))
	return b.String()
}

// block prints a text of several lines under its role, safe for a terminal.
func block(b *strings.Builder, role, text string) {
	lines := lists.Map(strings.Split(text, "\n"), termsafe.Text)
	fmt.Fprintf(b, "\n--- %s\n%s\n", termsafe.Text(role), strings.Join(lines, "\n"))
}

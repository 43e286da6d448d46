package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
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

// maxCandidates bounds how many recordings an ambiguous id lists.
const maxCandidates = 10

// oneCall finds the one recording whose id begins with a prefix.
func oneCall(s *calls.Store, prefix string) (*calls.Recording, error) {
	if strings.Trim(strings.ToLower(prefix), "0123456789abcdef") != "" {
		return nil, usageError(fmt.Errorf("%q is not the id of a recording: want hexadecimal digits, as 'bench calls list' lists them", prefix))
	}
	found, err := s.Find(prefix)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return nil, usageError(fmt.Errorf("no recording in %s has an id that begins with %s; 'bench calls list' lists them", s.Dir(), prefix))
	}
	faults := []error{fmt.Errorf("%d recordings have an id that begins with %q; more of its digits tell which of these", len(found), prefix)}
	for i, r := range found {
		if i == maxCandidates {
			faults = append(faults, fmt.Errorf("  and %d more", len(found)-i))
			break
		}
		faults = append(faults, fmt.Errorf("  %s  %s  %s", r.Key.ID(), stamp(r.Time), r.Kind))
	}
	return nil, usageError(errors.Join(faults...))
}

// A callView is a recording in full: the JSON line of show.
type callView struct {
	Key      string         `json:"key"`
	Time     time.Time      `json:"time"`
	Kind     calls.Kind     `json:"kind"`
	Identity calls.Identity `json:"identity"`
	Role     string         `json:"role,omitzero"`
	Settings []callSetting  `json:"settings,omitempty"`
	Texts    []callText     `json:"texts"`
	Reply    replyView      `json:"reply"`
}

type callSetting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type callText struct {
	Role    string `json:"role"`
	Content string `json:"content"`
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
	v = callView{Key: r.Key.String(), Time: r.Time, Kind: r.Kind, Identity: c.Identity, Role: c.Role}
	for _, s := range c.Settings() {
		v.Settings = append(v.Settings, callSetting(s))
	}
	for _, t := range c.Texts {
		v.Texts = append(v.Texts, callText(t))
	}
	v.Reply.Latency = float64(reply.Latency) / float64(time.Millisecond)
	switch v.Kind {
	case calls.Embed:
		v.Reply.Vector, v.Reply.Tokens = reply.Vector, reply.Tokens
	case calls.Entail:
		v.Reply.Score = &reply.Score
	case calls.Annotate:
		v.Reply.Annotation = reply.Annotation
	default:
		chat := reply.Chat
		chat.Text = chat.Written() // of a tool's call the JSON
		v.Reply.Text, v.Reply.Finish, v.Reply.Model, v.Reply.Fingerprint = &chat.Text, chat.Finish, chat.Model, chat.Fingerprint
		v.Reply.Usage, v.Reply.Logprobs, v.Reply.Attempts = &chat.Usage, finite(chat.Logprobs), max(chat.Attempts, 1)
	}
	return v, nil
}

// finite returns log-probabilities as JSON can hold them: what is impossible
// becomes -9999, as OpenAI's server writes it.
func finite(all []llm.Logprob) []llm.Logprob {
	var out []llm.Logprob
	for _, p := range all {
		if math.IsInf(p.Logprob, 0) || math.IsNaN(p.Logprob) {
			p.Logprob = -9999
		}
		p.Top = finite(p.Top)
		out = append(out, p)
	}
	return out
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

// block prints a text of several lines under its role.
func block(b *strings.Builder, role, text string) {
	fmt.Fprintf(b, "\n--- %s\n%s\n", termsafe.Text(role), printable(text))
}

// printable makes a text safe for a terminal and keeps its lines.
func printable(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		rest, ended := strings.CutSuffix(line, "\n")
		b.WriteString(termsafe.Text(rest))
		if ended {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// Package transcript shows what models were asked and replied for a request: the
// calls that its record names, read from the recordings. Each text is there once,
// and evidence that stands in a prompt is a reference to the block.
package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/price"
	"recallbench/internal/door/llm"
	"recallbench/internal/result/record"
)

// A Phase says what calls were made for.
type Phase string

// The phases.
const (
	Query    Phase = "query"    // the request itself
	Memory   Phase = "memory"   // building the memory, which requests share
	Judgment Phase = "judgment" // judging the answer
)

// A Transcript is what the calls of a request said.
type Transcript struct {
	// Calls stand in the order of their start, where the record tells it, else of
	// their recording: those of the request first, then of its memory, then of
	// its judgements.
	Calls []Call `json:"calls"`
	// Texts are what parts refer to by index; no two are equal.
	Texts []string `json:"texts"`
	// Missing are the calls that cannot be shown.
	Missing []Missing `json:"missing"`
}

// A Call is a call of a language model.
type Call struct {
	ID     string `json:"id"` // of the recording
	Phase  Phase  `json:"phase"`
	Role   string `json:"role"`
	Stage  string `json:"stage,omitempty"`
	Model  string `json:"model"`            // as asked for
	Served string `json:"served,omitempty"` // that replied
	Finish string `json:"finish,omitempty"`
	// Reused reports whether a recording answered; nil where the record does not
	// tell.
	Reused *bool `json:"reused"`
	// At is when the call began, in milliseconds since the request did, and Took
	// how long it lasted then; nil where the record does not tell.
	At   *float64 `json:"at_ms,omitempty"`
	Took *float64 `json:"took_ms,omitempty"`
	// Latency is what the recorded call took, in milliseconds.
	Latency  float64 `json:"ms"`
	Attempts int     `json:"attempts"`
	Usage    Usage   `json:"usage"`
	// USD is the price of the call at the price table; nil where it is unknown.
	USD      *float64          `json:"usd"`
	Messages []Message         `json:"messages"`
	Reply    Message           `json:"reply"`
	Params   map[string]string `json:"params,omitempty"`
}

// Usage is the tokens of a call; all are 0 where the server reported none.
type Usage struct {
	Input     int `json:"input"`
	Cached    int `json:"cached,omitzero"` // of Input
	Output    int `json:"output"`
	Reasoning int `json:"reasoning,omitzero"` // of Output
}

// A Message is a text of a call.
type Message struct {
	Role  string `json:"role,omitempty"`
	Parts []Part `json:"parts"`
}

// A Missing is a call without a recording that can be read.
type Missing struct {
	ID    string `json:"id"`
	Phase Phase  `json:"phase"`
	Stage string `json:"stage,omitempty"`
	Why   string `json:"why"`
}

// maxText bounds the texts of a transcript, in bytes: calls beyond it are missing.
const maxText = 32 << 20

// A Source is where calls are looked up.
type Source struct {
	Store  *calls.Store // nil for none
	Prices *price.Table // nil for none
}

// A Subject is what a transcript is of.
type Subject struct {
	Record record.Record
	// Blocks are the texts of the record's evidence, in its order.
	Blocks []string
	// Memory and Judgments are the calls of the memory and of the judgements.
	Memory, Judgments []string
}

// Read returns the transcript of a request. What cannot be read is missing; only a
// store that fails as a whole is an error.
func (s Source) Read(of Subject) (*Transcript, error) {
	b := &builder{Source: s, blocks: longBlocks(of.Blocks), texts: make(map[string]int)}
	b.out = Transcript{Calls: []Call{}, Texts: []string{}, Missing: []Missing{}}
	for i, id := range of.Record.Calls {
		var t *record.CallTime
		if len(of.Record.Time.Calls) == len(of.Record.Calls) {
			t = &of.Record.Time.Calls[i]
		}
		if err := b.add(id, Query, t); err != nil {
			return nil, err
		}
	}
	for _, id := range of.Memory {
		if err := b.add(id, Memory, nil); err != nil {
			return nil, err
		}
	}
	for _, id := range of.Judgments {
		if err := b.add(id, Judgment, nil); err != nil {
			return nil, err
		}
	}
	return b.sorted(), nil
}

// Text returns the whole text of a message.
func (t *Transcript) Text(m Message, blocks []string) string {
	var b strings.Builder
	for _, p := range m.Parts {
		if p.Block != nil {
			b.WriteString(blocks[*p.Block])
		} else {
			b.WriteString(t.Texts[p.Text])
		}
	}
	return b.String()
}

type builder struct {
	Source
	out    Transcript
	times  []int64 // when the calls were recorded
	blocks []block
	texts  map[string]int
	size   int
}

// add puts a call into the transcript.
func (b *builder) add(id string, phase Phase, t *record.CallTime) error {
	missing := func(why string) {
		m := Missing{ID: id, Phase: phase, Why: why}
		if t != nil {
			m.Stage = t.Stage
		}
		b.out.Missing = append(b.out.Missing, m)
	}
	if b.Store == nil {
		missing("there are no recordings (--store names their folder), or calls.mode was off")
		return nil
	}
	found, err := b.Store.Find(id)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		missing("not in " + b.Store.Dir() + "; recorded elsewhere (--store), pruned, or calls.mode was off")
		return nil
	}
	r := found[0]
	asked, err := r.Call()
	if err != nil {
		missing(err.Error())
		return nil
	}
	reply, err := r.Reply()
	if err != nil {
		missing(err.Error())
		return nil
	}
	for _, text := range asked.Texts {
		b.size += len(text.Content)
	}
	if b.size > maxText {
		missing(fmt.Sprintf("the transcript would be longer than %d MiB; 'bench calls show %s' shows it", maxText>>20, id))
		return nil
	}
	chat := reply.Chat
	c := Call{
		ID: id, Phase: phase, Role: asked.Role, Model: asked.Identity.Model, Served: chat.Model, Finish: chat.Finish,
		Latency: float64(reply.Latency.Microseconds()) / 1000, Attempts: max(1, chat.Attempts),
		Usage: Usage{chat.Usage.Input, chat.Usage.Cached, chat.Usage.Output, chat.Usage.Reasoning},
		USD:   b.price(asked.Identity, chat), Messages: []Message{},
		Reply: Message{Parts: b.parts(chat.Written())},
	}
	if t != nil {
		c.Stage, c.Reused, c.At, c.Took = t.Stage, &t.Reused, &t.At, &t.Took
	}
	for _, text := range asked.Texts {
		c.Messages = append(c.Messages, Message{Role: text.Role, Parts: b.parts(text.Content)})
	}
	for _, set := range asked.Settings() {
		if c.Params == nil {
			c.Params = make(map[string]string)
		}
		c.Params[set.Name] = set.Value
	}
	b.out.Calls, b.times = append(b.out.Calls, c), append(b.times, r.Time.UnixNano())
	return nil
}

// price returns what a call costs. Usage that the server did not report has no
// price.
func (b *builder) price(id calls.Identity, reply llm.Reply) *float64 {
	if id.Class == "stand-in" {
		return new(0.0)
	}
	if b.Prices == nil || reply.Usage.Calls == 0 {
		return nil
	}
	rates, ok := b.Prices.Find(id.Model)
	if !ok {
		return nil
	}
	return new(rates.Cost(reply.Usage))
}

// sorted brings the calls into their order.
func (b *builder) sorted() *Transcript {
	order := make([]int, len(b.out.Calls))
	for i := range order {
		order[i] = i
	}
	phases := []Phase{Query, Memory, Judgment}
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := b.out.Calls[i], b.out.Calls[j]
		if c := cmp.Compare(slices.Index(phases, x.Phase), slices.Index(phases, y.Phase)); c != 0 {
			return c
		}
		if x.At != nil && y.At != nil {
			return cmp.Compare(*x.At, *y.At)
		}
		return cmp.Compare(b.times[i], b.times[j])
	})
	sorted := make([]Call, len(order))
	for n, i := range order {
		sorted[n] = b.out.Calls[i]
	}
	b.out.Calls = sorted
	return &b.out
}

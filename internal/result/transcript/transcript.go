// Package transcript shows what models were asked and replied for a request: the
// calls that its record names, read from the recordings. Each text is there once,
// and evidence that stands in a prompt is a reference to the block.
package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

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
	Latency  float64   `json:"ms"`
	Attempts int       `json:"attempts"`
	Usage    llm.Usage `json:"usage"` // all 0 where the server reported none
	// USD is the price of the call at the price table; nil where it is unknown.
	USD      *float64          `json:"usd"`
	Messages []Message         `json:"messages"`
	Reply    Message           `json:"reply"`
	Params   map[string]string `json:"params,omitempty"`

	recorded time.Time // when the call was recorded
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
	b := &builder{Source: s, blocks: of.Blocks, long: longBlocks(of.Blocks), texts: make(map[string]int)}
	b.out = Transcript{Calls: []Call{}, Texts: []string{}, Missing: []Missing{}}
	times := of.Record.Time.Calls
	for _, phase := range []Phase{Query, Memory, Judgment} {
		first := len(b.out.Calls)
		for i, id := range map[Phase][]string{Query: of.Record.Calls, Memory: of.Memory, Judgment: of.Judgments}[phase] {
			var t *record.CallTime
			if phase == Query && len(times) == len(of.Record.Calls) {
				t = &times[i]
			}
			if err := b.add(id, phase, t); err != nil {
				return nil, err
			}
		}
		slices.SortStableFunc(b.out.Calls[first:], func(x, y Call) int {
			if x.At != nil && y.At != nil {
				return cmp.Compare(*x.At, *y.At)
			}
			return x.recorded.Compare(y.recorded)
		})
	}
	return &b.out, nil
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
	blocks []string
	long   []int // indexes of the blocks that are looked for
	texts  map[string]int
	size   int
}

// add puts a call into the transcript.
func (b *builder) add(id string, phase Phase, t *record.CallTime) error {
	r, why, err := b.find(id)
	if err != nil {
		return err
	}
	var asked *calls.Call
	var reply calls.Reply
	if why == "" {
		if reply, err = r.Reply(); err == nil {
			asked, err = r.Call()
		}
		if err != nil {
			why = err.Error()
		}
	}
	if why == "" {
		for _, text := range asked.Texts {
			b.size += len(text.Content)
		}
		if b.size > maxText {
			why = fmt.Sprintf("the transcript would be longer than %d MiB; 'bench calls show %s' shows it", maxText>>20, id)
		}
	}
	if why != "" {
		m := Missing{ID: id, Phase: phase, Why: why}
		if t != nil {
			m.Stage = t.Stage
		}
		b.out.Missing = append(b.out.Missing, m)
		return nil
	}
	chat := reply.Chat
	c := Call{
		ID: id, Phase: phase, Role: asked.Role, Model: asked.Identity.Model, Served: chat.Model, Finish: chat.Finish,
		Latency: float64(reply.Latency.Microseconds()) / 1000, Attempts: max(1, chat.Attempts),
		Usage: chat.Usage, USD: b.price(asked.Identity, chat.Usage), Messages: []Message{}, recorded: r.Time,
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
	b.out.Calls = append(b.out.Calls, c)
	return nil
}

// find looks a call up, or says why there is none.
func (b *builder) find(id string) (r *calls.Recording, why string, err error) {
	if b.Store == nil {
		return r, "there are no recordings (--store names their folder), or calls.mode was off", nil
	}
	found, err := b.Store.Find(id)
	if err == nil && len(found) == 0 {
		return r, "not in " + b.Store.Dir() + "; recorded elsewhere (--store), pruned, or calls.mode was off", nil
	}
	if err != nil {
		return r, "", err
	}
	return found[0], "", nil
}

// price returns what a call costs. Usage that the server did not report has no
// price.
func (b *builder) price(id calls.Identity, usage llm.Usage) *float64 {
	if id.Class == "stand-in" {
		return new(0.0)
	}
	if b.Prices == nil || usage.Calls == 0 {
		return nil
	}
	rates, ok := b.Prices.Find(id.Model)
	if !ok {
		return nil
	}
	return new(rates.Cost(usage))
}

// Package wire defines the messages of recallbench-memory/1, the protocol of
// external memories, and the rules by which ids, sources and budgets are
// derived from content alone.
//
// The protocol is JSON-RPC 2.0, one object per line. The harness sends
// requests; an adapter sends responses and the notifications $/progress and
// $/log. docs/adapters.md is the guide for authors.
package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"recallbench/internal/door/fault"
)

// Protocol is the name and version of the protocol.
const Protocol = "recallbench-memory/1"

// The methods of the protocol.
const (
	Initialize = "initialize"
	Open       = "memory/open"
	Add        = "memory/add"
	Forget     = "memory/forget"
	Finish     = "memory/finish"
	Search     = "memory/search"
	Answer     = "memory/answer"
	Snapshot   = "memory/snapshot"
	Dump       = "memory/dump"
	Close      = "memory/close"
	Shutdown   = "shutdown"

	Cancel = "$/cancel"
)

// Limits of one reply.
const (
	MaxBlocks    = 1000
	MaxBlockSize = 1 << 20 // bytes
	MaxLine      = 64 << 20
)

// A Time is a moment by the clock of the conversation, without a zone. The zero
// time is unknown and null on the wire.
type Time struct{ time.Time }

const layout = "2006-01-02T15:04:05"

// String returns the time in its form on the wire; empty if unknown.
func (t Time) String() string {
	if t.IsZero() {
		return ""
	}
	return t.Format(layout)
}

// MarshalJSON implements [json.Marshaler].
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(t.String())
}

// UnmarshalJSON reads a time with or without seconds, fractions or a zone; the
// zone is dropped. An adapter may know only the day.
func (t *Time) UnmarshalJSON(data []byte) error {
	var s *string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	t.Time = time.Time{}
	if s == nil || *s == "" {
		return nil
	}
	for _, form := range []string{layout, time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02"} {
		if parsed, err := time.Parse(form, *s); err == nil {
			t.Time = time.Date(parsed.Year(), parsed.Month(), parsed.Day(), parsed.Hour(), parsed.Minute(), parsed.Second(), 0, time.UTC)
			return nil
		}
	}
	return fmt.Errorf("time %.40q, want one such as 2023-05-08T13:56:00", *s)
}

// Models says how an adapter reaches models: the address and key of the
// harness's proxy, and the names of the models behind it.
type Models struct {
	BaseURL    string `json:"base_url"`
	Key        string `json:"key"`
	Chat       string `json:"chat,omitempty"`
	Embed      string `json:"embed,omitempty"`
	Dimensions int    `json:"dimensions,omitempty"` // of the vectors
}

// InitializeParams open the conversation with an adapter.
type InitializeParams struct {
	Protocol string `json:"protocol"`
	Seed     uint64 `json:"seed"`
	Clock    string `json:"clock"` // "session" or "real"
	Work     string `json:"work"`  // folder of the process
	Limits   Limits `json:"limits"`
	Models   Models `json:"models"`
}

// Limits are the limits of the harness.
type Limits struct {
	Line       int `json:"line"` // bytes
	Blocks     int `json:"blocks"`
	BlockBytes int `json:"block_bytes"`
}

// An InitializeResult is an adapter's description of itself.
type InitializeResult struct {
	Protocol     string            `json:"protocol"`
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Libraries    map[string]string `json:"libraries"`
	Capabilities Capabilities      `json:"capabilities"`
}

// Capabilities say what an adapter can do.
type Capabilities struct {
	Search        bool   `json:"search"`
	Answer        bool   `json:"answer"`
	Snapshot      bool   `json:"snapshot"`
	Forget        bool   `json:"forget"`
	Dump          bool   `json:"dump"`
	Mutates       bool   `json:"mutates"`       // a search changes what later searches find
	Deterministic bool   `json:"deterministic"` // same inputs and replies, same blocks and model calls
	Sources       string `json:"sources"`       // "exact" or "none"
}

// maxName bounds names and versions, in bytes: they stand in tables.
const maxName = 200

// Check reports what is wrong with an answer to initialize.
func (r InitializeResult) Check() error {
	var faults fault.List
	faults.Want(r.Protocol == Protocol, "protocol is %.60q, want %q", r.Protocol, Protocol)
	faults.Want(r.Name != "" && r.Version != "", "name and version are needed")
	for _, text := range slices.Concat([]string{r.Name, r.Version}, slices.Collect(maps.Keys(r.Libraries)), slices.Collect(maps.Values(r.Libraries))) {
		printable := !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
		faults.Want(printable && len(text) <= maxName, "%.40q is not a valid name or version: want at most %d printable bytes", text, maxName)
	}
	c := r.Capabilities
	faults.Want(c.Search || c.Answer, "capabilities: search or answer is needed")
	faults.Want(slices.Contains([]string{"", "exact", "none"}, c.Sources), "capabilities: sources is %.40q, want exact or none", c.Sources)
	if faults != nil {
		return fmt.Errorf("%s: %s", Initialize, strings.ReplaceAll(errors.Join(faults...).Error(), "\n", "; "))
	}
	return nil
}

// An OpenParams makes a memory, or restores one from a snapshot.
type OpenParams struct {
	Memory  string         `json:"memory"`
	Sample  Sample         `json:"sample"`
	Options map[string]any `json:"options"`
	Work    string         `json:"work"` // folder of the memory
	Models  Models         `json:"models"`
	Restore string         `json:"restore,omitempty"` // path of a snapshot
}

// A Sample describes a conversation in advance.
type Sample struct {
	Speakers []string `json:"speakers"`
}

// An AddParams adds a session. Sessions come in the order of time.
type AddParams struct {
	Memory  string  `json:"memory"`
	Session Session `json:"session"`
}

// A ForgetParams asks a memory to forget something, after the session in which a speaker
// asked for it. Adapters without the capability only read the words.
type ForgetParams struct {
	Memory string `json:"memory"`
	Wish   Wish   `json:"wish"`
}

// A Wish is what somebody wants forgotten.
type Wish struct {
	Text    string   `json:"text"`    // of the turn that asks for it
	Speaker string   `json:"speaker"` // whose it is
	Turns   []string `json:"turns"`   // ids of the turns that told it
}

// A Forgot is an adapter's report of what it forgot.
type Forgot struct {
	Items int    `json:"items"` // that it removed
	Note  string `json:"note,omitempty"`
}

// A DumpResult lists what a memory stores and finds answers in.
type DumpResult struct {
	Items []string `json:"items"` // texts
}

// A Session is a stretch of the conversation.
type Session struct {
	ID    string `json:"id"` // "1", "2", ...
	Time  Time   `json:"time"`
	Turns []Turn `json:"turns"`
}

// A Turn is one utterance.
type Turn struct {
	ID      string `json:"id"` // "1:1", "1:2", ...
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
	Time    Time   `json:"time"`
	Image   *Image `json:"image,omitempty"`
}

// An Image is a textual description of a shared picture.
type Image struct {
	Caption string `json:"caption,omitempty"`
	Query   string `json:"query,omitempty"` // it was found with
}

// A MemoryParams names a memory.
type MemoryParams struct {
	Memory string `json:"memory"`
}

// A CloseParams frees a memory.
type CloseParams struct {
	Memory string `json:"memory"`
	Drop   bool   `json:"drop"` // with what it stored
}

// A SnapshotParams stores a memory in a new folder.
type SnapshotParams struct {
	Memory string `json:"memory"`
	Path   string `json:"path"`
}

// A Size is the size of a memory, as far as it reports it.
type Size struct {
	Items *int64 `json:"items"`
	Bytes *int64 `json:"bytes"`
}

// A Request is a question to a memory.
type Request struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Time Time   `json:"time"`
}

// A SearchParams asks for blocks.
type SearchParams struct {
	Memory  string  `json:"memory"`
	Request Request `json:"request"`
	K       int     `json:"k"`
	Tokens  int     `json:"tokens"` // of all blocks; 0 is unlimited
}

// An AnswerParams asks for an answer.
type AnswerParams struct {
	Memory  string  `json:"memory"`
	Request Request `json:"request"`
}

// A Block is a piece of memory.
type Block struct {
	ID      string   `json:"id"`
	Text    string   `json:"text"`
	Score   float64  `json:"score"`
	Time    Time     `json:"time"`
	Sources []string `json:"sources"` // ids of turns
}

// A SearchResult lists blocks, best first, behind the text of an answer where one was
// asked for.
type SearchResult struct {
	Text   string   `json:"text,omitempty"`
	Blocks []Block  `json:"blocks"`
	Notes  []string `json:"notes"`
}

// A CancelParams gives a request up.
type CancelParams struct {
	ID int64 `json:"id"`
}

// Check reports blocks beyond the limits of one reply.
func (r SearchResult) Check() error {
	if len(r.Blocks) > MaxBlocks {
		return fmt.Errorf("%d blocks, want at most %d", len(r.Blocks), MaxBlocks)
	}
	for i, b := range r.Blocks {
		switch {
		case strings.TrimSpace(b.Text) == "":
			return fmt.Errorf("block %d has no text", i+1)
		case len(b.Text) > MaxBlockSize:
			return fmt.Errorf("block %d has %d bytes, want at most %d", i+1, len(b.Text), MaxBlockSize)
		}
	}
	return nil
}

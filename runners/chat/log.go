package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"recallbench/internal/engine/tree"
	"recallbench/internal/result/record"
	"recallbench/methods"
)

// Schema is the version of the files of a chat.
const Schema = 1

// A Source says which memory a chat is about.
type Source struct {
	// Dataset and Sample name a sample of a dataset, with Options of the dataset.
	Dataset string         `json:"dataset,omitempty"`
	Sample  string         `json:"sample,omitempty"`
	Options map[string]any `json:"options,omitempty"`
	// Tree is the name of the chat's tree, and SHA256 the hash of its bytes, in
	// hex; both empty for a conversation.
	Tree   string `json:"tree,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	// XML is a tree that the user gives in place of a sample. It is not kept: Tree
	// is.
	XML string `json:"xml,omitempty"`
}

// A Start begins a chat: the first line of chat.jsonl.
type Start struct {
	Schema  int            `json:"schema"`
	Type    string         `json:"type"` // "chat"
	ID      string         `json:"id"`
	Time    time.Time      `json:"time"`
	Source  Source         `json:"source"`
	Method  string         `json:"method"`
	Options map[string]any `json:"options,omitempty"`
	Model   string         `json:"model"`          // "stand-in", or the name of a model that the engine has
	Mode    string         `json:"mode,omitempty"` // of the recordings; empty is reuse
	Seed    uint64         `json:"seed"`
	Today   string         `json:"today,omitempty"` // as 2006-01-02; empty for unknown
}

// A Turn is a request with what came of it.
type Turn struct {
	Type   string        `json:"type"` // "turn"
	ID     int           `json:"id"`   // from 1
	Parent int           `json:"parent"`
	Time   time.Time     `json:"time"`
	Text   string        `json:"text"`
	Record record.Record `json:"record"`
	// Version is the number of the memory's version after the turn, counted along
	// the path to it, and Base that of the one it was made from.
	Version int    `json:"version"`
	Base    int    `json:"base,omitempty"`
	Summary string `json:"summary,omitempty"` // of the version, where it is new
	// Evidence are the texts that reached the reader.
	Evidence []methods.Evidence `json:"evidence,omitempty"`
}

// A Head moves the head of a chat.
type Head struct {
	Type string    `json:"type"` // "head"
	Turn int       `json:"turn"` // 0 is before the first
	Time time.Time `json:"time"`
	By   string    `json:"by"` // "undo", "redo" or "branch"
}

// A Mark says what a turn should have come to. Of several the last counts.
type Mark struct {
	Type     string    `json:"type"` // "mark"
	Turn     int       `json:"turn"`
	Time     time.Time `json:"time"`
	Reviewer string    `json:"reviewer,omitempty"`
	Right    bool      `json:"right"`
	// Required and Allowed are ids of nodes, as in an expectation.
	Required []string `json:"required,omitempty"`
	Allowed  []string `json:"allowed,omitempty"`
	// Must are facts, each with its variants, and Not what may not be said.
	Must   [][]string `json:"must,omitempty"`
	Not    []string   `json:"not,omitempty"`
	Answer string     `json:"answer,omitempty"` // as people read it
}

// A Chat is what the log of a chat says.
type Chat struct {
	Start Start
	Turns []Turn
	Head  int          // the turn that the next follows; 0 is before the first
	Marks map[int]Mark // by turn
	// left has, by turn, the one below it that was left last.
	left  map[int]int
	first *tree.Tree // nil for a conversation
}

// read reads the log of a chat.
func read(path string) (*Chat, error) {
	c := &Chat{Marks: make(map[int]Mark), left: make(map[int]int)}
	n := 0
	for line, err := range record.Lines[json.RawMessage](path) {
		if err != nil {
			return nil, err
		}
		n++
		if err := c.line(n, line.Value); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	if n == 0 {
		return nil, fmt.Errorf("%s: no line begins the chat", path)
	}
	return c, nil
}

// line takes a line of the log.
func (c *Chat) line(n int, data []byte) error {
	var kind struct{ Type string }
	if err := json.Unmarshal(data, &kind); err != nil {
		return err
	}
	if (n == 1) != (kind.Type == "chat") {
		return fmt.Errorf("a line of type %q, want the first alone to be of type chat", kind.Type)
	}
	var err error
	switch kind.Type {
	case "chat":
		if err = json.Unmarshal(data, &c.Start); err == nil && c.Start.Schema != Schema {
			err = fmt.Errorf("schema %d, want %d", c.Start.Schema, Schema)
		}
	case "turn":
		var t Turn
		if err = json.Unmarshal(data, &t); err == nil {
			err = c.add(t)
		}
	case "head":
		var h Head
		if err = json.Unmarshal(data, &h); err == nil {
			err = c.move(h.Turn)
		}
	case "mark":
		var m Mark
		if err = json.Unmarshal(data, &m); err == nil {
			if _, ok := c.turn(m.Turn); !ok {
				return fmt.Errorf("a mark of turn %d, which is not there", m.Turn)
			}
			c.Marks[m.Turn] = m
		}
	default:
		err = fmt.Errorf("a line of type %q, want turn, head or mark", kind.Type)
	}
	return err
}

// turn returns a turn by its id.
func (c *Chat) turn(id int) (*Turn, bool) {
	if id < 1 || id > len(c.Turns) {
		return nil, false
	}
	return &c.Turns[id-1], true
}

// add appends a turn, which becomes the head.
func (c *Chat) add(t Turn) error {
	if t.ID != len(c.Turns)+1 {
		return fmt.Errorf("turn %d, want %d", t.ID, len(c.Turns)+1)
	}
	if _, ok := c.turn(t.Parent); !ok && t.Parent != 0 {
		return fmt.Errorf("turn %d follows turn %d, which is not there", t.ID, t.Parent)
	}
	c.Turns = append(c.Turns, t)
	return c.move(t.ID)
}

// move makes a turn the head. The way to the old one is the one to return by.
func (c *Chat) move(to int) error {
	if _, ok := c.turn(to); !ok && to != 0 {
		return fmt.Errorf("there is no turn %d; have 0 to %d", to, len(c.Turns))
	}
	for _, id := range []int{c.Head, to} {
		for t, ok := c.turn(id); ok; t, ok = c.turn(t.Parent) {
			c.left[t.Parent] = t.ID
		}
	}
	c.Head = to
	return nil
}

// Redo returns the turn that redo goes to; 0 for none.
func (c *Chat) Redo() int { return c.left[c.Head] }

// Path returns the turns from the first to a turn, both included.
func (c *Chat) Path(id int) (path []Turn) {
	for t, ok := c.turn(id); ok; t, ok = c.turn(t.Parent) {
		path = append(path, *t)
	}
	slices.Reverse(path)
	return path
}

// Versions returns the versions of the tree along the path to a turn.
func (c *Chat) Versions(id int) (*tree.History, error) {
	if c.first == nil {
		return nil, errors.New("the chat is about a conversation, which has no versions")
	}
	h := tree.NewHistory(c.first)
	for _, t := range c.Path(id) {
		newest := h.Latest()
		if t.Version == newest.Number {
			continue
		}
		next, err := newest.Tree.Apply(t.Record.Edits...)
		if err != nil {
			return nil, fmt.Errorf("turn %d: %w", t.ID, err)
		}
		base := t.Base
		if base == 0 {
			base = newest.Number
		}
		if _, err := h.Put(base, next, t.Text, t.Summary); err != nil {
			return nil, fmt.Errorf("turn %d: %w", t.ID, err)
		}
	}
	return h, nil
}

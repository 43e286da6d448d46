// Package chat talks to memories: a person asks, the memory of a method answers and
// edits, and each turn is kept with its record. Turns form a tree with a head. Going
// back moves the head, and asking from there begins a branch; nothing is deleted.
//
// A chat is a folder:
//
//	tree.xml     the memory before the first turn, with ids; none of a conversation
//	chat.jsonl   a line that begins it, then turns and moves of the head
//
// An [Engine] holds the chats of a folder and its handler serves them.
package chat

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/structure"
	"recallbench/internal/engine/tree"
	"recallbench/internal/result/record"
	"recallbench/internal/result/treeview"
	"recallbench/methods"
)

// Schema is the version of the files of a chat.
const Schema = 1

// The files of a chat.
const (
	treeFile = "tree.xml"
	logFile  = "chat.jsonl"
)

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

// A Turn is a request with its result.
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
}

// A Chat is the contents of a chat's log.
type Chat struct {
	Start Start
	Turns []Turn
	Head  int // the turn that the next follows; 0 is before the first
	// left has, by turn, the one below it that was left last.
	left  map[int]int
	first *tree.Tree // nil for a conversation
}

// Load reads the chat of a folder.
func Load(dir string) (*Chat, error) {
	c, err := readLog(filepath.Join(dir, logFile))
	if err != nil || c.Start.Source.Tree == "" {
		return c, err
	}
	path := filepath.Join(dir, treeFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c.first, err = tree.ParseXML(path, f, tree.XMLOptions{})
	return c, err
}

// readLog reads the log of a chat.
func readLog(path string) (*Chat, error) {
	c := &Chat{left: make(map[int]int)}
	n := 0
	for line, err := range record.Lines[json.RawMessage](path) {
		if n++; err == nil {
			err = c.line(line.Value)
		}
		if err == nil && c.Start.Schema != Schema {
			err = fmt.Errorf("schema is %d, want %d in the first line", c.Start.Schema, Schema)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	if n == 0 {
		return nil, fmt.Errorf("%s: the line that starts the chat is missing", path)
	}
	return c, nil
}

// line takes a line of the log. Lines of other types are those of earlier versions.
func (c *Chat) line(data []byte) error {
	var kind struct{ Type string }
	err := json.Unmarshal(data, &kind)
	switch {
	case err != nil:
	case kind.Type == "chat":
		err = json.Unmarshal(data, &c.Start)
	case kind.Type == "turn":
		var t Turn
		if err = json.Unmarshal(data, &t); err == nil {
			err = c.add(t)
		}
	case kind.Type == "head":
		var h Head
		if err = json.Unmarshal(data, &h); err == nil {
			err = c.move(h.Turn)
		}
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
	if t.ID != len(c.Turns)+1 || t.Parent < 0 || t.Parent >= t.ID {
		return fmt.Errorf("turn %d follows turn %d, want turn %d after an existing one", t.ID, t.Parent, len(c.Turns)+1)
	}
	c.Turns = append(c.Turns, t)
	return c.move(t.ID)
}

// move makes a turn the head. The way to the old one is the one to return by.
func (c *Chat) move(to int) error {
	if _, ok := c.turn(to); !ok && to != 0 {
		return statusf(http.StatusUnprocessableEntity, "there is no turn %d; have 0 to %d", to, len(c.Turns))
	}
	for _, id := range []int{c.Head, to} {
		for t, ok := c.turn(id); ok; t, ok = c.turn(t.Parent) {
			c.left[t.Parent] = t.ID
		}
	}
	c.Head = to
	return nil
}

// version is the number of the version after a turn.
func (c *Chat) version(id int) int {
	if t, ok := c.turn(id); ok {
		return t.Version
	}
	return 1
}

// versions returns the versions of the tree along the path to a turn.
func (c *Chat) versions(id int) (*tree.History, error) {
	if c.first == nil {
		return nil, statusf(http.StatusConflict, "the chat is about a conversation, which has no versions")
	}
	var path []*Turn
	for t, ok := c.turn(id); ok; t, ok = c.turn(t.Parent) {
		path = append(path, t)
	}
	h := tree.NewHistory(c.first)
	for _, t := range slices.Backward(path) {
		newest := h.Latest()
		if t.Version == newest.Number {
			continue
		}
		base := t.Base
		if base == 0 {
			base = newest.Number
		}
		next, err := newest.Tree.Apply(t.Record.Edits...)
		if err == nil {
			_, err = h.Put(base, next, t.Text, t.Summary)
		}
		if err != nil {
			return nil, fmt.Errorf("turn %d: %w", t.ID, err)
		}
	}
	return h, nil
}

// structure returns the tree after a turn and what the turn did to it.
func (c *Chat) structure(id int) (s structure.Structure, err error) {
	t, ok := c.turn(id)
	if !ok && id != 0 {
		return s, statusf(http.StatusNotFound, "there is no turn %d; have 0 to %d", id, len(c.Turns))
	}
	h, err := c.versions(id)
	if err != nil {
		return s, err
	}
	before, after := h.Latest(), h.Latest()
	var about []string
	var query string
	var steps []semxpath.Step
	if ok {
		about = t.Record.Nodes
		before, _ = h.At(c.version(t.Parent))
		query, steps = treeview.Execution(t.Record.Trace)
	}
	s = structure.Tree(before.Tree, after.Tree, about, treeview.Weights(steps))
	s.Version, s.Base, s.Query, s.Steps = after.Number, after.Base, query, steps
	return s, nil
}

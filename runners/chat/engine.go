package chat

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"recallbench/datasets"
	"recallbench/internal/backend/budget"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/structure"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/durable"
	"recallbench/internal/result/record"
	"recallbench/internal/result/treeview"
	"recallbench/methods"
)

// Bounds of what a chat takes.
const (
	MaxText = 16 << 10 // bytes of a request
	MaxTree = 1 << 20  // bytes of a tree that a user gives
)

// A Room is an open memory that is talked to.
type Room interface {
	// Sample is what the memory was built from.
	Sample() datasets.Sample
	// Paid reports whether answers may cost something: a model is called.
	Paid() bool
	// Ask asks a request at the newest of some versions; nil for a conversation.
	Ask(ctx context.Context, versions *tree.History, r datasets.Request) (record.Record, methods.Response, meter.Paid, error)
	// Query runs a query over a version.
	Query(ctx context.Context, query string, v *tree.Version) (semxpath.Result, error)
	Close() error
}

// An Engine holds the chats of a folder. It is safe for concurrent use.
type Engine struct {
	// Dir is the folder of the chats, which is made with the first.
	Dir string
	// Open opens the memory of a chat. The tree is that of a chat that has one, nil
	// for the sample's. Its calls are paid from the budget; where no dollar of that is
	// left and they would cost something, the error is ErrCosts.
	Open func(ctx context.Context, s Start, own *tree.Tree, b *budget.Budget) (Room, error)
	// Check loads a suite that is exported, and Calls writes the recordings of some
	// ids as one file.
	Check func(ctx context.Context, t Tasks) error
	Calls func(ctx context.Context, w io.Writer, ids []string) error
	// Budget is what all chats together may spend, in dollars; a bound of 0 refuses
	// models that cost.
	Budget *budget.Budget
	Now    func() time.Time
	Log    *slog.Logger

	mu    sync.Mutex
	chats map[string]*open
}

// An open is a chat that this process has looked at.
type open struct {
	mu     sync.Mutex // of all but dir
	dir    string
	chat   *Chat
	log    *record.Log
	room   Room
	cancel context.CancelFunc // of the turn under way; nil for none
	events events
}

// A StatusError is an error with the HTTP status that says whose it is.
type StatusError struct {
	Status int
	err    error
}

func (f *StatusError) Error() string { return f.err.Error() }

// Unwrap returns the error without its status.
func (f *StatusError) Unwrap() error { return f.err }

func faultf(status int, format string, args ...any) error {
	return &StatusError{status, fmt.Errorf(format, args...)}
}

// Begin opens a memory and begins a chat about it.
func (e *Engine) Begin(ctx context.Context, s Start) (*Chat, error) {
	if s.Today != "" {
		if _, err := time.Parse(time.DateOnly, s.Today); err != nil {
			return nil, faultf(http.StatusUnprocessableEntity, "today is %q, want a day such as 2026-03-01", s.Today)
		}
	}
	var own *tree.Tree
	if s.Source.XML != "" {
		if len(s.Source.XML) > MaxTree {
			return nil, faultf(http.StatusRequestEntityTooLarge, "the tree has %d bytes, want at most %d", len(s.Source.XML), MaxTree)
		}
		var err error
		if own, err = tree.ParseXML("tree", strings.NewReader(s.Source.XML), tree.XMLOptions{}); err != nil {
			return nil, &StatusError{http.StatusUnprocessableEntity, err}
		}
	}
	room, err := e.enter(ctx, s, own)
	if err != nil {
		return nil, err
	}
	c, err := e.begin(s, room)
	if err != nil {
		return nil, errors.Join(err, room.Close())
	}
	return c, nil
}

// enter opens the memory of a chat, unless it costs what may not be spent.
func (e *Engine) enter(ctx context.Context, s Start, own *tree.Tree) (Room, error) {
	room, err := e.Open(ctx, s, own, e.Budget)
	switch {
	case errors.Is(err, ErrCosts):
		return nil, e.broke()
	case err != nil:
		return nil, &StatusError{http.StatusUnprocessableEntity, err}
	}
	return room, nil
}

// ErrCosts is the error of a memory that may not be opened because its model costs
// something and nothing may be spent.
var ErrCosts = errors.New("the model costs something")

// broke returns why nothing more may be spent; nil where something may.
func (e *Engine) broke() error {
	if e.Budget.LeftUSD() > 0 {
		return nil
	}
	_, spent := e.Budget.Spent()
	return faultf(http.StatusPaymentRequired, "the budget of all chats (--chat-budget) is spent, $%.2f; the model stand-in and the mode replay cost nothing", spent)
}

// begin writes the files of a chat.
func (e *Engine) begin(s Start, room Room) (*Chat, error) {
	var id [4]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	s.Schema, s.Type, s.ID, s.Time = Schema, "chat", hex.EncodeToString(id[:]), e.Now().UTC()
	s.Source.XML = ""
	dir := filepath.Join(e.Dir, s.Time.Format("20060102T150405Z")+"-"+s.ID)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	c := &Chat{Marks: make(map[int]Mark), left: make(map[int]int), first: room.Sample().Tree}
	if t := c.first; t != nil {
		text, err := tree.XML(t.Root(), t.Schema(), tree.WriteOptions{IDs: true})
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256([]byte(text))
		s.Source.Tree, s.Source.SHA256 = treeFile, hex.EncodeToString(sum[:])
		if err := record.WriteBytes(filepath.Join(dir, treeFile), []byte(text)); err != nil {
			return nil, err
		}
	}
	log, _, err := record.OpenLog(filepath.Join(dir, logFile), 0)
	if err != nil {
		return nil, err
	}
	c.Start = s
	if err := log.Append(s); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.chats == nil {
		e.chats = make(map[string]*open)
	}
	e.chats[s.ID] = &open{dir: dir, chat: c, log: log, room: room, events: newEvents(s.Time)}
	return c, nil
}

// The files of a chat.
const (
	treeFile = "tree.xml"
	logFile  = "chat.jsonl"
)

var isID = regexp.MustCompile(`^[0-9a-f]{8}$`)

// find returns a chat, which it reads where this process has not yet.
func (e *Engine) find(id string) (*open, error) {
	if !isID.MatchString(id) {
		return nil, faultf(http.StatusNotFound, "%.40q is no id of a chat, want 8 hexadecimal digits", id)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if o := e.chats[id]; o != nil {
		return o, nil
	}
	found, err := filepath.Glob(filepath.Join(e.Dir, "*-"+id))
	if err != nil || len(found) == 0 {
		return nil, faultf(http.StatusNotFound, "there is no chat %s in %s", id, e.Dir)
	}
	o := &open{dir: found[0], events: newEvents(e.Now())}
	if o.chat, err = Load(found[0]); err != nil {
		return nil, err
	}
	if o.log, _, err = record.OpenLog(filepath.Join(o.dir, logFile), 0); err != nil {
		return nil, err
	}
	if e.chats == nil {
		e.chats = make(map[string]*open)
	}
	e.chats[id] = o
	return o, nil
}

// Load reads the chat of a folder.
func Load(dir string) (*Chat, error) {
	c, err := read(filepath.Join(dir, logFile))
	if err != nil {
		return nil, err
	}
	if c.Start.Source.Tree == "" {
		return c, nil
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

// List returns how the chats of the folder began, the newest first. Those that
// cannot be read are passed over with a warning.
func (e *Engine) List() []Start {
	found, _ := filepath.Glob(filepath.Join(e.Dir, "*", logFile))
	slices.Reverse(found) // names begin with the time
	list := []Start{}
	for _, path := range found {
		c, err := read(path)
		if err != nil {
			e.Log.Warn("a chat cannot be read", "file", path, "error", err)
			continue
		}
		list = append(list, c.Start)
	}
	return list
}

// Close ends turns under way and closes all chats.
func (e *Engine) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var faults []error
	for _, o := range e.chats {
		o.mu.Lock()
		if o.cancel != nil {
			o.cancel()
		}
		if o.room != nil {
			faults = append(faults, o.room.Close())
		}
		faults = append(faults, o.log.Close())
		o.mu.Unlock()
	}
	durable.SyncDir(e.Dir)
	e.chats = nil
	return errors.Join(faults...)
}

// A View is a chat as pages show it.
type View struct {
	Start
	Turns []Turn       `json:"turns"`
	Head  int          `json:"head"`
	Redo  int          `json:"redo,omitempty"` // the turn that redo goes to
	Marks map[int]Mark `json:"marks,omitempty"`
	Busy  bool         `json:"busy,omitempty"` // a turn is under way
	// Versions counts the versions at the head.
	Versions int `json:"versions,omitempty"`
}

// View returns a chat.
func (e *Engine) View(id string) (View, error) {
	o, err := e.find(id)
	if err != nil {
		return View{}, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.chat
	v := View{Start: c.Start, Turns: slices.Clone(c.Turns), Head: c.Head, Redo: c.Redo(), Marks: c.Marks, Busy: o.cancel != nil}
	if v.Turns == nil {
		v.Turns = []Turn{}
	}
	if c.first != nil {
		v.Versions = c.version(c.Head)
	}
	return v, nil
}

// version is the number of the version after a turn.
func (c *Chat) version(id int) int {
	if t, ok := c.turn(id); ok {
		return t.Version
	}
	return 1
}

// Move makes a turn the head: undo, redo, or another branch.
func (e *Engine) Move(id string, to int) error {
	o, err := e.find(id)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.cancel != nil {
		return faultf(http.StatusConflict, "a turn is under way; cancel it first")
	}
	by := "branch"
	if t, ok := o.chat.turn(o.chat.Head); ok && t.Parent == to {
		by = "undo"
	} else if t, ok := o.chat.turn(to); ok && t.Parent == o.chat.Head {
		by = "redo"
	}
	if _, ok := o.chat.turn(to); !ok && to != 0 {
		return faultf(http.StatusUnprocessableEntity, "there is no turn %d; have 0 to %d", to, len(o.chat.Turns))
	}
	h := Head{Type: "head", Turn: to, Time: e.Now().UTC(), By: by}
	if err := o.log.Append(h); err != nil {
		return err
	}
	o.events.add("head", h)
	return o.chat.move(to)
}

// Mark notes what a turn should have come to.
func (e *Engine) Mark(id string, m Mark) error {
	o, err := e.find(id)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, ok := o.chat.turn(m.Turn); !ok {
		return faultf(http.StatusUnprocessableEntity, "there is no turn %d; have 1 to %d", m.Turn, len(o.chat.Turns))
	}
	m.Type, m.Time = "mark", e.Now().UTC()
	if err := o.log.Append(m); err != nil {
		return err
	}
	o.chat.Marks[m.Turn] = m
	o.events.add("mark", m)
	return nil
}

// Structure returns the tree after a turn and what the turn did to it.
func (e *Engine) Structure(id string, turn int) (structure.Structure, error) {
	o, err := e.find(id)
	if err != nil {
		return structure.Structure{}, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.chat.structure(turn)
}

func (c *Chat) structure(turn int) (s structure.Structure, err error) {
	t, ok := c.turn(turn)
	if !ok && turn != 0 {
		return s, faultf(http.StatusNotFound, "there is no turn %d; have 0 to %d", turn, len(c.Turns))
	}
	h, err := c.Versions(turn)
	if err != nil {
		return s, &StatusError{http.StatusConflict, err}
	}
	after := h.Latest()
	before := after
	var about []string
	if ok {
		about = t.Record.Nodes
		before, _ = h.At(c.version(t.Parent))
	}
	var query string
	var steps []semxpath.Step
	if ok {
		query, steps = treeview.Execution(t.Record.Trace)
	}
	s = structure.Tree(before.Tree, after.Tree, about, treeview.Weights(steps))
	s.Version, s.Base, s.Query, s.Steps = after.Number, after.Base, query, steps
	return s, nil
}

package chat

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"recallbench/datasets"
	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/structure"
	"recallbench/internal/engine/tree"
	"recallbench/internal/files/durable"
	"recallbench/internal/result/record"
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
	// Choices lists what a chat can be about; nil for nothing.
	Choices func(ctx context.Context, dataset string, options map[string]any) (Choices, error)
	// Store opens the recordings that are exported.
	Store func() (*calls.Store, error)
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
	mu     sync.Mutex // of all but dir and events
	dir    string
	chat   *Chat
	log    *record.Log
	room   Room
	cancel context.CancelFunc // of the turn under way; nil for none
	events events
}

// ErrCosts is the error of a memory that may not be opened because its model costs
// something and nothing may be spent.
var ErrCosts = errors.New("the model costs something")

// A statusError is an error with the HTTP status that says whose it is.
type statusError struct {
	status int
	error
}

func statusf(status int, format string, args ...any) error {
	return &statusError{status, fmt.Errorf(format, args...)}
}

// unfit is an error of what was asked for.
func unfit(err error) error { return &statusError{http.StatusUnprocessableEntity, err} }

// begin opens a memory and begins a chat about it.
func (e *Engine) begin(ctx context.Context, s Start) (*Chat, error) {
	if _, err := time.Parse(time.DateOnly, s.Today); err != nil && s.Today != "" {
		return nil, statusf(http.StatusUnprocessableEntity, "today is %q, want a day such as 2026-03-01", s.Today)
	}
	var own *tree.Tree
	if s.Source.XML != "" {
		if len(s.Source.XML) > MaxTree {
			return nil, statusf(http.StatusRequestEntityTooLarge, "the tree has %d bytes, want at most %d", len(s.Source.XML), MaxTree)
		}
		var err error
		if own, err = tree.ParseXML("tree", strings.NewReader(s.Source.XML), tree.XMLOptions{}); err != nil {
			return nil, unfit(err)
		}
	}
	room, err := e.enter(ctx, s, own)
	if err != nil {
		return nil, err
	}
	o, err := e.write(s, room)
	if err != nil {
		return nil, errors.Join(err, room.Close())
	}
	return e.keep(o).chat, nil
}

// enter opens the memory of a chat, unless it costs what may not be spent.
func (e *Engine) enter(ctx context.Context, s Start, own *tree.Tree) (Room, error) {
	room, err := e.Open(ctx, s, own, e.Budget)
	if errors.Is(err, ErrCosts) {
		return nil, e.broke()
	}
	if err != nil {
		return nil, unfit(err)
	}
	return room, nil
}

// broke returns why nothing more may be spent; nil where something may.
func (e *Engine) broke() error {
	if e.Budget.LeftUSD() > 0 {
		return nil
	}
	_, spent := e.Budget.Spent()
	return statusf(http.StatusPaymentRequired, "the budget of all chats (--chat-budget) is spent, $%.2f; the model stand-in and the mode replay cost nothing", spent)
}

// write writes the files of a new chat.
func (e *Engine) write(s Start, room Room) (*open, error) {
	id := make([]byte, 4)
	rand.Read(id)
	s.Schema, s.Type, s.ID, s.Time = Schema, "chat", hex.EncodeToString(id), e.Now().UTC()
	s.Source.XML = ""
	dir := filepath.Join(e.Dir, s.Time.Format("20060102T150405Z")+"-"+s.ID)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	first := room.Sample().Tree
	if first != nil {
		text, err := tree.XML(first.Root(), first.Schema(), tree.WriteOptions{IDs: true})
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256([]byte(text))
		s.Source.Tree, s.Source.SHA256 = treeFile, hex.EncodeToString(sum[:])
		if err := record.WriteBytes(filepath.Join(dir, treeFile), []byte(text)); err != nil {
			return nil, err
		}
	}
	log, _, err := record.OpenLog(filepath.Join(dir, logFile))
	if err != nil {
		return nil, err
	}
	if err := log.Append(s); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return &open{dir: dir, chat: &Chat{Start: s, left: make(map[int]int), first: first}, log: log, room: room}, nil
}

// keep adds an open chat; what another request has opened in between stays.
func (e *Engine) keep(o *open) *open {
	e.mu.Lock()
	defer e.mu.Unlock()
	if have := e.chats[o.chat.Start.ID]; have != nil {
		_ = o.log.Close() // nothing was written to it
		return have
	}
	if e.chats == nil {
		e.chats = make(map[string]*open)
	}
	e.chats[o.chat.Start.ID] = o
	return o
}

var isID = regexp.MustCompile(`^[0-9a-f]{8}$`)

// find returns a chat, which it reads where this process has not yet.
func (e *Engine) find(id string) (*open, error) {
	if !isID.MatchString(id) {
		return nil, statusf(http.StatusNotFound, "%.40q is not the id of a chat; want 8 hexadecimal digits", id)
	}
	e.mu.Lock()
	o := e.chats[id]
	e.mu.Unlock()
	if o != nil {
		return o, nil
	}
	found, err := filepath.Glob(filepath.Join(e.Dir, "*-"+id))
	if err != nil || len(found) == 0 {
		return nil, statusf(http.StatusNotFound, "there is no chat %s in %s", id, e.Dir)
	}
	o = &open{dir: found[0]}
	if o.chat, err = Load(o.dir); err != nil {
		return nil, err
	}
	if o.log, _, err = record.OpenLog(filepath.Join(o.dir, logFile)); err != nil {
		return nil, err
	}
	return e.keep(o), nil
}

// list returns how the chats of the folder began, the newest first. Those that
// cannot be read are skipped with a warning.
func (e *Engine) list() []Start {
	found, _ := filepath.Glob(filepath.Join(e.Dir, "*", logFile)) // the pattern is one
	list := []Start{}
	for _, path := range slices.Backward(found) { // names begin with the time
		c, err := readLog(path)
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
	Turns []Turn `json:"turns"`
	Head  int    `json:"head"`
	Redo  int    `json:"redo,omitempty"` // the turn that redo goes to
	Busy  bool   `json:"busy,omitempty"` // a turn is under way
	// Versions counts the versions at the head.
	Versions int `json:"versions,omitempty"`
}

func (o *open) view() View {
	c := o.chat
	v := View{Start: c.Start, Turns: append([]Turn{}, c.Turns...), Head: c.Head, Redo: c.left[c.Head], Busy: o.cancel != nil}
	if c.first != nil {
		v.Versions = c.version(c.Head)
	}
	return v
}

// move makes a turn the head: undo, redo, or another branch.
func (e *Engine) move(o *open, to int) error {
	if err := o.idle(); err != nil {
		return err
	}
	from := o.chat.Head
	if err := o.chat.move(to); err != nil {
		return err
	}
	h := Head{Type: "head", Turn: to, Time: e.Now().UTC()}
	if err := o.log.Append(h); err != nil {
		return errors.Join(err, o.chat.move(from))
	}
	o.events.add("head", h)
	return nil
}

// idle reports a turn that is under way.
func (o *open) idle() error {
	if o.cancel != nil {
		return statusf(http.StatusConflict, "a turn is in progress; wait for it or cancel it")
	}
	return nil
}

// ask begins a turn after the head and returns its number. Parent has to be the head.
// What comes of it is said by events.
func (e *Engine) ask(ctx context.Context, o *open, parent int, text string) (turn int, err error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return 0, statusf(http.StatusUnprocessableEntity, "text is empty, want a request")
	case len(text) > MaxText:
		return 0, statusf(http.StatusRequestEntityTooLarge, "the request has %d bytes, want at most %d", len(text), MaxText)
	case o.idle() != nil:
		return 0, o.idle()
	case parent != o.chat.Head:
		return 0, statusf(http.StatusConflict, "the head is turn %d, not %d: the chat was continued elsewhere", o.chat.Head, parent)
	}
	if err := e.ready(ctx, o); err != nil {
		return 0, err
	}
	var versions *tree.History
	if o.chat.first != nil {
		if versions, err = o.chat.versions(parent); err != nil {
			return 0, err
		}
	}
	turn = len(o.chat.Turns) + 1
	t := Turn{Type: "turn", ID: turn, Parent: parent, Time: e.Now().UTC(), Text: text, Version: o.chat.version(parent)}
	// The turn outlives the request that began it.
	var answering context.Context
	answering, o.cancel = context.WithCancel(context.WithoutCancel(ctx))
	o.events.add("begun", map[string]any{"turn": turn, "parent": parent, "text": text})
	go e.answer(answering, o, t, versions)
	return turn, nil
}

// ready opens the memory of a chat where it is not, as after a restart.
func (e *Engine) ready(ctx context.Context, o *open) (err error) {
	if o.room == nil {
		if o.room, err = e.enter(ctx, o.chat.Start, o.chat.first); err != nil {
			return err
		}
	}
	if !o.room.Paid() {
		return nil
	}
	return e.broke()
}

// answer asks the memory and keeps what comes of it. A turn that is cancelled leaves
// nothing.
func (e *Engine) answer(ctx context.Context, o *open, t Turn, versions *tree.History) {
	r := datasets.Request{ID: "t" + strconv.Itoa(t.ID), Text: t.Text}
	r.Time, _ = time.Parse(time.DateOnly, o.chat.Start.Today)
	rec, resp, paid, err := o.room.Ask(meter.Watch(ctx, o.step(t.ID)), versions, r)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cancel()
	o.cancel = nil
	if err == nil {
		t.Record, t.Evidence = rec, resp.Evidence
		if resp.Tree != nil {
			t.Version, t.Base, t.Summary = resp.Tree.Number, resp.Tree.Base, resp.Tree.Summary
		}
		if err = o.log.Append(t); err == nil {
			err = o.chat.add(t)
		}
	}
	switch {
	case errors.Is(err, context.Canceled):
		o.events.add("cancelled", map[string]int{"turn": t.ID})
	case err != nil:
		e.Log.Error("a turn was lost", "chat", o.chat.Start.ID, "turn", t.ID, "error", err)
		o.events.add("failed", map[string]any{"turn": t.ID, "kind": "chat", "message": err.Error()})
	case rec.Error != nil:
		o.events.add("failed", map[string]any{"turn": t.ID, "kind": rec.Error.Kind, "message": rec.Error.Message, "trace": rec.Trace})
	default:
		o.events.add("answer", t)
	}
	if err == nil {
		o.events.add("paid", paid)
	}
}

// step adds an event for each stage that begins or ends in a turn, and for each reply
// of a model.
func (o *open) step(turn int) func(meter.Step) {
	return func(s meter.Step) {
		name, data := "stage", map[string]any{"turn": turn, "stage": s.Stage, "done": s.Done}
		if s.Done {
			data["ms"] = float64(s.Took.Microseconds()) / 1000
		}
		if s.Call != "" {
			name, data["id"], data["reused"] = "call", s.Call, s.Reused
		}
		o.events.add(name, data)
	}
}

// query runs a query of the user's over a version at the head and changes nothing.
func (e *Engine) query(ctx context.Context, o *open, version int, query string) (s structure.Structure, err error) {
	h, err := o.chat.versions(o.chat.Head)
	if err != nil {
		return s, err
	}
	v, ok := h.At(version)
	if !ok {
		return s, statusf(http.StatusUnprocessableEntity, "there is no version %d; have 1 to %d", version, h.Latest().Number)
	}
	if err := errors.Join(o.idle(), e.ready(ctx, o)); err != nil {
		return s, err
	}
	result, err := o.room.Query(ctx, query, v)
	if err != nil {
		return s, unfit(err)
	}
	var about []string
	weights := make(map[string]float64)
	for _, m := range result.Matches {
		about = append(about, m.Node.ID)
		weights[m.Node.ID] = m.Weight
	}
	s = structure.Tree(nil, v.Tree, about, weights)
	s.Version, s.Base, s.Query, s.Steps = v.Number, v.Base, query, result.Steps
	return s, nil
}

package chat

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/structure"
	"recallbench/internal/engine/tree"
)

// Ask begins a turn after the head and returns its number. Parent has to be the head.
// What comes of it is said by events.
func (e *Engine) Ask(ctx context.Context, id string, parent int, text string) (turn int, err error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return 0, faultf(http.StatusUnprocessableEntity, "text is empty, want a request")
	case len(text) > MaxText:
		return 0, faultf(http.StatusRequestEntityTooLarge, "the request has %d bytes, want at most %d", len(text), MaxText)
	}
	o, err := e.find(id)
	if err != nil {
		return 0, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.cancel != nil:
		return 0, faultf(http.StatusConflict, "a turn is under way; wait for it or cancel it")
	case parent != o.chat.Head:
		return 0, faultf(http.StatusConflict, "the head is turn %d, not %d: the chat went on elsewhere", o.chat.Head, parent)
	}
	if err := e.ready(ctx, o); err != nil {
		return 0, err
	}
	var versions *tree.History
	if o.chat.first != nil {
		if versions, err = o.chat.Versions(parent); err != nil {
			return 0, err
		}
	}
	t := Turn{Type: "turn", ID: len(o.chat.Turns) + 1, Parent: parent, Time: e.Now().UTC(), Text: text, Version: o.chat.version(parent)}
	// The turn outlives the request that began it.
	ctx, o.cancel = context.WithCancel(context.WithoutCancel(ctx))
	o.events.add("begun", map[string]any{"turn": t.ID, "parent": parent, "text": text})
	go e.answer(ctx, o, t, versions)
	return t.ID, nil
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

// Cancel ends the turn under way, if there is one.
func (e *Engine) Cancel(id string) error {
	o, err := e.find(id)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.cancel != nil {
		o.cancel()
	}
	return nil
}

// Query runs a query of the user's over a version at the head and changes nothing.
func (e *Engine) Query(ctx context.Context, id string, version int, query string) (s structure.Structure, err error) {
	o, err := e.find(id)
	if err != nil {
		return s, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.chat.first == nil {
		return s, faultf(http.StatusConflict, "the chat is about a conversation, which no query reads")
	}
	h, err := o.chat.Versions(o.chat.Head)
	if err != nil {
		return s, err
	}
	v, ok := h.At(version)
	if !ok {
		return s, faultf(http.StatusUnprocessableEntity, "there is no version %d; have 1 to %d", version, h.Latest().Number)
	}
	if o.cancel != nil {
		return s, faultf(http.StatusConflict, "a turn is under way; wait for it or cancel it")
	}
	if err := e.ready(ctx, o); err != nil {
		return s, err
	}
	result, err := o.room.Query(ctx, query, v)
	if err != nil {
		return s, &StatusError{http.StatusUnprocessableEntity, err}
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

package note

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
)

// A Book stores the notes of one person. It is safe for concurrent use.
type Book struct {
	Reviewer string
	ReadOnly bool
	Now      func() time.Time
	mu       sync.Mutex
}

// ErrStale is the error of a note about an answer that the run no longer has.
var ErrStale = errors.New("the question has been asked again since; reload the answer")

// Add appends a note about an answer of a run. Id, time and reviewer are the book's to
// set.
func (b *Book) Add(run record.Folder, n Note) (Note, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n.Time, n.Reviewer = b.Now().UTC(), b.Reviewer
	_, answers, err := answersOf(run, n.Cell)
	if err != nil {
		return n, err
	}
	answer, ok := answers[n.Subject]
	switch {
	case !ok:
		return n, fmt.Errorf("question %.80q of conversation %.80q has no record in cell %.80q", n.Request, n.Sample, n.Cell)
	case sha.MatchString(n.Answer) && answer.Answer != n.Answer:
		return n, ErrStale
	}
	all, err := Append(run, []Note{n})
	return all[0], err
}

// Serve handles requests for the notes of a run: GET returns all current ones, POST adds one.
// Callers check access.
func (b *Book) Serve(w http.ResponseWriter, r *http.Request, run record.Folder) {
	if r.Method == http.MethodGet {
		notes, err := Read(run)
		reply(w, http.StatusOK, append([]Note{}, Standing(notes)...), err)
		return
	}
	var n Note
	err := b.read(r, &n)
	if err == nil {
		n, err = b.Add(run, n)
	}
	reply(w, http.StatusCreated, n, err)
}

// ServeQueues handles requests for the review queues of a run: GET returns all, each in the
// order of the book's reviewer, POST draws one more. Callers check access.
func (b *Book) ServeQueues(w http.ResponseWriter, r *http.Request, run record.Folder) {
	if r.Method == http.MethodGet {
		queues, err := b.queues(run)
		reply(w, http.StatusOK, map[string]any{"reviewer": b.Reviewer, "queues": queues}, err)
		return
	}
	var q Queue
	var n struct{ N int }
	err := b.read(r, &q, &n)
	if err == nil {
		err = draw(run, &q, n.N)
	}
	reply(w, http.StatusCreated, q, err)
}

// draw draws the items of a queue from all answers of a run, by method and category, and
// writes it.
func draw(run record.Folder, q *Queue, n int) error {
	h, err := record.ReadHeader(string(run))
	if err != nil {
		return err
	}
	var from []Item
	for _, c := range h.Cells {
		items, _, err := answersOf(run, c.ID)
		if err != nil {
			return err
		}
		from = append(from, lists.Filter(items, func(it Item) bool { return it.Weight > 0 })...)
	}
	drawn, err := NewQueue(q.Name, from, q.Draw, n, q.Seed)
	if err != nil {
		return err
	}
	drawn.Blind = q.Blind
	*q = *drawn
	return q.Write(run)
}

// A queueView is a queue as a reviewer sees it: what others say of a blind queue is shown
// to those who have labelled all of it.
type queueView struct {
	*Queue
	Agreement *Agreement `json:"agreement,omitempty"`
}

func (b *Book) queues(run record.Folder) ([]queueView, error) {
	labels, err := Labels(run)
	if err != nil {
		return nil, err
	}
	queues := []queueView{}
	for _, name := range Queues(run) {
		q, err := ReadQueue(run, name)
		if err != nil {
			return nil, err
		}
		done := make(map[Subject]bool)
		for _, l := range labels {
			if l.Queue == name && l.Reviewer == b.Reviewer {
				done[l.Subject] = true
			}
		}
		view := queueView{Queue: q}
		if !q.Blind || !slices.ContainsFunc(q.Items, func(it Item) bool { return !done[it.Subject] }) {
			view.Agreement = new(q.Agree(labels))
		}
		q.Items = q.For(b.Reviewer)
		queues = append(queues, view)
	}
	return queues, nil
}

// A statusError is an error with the status of HTTP that it is answered with.
type statusError struct {
	status int
	error
}

// maxBody bounds a note as JSON.
const maxBody = 1 << 20

// read decodes the body of a request that writes something.
func (b *Book) read(r *http.Request, into ...any) error {
	if r.Method != http.MethodPost || b.ReadOnly {
		return statusError{http.StatusMethodNotAllowed, fmt.Errorf("%s is not allowed; want GET or, without --read-only, POST", r.Method)}
	}
	data, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return statusError{http.StatusRequestEntityTooLarge, fmt.Errorf("the body is too long, want at most %d bytes", maxBody)}
	}
	for _, v := range into {
		if err == nil {
			err = json.Unmarshal(data, v)
		}
	}
	if err != nil {
		return statusError{http.StatusBadRequest, fmt.Errorf("the body: %w", err)}
	}
	return nil
}

// reply answers with a body, or with an error: of a note or a queue that cannot be so,
// unless it has a status.
func reply(w http.ResponseWriter, status int, body any, err error) {
	if err != nil {
		status, body = http.StatusUnprocessableEntity, map[string]string{"error": err.Error()}
		if e, ok := errors.AsType[statusError](err); ok {
			status = e.status
		} else if errors.Is(err, ErrStale) {
			status = http.StatusConflict
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that went away is told nothing.
	_ = json.NewEncoder(w).Encode(body)
}

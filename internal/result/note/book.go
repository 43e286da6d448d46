package note

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"recallbench/internal/result/record"
)

// A Book takes the notes of one person. It is safe for concurrent use.
type Book struct {
	Reviewer string
	ReadOnly bool
	Now      func() time.Time
	mu       sync.Mutex
}

// ErrStale is the error of a note about an answer that the run no longer has.
var ErrStale = errors.New("the answer was asked again since it was read; reload the request")

// Add appends a note about an answer of a run. Id, time and reviewer are the book's to
// set.
func (b *Book) Add(run record.Folder, n Note) (Note, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n.Time, n.Reviewer = b.Now().UTC(), b.Reviewer
	answers, err := answersOf(run, n.Cell)
	if err != nil {
		return n, err
	}
	answer, ok := answers[subject{n.Sample, n.Request}]
	switch {
	case !ok:
		return n, &FieldError{"request", fmt.Sprintf("%.80q of sample %.80q has no record in cell %.80q", n.Request, n.Sample, n.Cell)}
	case sha.MatchString(n.Answer) && answer != n.Answer:
		return n, ErrStale
	}
	all, err := Append(run, []Note{n})
	return all[0], err
}

// maxBody bounds a note as JSON.
const maxBody = 1 << 20

// Serve answers for the notes of a run: GET all that stand, POST one more. Whoever
// calls it checks who may ask.
func (b *Book) Serve(w http.ResponseWriter, r *http.Request, run record.Folder) {
	status, body := b.serve(r, run)
	reply(w, status, body)
}

// ServeQueues answers for the review queues of a run: GET all, each in the order of the
// book's reviewer, POST draws one more. Whoever calls it checks who may ask.
func (b *Book) ServeQueues(w http.ResponseWriter, r *http.Request, run record.Folder) {
	status, body := b.serveQueues(r, run)
	reply(w, status, body)
}

func (b *Book) serveQueues(r *http.Request, run record.Folder) (int, any) {
	if r.Method == http.MethodGet {
		// What others say is told of a blind queue to who has labelled all of it.
		type told struct {
			*Queue
			Agreement *Agreement `json:"agreement,omitempty"`
		}
		queues := []told{}
		labels, err := labelsOf(run)
		if err != nil {
			return http.StatusUnprocessableEntity, err
		}
		for _, name := range Queues(run) {
			q, err := ReadQueue(run, name)
			if err != nil {
				return http.StatusUnprocessableEntity, err
			}
			one := told{Queue: q}
			if !q.Blind || q.done(b.Reviewer, labels) {
				one.Agreement = new(q.Agree(labels))
			}
			q.Items = q.For(b.Reviewer)
			queues = append(queues, one)
		}
		return http.StatusOK, map[string]any{"reviewer": b.Reviewer, "queues": queues}
	}
	var asked struct {
		Name  string `json:"name"`
		Draw  Draw   `json:"draw"`
		N     int    `json:"n"`
		Seed  uint64 `json:"seed"`
		Blind bool   `json:"blind"`
	}
	if status, err := b.read(r, &asked); err != nil {
		return status, err
	}
	items, err := answered(run)
	if err != nil {
		return http.StatusUnprocessableEntity, err
	}
	q, err := NewQueue(asked.Name, items, asked.Draw, asked.N, asked.Seed)
	if err == nil {
		q.Blind = asked.Blind
		err = q.Write(run)
	}
	if err != nil {
		return http.StatusUnprocessableEntity, err
	}
	return http.StatusCreated, q
}

func labelsOf(run record.Folder) (labels []Label, err error) {
	notes, err := Read(run)
	if err != nil {
		return nil, err
	}
	for l, err := range Labels(run, notes) {
		if err != nil {
			return nil, err
		}
		labels = append(labels, l)
	}
	return labels, nil
}

// answered returns the requests of a run that have an answer, by method and category.
func answered(run record.Folder) (items []Item, err error) {
	h, err := record.ReadHeader(string(run))
	if err != nil {
		return nil, err
	}
	type answer struct {
		Sample, Request, Category, Answer string
		Status                            record.Status
	}
	for _, c := range h.Cells {
		last := make(map[subject]int)
		for line, err := range record.Parts[answer](run.Records(c.ID)) {
			if err != nil {
				return nil, err
			}
			a := line.Value
			if a.Status != record.OK {
				continue
			}
			it := Item{Cell: c.ID, Sample: a.Sample, Request: a.Request, Answer: Sum(a.Answer), Stratum: c.ID + " " + a.Category}
			if at, ok := last[subject{a.Sample, a.Request}]; ok {
				items[at] = it
				continue
			}
			last[subject{a.Sample, a.Request}] = len(items)
			items = append(items, it)
		}
	}
	return items, nil
}

// read decodes the body of a request that writes something.
func (b *Book) read(r *http.Request, into any) (status int, err error) {
	if r.Method != http.MethodPost || b.ReadOnly {
		return http.StatusMethodNotAllowed, fmt.Errorf("%s is not possible; without --read-only, GET and POST are", r.Method)
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err == nil && len(data) > maxBody {
		return http.StatusRequestEntityTooLarge, fmt.Errorf("the body has more than %d bytes", maxBody)
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		return http.StatusBadRequest, fmt.Errorf("the body: %w", err)
	}
	return 0, nil
}

func reply(w http.ResponseWriter, status int, body any) {
	if err, ok := body.(error); ok {
		body = map[string]string{"error": err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that went away is told nothing.
	_ = json.NewEncoder(w).Encode(body)
}

func (b *Book) serve(r *http.Request, run record.Folder) (int, any) {
	if r.Method == http.MethodGet {
		notes, err := Read(run)
		if err != nil {
			return http.StatusUnprocessableEntity, err
		}
		if notes = Standing(notes); notes == nil {
			notes = []Note{}
		}
		return http.StatusOK, notes
	}
	var n Note
	if status, err := b.read(r, &n); err != nil {
		return status, err
	}
	n, err := b.Add(run, n)
	if errors.Is(err, ErrStale) {
		return http.StatusConflict, err
	}
	if _, ok := errors.AsType[*FieldError](err); ok {
		return http.StatusUnprocessableEntity, err
	}
	if err != nil {
		return http.StatusInternalServerError, err
	}
	return http.StatusCreated, n
}

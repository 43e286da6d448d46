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

// ServeQueues answers for the review queues of a run: GET all, each in the order of the
// book's reviewer, POST draws one more. Whoever calls it checks who may ask.
func (b *Book) ServeQueues(w http.ResponseWriter, r *http.Request, run record.Folder) {
	if r.Method == http.MethodGet {
		queues, err := b.queues(run)
		reply(w, http.StatusOK, map[string]any{"reviewer": b.Reviewer, "queues": queues}, err)
		return
	}
	var asked struct {
		Name  string `json:"name"`
		Draw  Draw   `json:"draw"`
		N     int    `json:"n"`
		Seed  uint64 `json:"seed"`
		Blind bool   `json:"blind"`
	}
	var q *Queue
	var items []Item
	err := b.read(r, &asked)
	if err == nil {
		items, err = answered(run)
	}
	if err == nil {
		q, err = NewQueue(asked.Name, items, asked.Draw, asked.N, asked.Seed)
	}
	if err == nil {
		q.Blind = asked.Blind
		err = q.Write(run)
	}
	reply(w, http.StatusCreated, q, err)
}

// A told is a queue as a reviewer sees it: what others say is told of a blind queue to who
// has labelled all of it.
type told struct {
	*Queue
	Agreement *Agreement `json:"agreement,omitempty"`
}

func (b *Book) queues(run record.Folder) ([]told, error) {
	notes, err := Read(run)
	if err != nil {
		return nil, err
	}
	var labels []Label
	for l, err := range Labels(run, notes) {
		if err != nil {
			return nil, err
		}
		labels = append(labels, l)
	}
	queues := []told{}
	for _, name := range Queues(run) {
		q, err := ReadQueue(run, name)
		if err != nil {
			return nil, err
		}
		one := told{Queue: q}
		if !q.Blind || q.done(b.Reviewer, labels) {
			one.Agreement = new(q.Agree(labels))
		}
		q.Items = q.For(b.Reviewer)
		queues = append(queues, one)
	}
	return queues, nil
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

// A statusError is an error with the status of HTTP that it is answered with.
type statusError struct {
	status int
	error
}

// read decodes the body of a request that writes something.
func (b *Book) read(r *http.Request, into any) error {
	if r.Method != http.MethodPost || b.ReadOnly {
		return statusError{http.StatusMethodNotAllowed, fmt.Errorf("%s is not possible; without --read-only, GET and POST are", r.Method)}
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if len(data) > maxBody {
		return statusError{http.StatusRequestEntityTooLarge, fmt.Errorf("the body has more than %d bytes, want at most that", maxBody)}
	}
	if err == nil {
		err = json.Unmarshal(data, into)
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

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
	n.Schema, n.Time, n.Reviewer = Schema, b.Now().UTC(), b.Reviewer
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
	return add(run, n)
}

// maxBody bounds a note as JSON.
const maxBody = 1 << 20

// Serve answers for the notes of a run: GET all that stand, POST one more. Whoever
// calls it checks who may ask.
func (b *Book) Serve(w http.ResponseWriter, r *http.Request, run record.Folder) {
	status, body := b.serve(r, run)
	if err, ok := body.(error); ok {
		body = map[string]string{"error": err.Error()}
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that went away is told nothing.
	_ = json.NewEncoder(w).Encode(body)
}

func (b *Book) serve(r *http.Request, run record.Folder) (int, any) {
	switch {
	case r.Method == http.MethodGet:
		notes, err := Read(run)
		if err != nil {
			return http.StatusInternalServerError, err
		}
		if notes = Standing(notes); notes == nil {
			notes = []Note{}
		}
		return http.StatusOK, notes
	case r.Method != http.MethodPost || b.ReadOnly:
		return http.StatusMethodNotAllowed, fmt.Errorf("%s is not possible; without --read-only, GET and POST are", r.Method)
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err == nil && len(data) > maxBody {
		return http.StatusRequestEntityTooLarge, fmt.Errorf("the body has more than %d bytes", maxBody)
	}
	var n Note
	if err == nil {
		err = json.Unmarshal(data, &n)
	}
	if err != nil {
		return http.StatusBadRequest, fmt.Errorf("the body: %w", err)
	}
	n, err = b.Add(run, n)
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

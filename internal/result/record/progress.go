package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"recallbench/internal/backend/limit"
	"recallbench/internal/door/meter"
	"recallbench/internal/files/jsonout"
)

// A Progress is the state of a run in progress: progress.json. It exists as long as the
// process of the run, or after that was killed.
type Progress struct {
	Schema int       `json:"schema"`
	Time   time.Time `json:"time"` // of this file
	PID    int       `json:"pid"`
	Host   string    `json:"host"` // as [Host] returns it
	Begun  time.Time `json:"begun"`
	// Total counts the requests of the run, Done those that have finished, earlier
	// parts included, and Failed those of them that failed in this part.
	Total  int `json:"total"`
	Done   int `json:"done"`
	Failed int `json:"failed"`
	// InFlight are requests in progress, the oldest first, at most [MaxInFlight].
	InFlight []InFlight     `json:"in_flight"`
	Paid     meter.Paid     `json:"paid"`
	Budget   ProgressBudget `json:"budget"`
	Accounts []limit.Status `json:"accounts"`
	// Workers are those of a run by many machines, and the last that have gone.
	Workers []Worker `json:"workers,omitempty"`
}

// MaxInFlight is how many requests in progress a [Progress] names.
const MaxInFlight = 50

// An InFlight is a request under way, or where Request is empty a memory that is
// being built.
type InFlight struct {
	Cell    string    `json:"cell"`
	Sample  string    `json:"sample"`
	Request string    `json:"request,omitempty"`
	Since   time.Time `json:"since"`
	Stage   string    `json:"stage,omitempty"`
}

// A ProgressBudget is the budget of a run; 0 means no bound.
type ProgressBudget struct {
	Tokens int     `json:"tokens"`
	USD    float64 `json:"usd"`
}

// A Worker is the state of a worker of the run.
type Worker struct {
	Name   string      `json:"name"`
	State  WorkerState `json:"state"`
	Joined time.Time   `json:"joined"`
	Units  []string    `json:"units"` // CELL/SAMPLE under way, sorted
	// Done counts the units and Requests the records that it delivered.
	Done     int `json:"done"`
	Requests int `json:"requests"`
	// Faults counts units that failed and messages that were refused.
	Faults int    `json:"faults"`
	Fault  string `json:"fault,omitempty"` // the last
}

// A WorkerState says whether a worker is at work.
type WorkerState string

// The states of workers. A lost worker shows no sign of life.
const (
	WorkerJoined WorkerState = "joined"
	WorkerLeft   WorkerState = "left"
	WorkerLost   WorkerState = "lost"
)

const progressFile = "progress.json"

// Host is a hash of the name of this machine, by which a reader knows whether a
// process id is one of its own.
func Host() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])[:8]
}

// WriteProgress writes progress.json, atomically.
func (f Folder) WriteProgress(p Progress) error {
	p.Schema = SchemaVersion
	return WriteFile(f.path(progressFile), func(w io.Writer) error { return jsonout.Lines(w, p) })
}

// RemoveProgress removes progress.json, which need not be there.
func (f Folder) RemoveProgress() error {
	if err := os.Remove(f.path(progressFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// ReadProgress reads progress.json of a run; nil where there is none.
func ReadProgress(dir string) (*Progress, error) {
	path, p := filepath.Join(dir, progressFile), new(Progress)
	err := ReadJSON(path, p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil //nolint:nilnil // no progress is no error
	case err == nil && p.Schema != SchemaVersion:
		err = schemaError(path, p.Schema)
	}
	return p, err
}

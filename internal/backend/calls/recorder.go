package calls

import (
	"context"
	"errors"
	"log/slog"
	"sync"
)

// A Recorder wraps the connections to models. It is safe for concurrent use.
//
// One call is in flight for each key; callers that ask for the same meanwhile get
// the same reply, marked as reused. In the mode [Reuse] this holds for all
// processes that share the store. A recorded reply is the original one, including
// usage and attempts.
//
// Errors, truncated bodies and replies without text are never recorded. A reply
// that ended at its token limit is: it is a valid answer to the request, and a
// run with one such answer could not be replayed without it. One that a content
// filter ended is not.
type Recorder struct {
	store   recordings
	mode    Mode
	flights flights
	explain sync.Once // the first miss names the nearest recording
	standIn bool      // see RecordStandIn
	// writable ends when a recording could not be written: all that is paid for from
	// then on would be lost.
	writable context.Context //nolint:containedctx // it lives as long as the recorder
	fail     context.CancelCauseFunc
	close    func() error // nil if the caller closes the store
}

// OpenRecorder returns a recorder of the recordings in a folder, which [Recorder.Close]
// closes.
func OpenRecorder(mode Mode, dir string, log *slog.Logger) (*Recorder, error) {
	if mode == Off {
		return NewRecorder(nil, Off), nil
	}
	open := Open
	if mode == Replay {
		open = OpenToRead
	}
	store, err := open(dir, log)
	if err != nil {
		return nil, err
	}
	if mode != Replay {
		if err := store.Share(); err != nil {
			return nil, errors.Join(err, store.Close())
		}
	}
	r := NewRecorder(store, mode)
	r.close = store.Close
	return r, nil
}

// Close closes the recordings that [OpenRecorder] opened.
func (r *Recorder) Close() error {
	if r.close == nil {
		return nil
	}
	return r.close()
}

// NewRecorder returns a recorder; the store is nil in the mode [Off].
func NewRecorder(store *Store, mode Mode) *Recorder {
	if store == nil {
		return newRecorder(nil, mode)
	}
	return newRecorder(store, mode)
}

func newRecorder(store recordings, mode Mode) *Recorder {
	if store == nil && mode != Off {
		panic("calls: a recorder without a store in the mode " + string(mode))
	}
	r := &Recorder{store: store, mode: mode}
	r.writable, r.fail = context.WithCancelCause(context.Background())
	return r
}

// recordings are what a recorder needs of a [Store], of this process or of another
// one.
type recordings interface {
	find(ctx context.Context, keys []Key) (map[Key]Reply, error)
	// claim keeps others from making calls; it returns those that none of them makes.
	claim(ctx context.Context, keys []Key) (free []Key, err error)
	release(ctx context.Context, keys []Key)
	// record sets the times of the replies, and ends the claims of the calls.
	record(ctx context.Context, all []entry) error
	// dimension is that of the recorded vectors of an identity; 0 if there are none.
	dimension(id identity) int
	// where names the store, and nearest says in what the nearest recording differs.
	where() string
	nearest(c *Call) string
}

// RecordStandIn sets whether calls to the stand-in are recorded too. It must be
// called before a door is opened.
func (r *Recorder) RecordStandIn(on bool) { r.standIn = on }

// Mode returns the mode.
func (r *Recorder) Mode() Mode { return r.mode }

package calls

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"recallbench/internal/calc/lists"
)

// A Transport carries a request to the [Server] of another process, and its
// reply back. It may deliver a request more than once.
type Transport func(ctx context.Context, request []byte) (reply []byte, err error)

// A remoteRequest is what a remote recorder asks; one of its parts is set.
type remoteRequest struct {
	Find, Claim, Release []Key
	Record               []entry
}

// A remoteReply answers a remoteRequest.
type remoteReply struct {
	Found map[Key]Reply
	Free  []Key       // of those to be claimed
	Times []time.Time // of what was recorded
}

// NewRemote returns a recorder whose recordings belong to another process; messages
// call it name.
func NewRemote(mode Mode, name string, ask Transport) *Recorder {
	if mode == Off {
		return newRecorder(nil, Off)
	}
	return newRecorder(&remote{name: name, transport: ask}, mode)
}

// remote are the recordings of another process.
type remote struct {
	name      string
	transport Transport
}

// pack writes a value as gob, which keeps every byte and number.
func pack(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func unpack(data []byte, v any) error { return gob.NewDecoder(bytes.NewReader(data)).Decode(v) }

func (r *remote) ask(ctx context.Context, q remoteRequest) (a remoteReply, err error) {
	data, err := pack(q)
	if err != nil {
		return a, err
	}
	if data, err = r.transport(ctx, data); err != nil {
		return a, err
	}
	if err := unpack(data, &a); err != nil {
		return a, fmt.Errorf("recordings of %s: %w", r.name, err)
	}
	return a, nil
}

func (r *remote) find(ctx context.Context, keys []Key) (map[Key]Reply, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	a, err := r.ask(ctx, remoteRequest{Find: keys})
	return a.Found, err
}

func (r *remote) record(ctx context.Context, all []entry) error {
	a, err := r.ask(ctx, remoteRequest{Record: all})
	if err != nil {
		return err
	}
	if len(a.Times) != len(all) {
		return fmt.Errorf("recordings of %s: %d of %d replies were recorded", r.name, len(a.Times), len(all))
	}
	for i := range all {
		all[i].Reply.Time = a.Times[i]
	}
	return nil
}

func (*remote) dimension(identity) int { return 0 } // the first vector says it

func (*remote) nearest(*Call) string { return "" } // it only explains a miss

func (r *remote) where() string { return "the recordings of " + r.name }

func (r *remote) claim(ctx context.Context, keys []Key) ([]Key, error) {
	a, err := r.ask(context.WithoutCancel(ctx), remoteRequest{Claim: keys})
	return a.Free, err
}

func (r *remote) release(ctx context.Context, keys []Key) {
	if len(keys) == 0 {
		return
	}
	// A claim that stays goes with its worker.
	_, _ = r.ask(ctx, remoteRequest{Release: keys})
}

// A Server serves the recordings of a recorder to recorders of other processes. One
// call is in flight for each key over all of them. It is safe for concurrent use.
type Server struct {
	recorder *Recorder

	mu     sync.Mutex
	owners map[Key]string // of claims
}

// NewServer returns a server of a recorder's recordings.
func NewServer(r *Recorder) *Server { return &Server{recorder: r, owners: make(map[Key]string)} }

// Answer answers a request of a client, identified by owner. A recording whose key
// is not that of its request is an error, and is not recorded.
func (s *Server) Answer(ctx context.Context, owner string, request []byte) ([]byte, error) {
	var q remoteRequest
	if err := unpack(request, &q); err != nil {
		return nil, fmt.Errorf("a request about recordings: %w", err)
	}
	store := s.recorder.store
	if store == nil {
		return nil, errors.New("a request about recordings, but the run has none")
	}
	var a remoteReply
	var err error
	switch {
	case q.Find != nil:
		a.Found, err = store.find(ctx, q.Find)
	case q.Claim != nil:
		a.Free, err = s.claim(ctx, owner, q.Claim)
	case q.Release != nil:
		s.release(ctx, func(k Key, has string) bool { return has == owner && slices.Contains(q.Release, k) })
	case q.Record != nil:
		a.Times, err = s.record(ctx, q.Record)
	default:
		err = errors.New("a request about recordings that asks nothing")
	}
	if err != nil {
		return nil, err
	}
	return pack(a)
}

// claim claims keys for an owner.
func (s *Server) claim(ctx context.Context, owner string, keys []Key) (free []Key, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var unclaimed []Key
	for _, k := range keys {
		if has, ok := s.owners[k]; !ok {
			unclaimed = append(unclaimed, k)
		} else if has == owner {
			free = append(free, k)
		}
	}
	if len(unclaimed) == 0 {
		return free, nil
	}
	unclaimed, err = s.recorder.store.claim(ctx, unclaimed)
	for _, k := range unclaimed {
		s.owners[k] = owner
	}
	return append(free, unclaimed...), err
}

// release releases the claims that a condition names.
func (s *Server) release(ctx context.Context, which func(k Key, owner string) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []Key
	for k, owner := range s.owners {
		if which(k, owner) {
			keys = append(keys, k)
			delete(s.owners, k)
		}
	}
	if len(keys) > 0 {
		s.recorder.store.release(ctx, keys)
	}
}

// Lost releases what an owner has claimed.
func (s *Server) Lost(ctx context.Context, owner string) {
	s.release(ctx, func(_ Key, has string) bool { return has == owner })
}

// record records replies whose keys are those of their requests.
func (s *Server) record(ctx context.Context, all []entry) ([]time.Time, error) {
	for i, e := range all {
		c, id, err := restore(e.Identity, e.Texts, e.Key)
		if err != nil {
			return nil, fmt.Errorf("recording %s: %w", e.Key.ID(), err)
		}
		all[i].Kind, all[i].Role, all[i].Identity = c.Kind, c.Role, id.json
	}
	if err := s.recorder.store.record(ctx, all); err != nil {
		return nil, err
	}
	return lists.Map(all, func(e entry) time.Time { return e.Reply.Time }), nil
}

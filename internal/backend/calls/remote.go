package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A Transport brings a request to the [Server] of another process, and its reply
// back. It may bring a request more than once.
type Transport func(ctx context.Context, request []byte) (reply []byte, err error)

// A remoteRequest is what a remote recorder asks; one of its parts is set.
type remoteRequest struct {
	Find    []Key         `json:"find,omitempty"`
	Claim   *Key          `json:"claim,omitempty"`
	Release *Key          `json:"release,omitempty"`
	Record  []remoteEntry `json:"record,omitempty"`
	Vectors []byte        `json:"vectors,omitempty"` // the identity whose dimension is asked for
	Nearest [][]byte      `json:"nearest,omitempty"` // the texts that stand for a call
}

// A remoteEntry is a call with its reply.
type remoteEntry struct {
	Key   Key      `json:"key"`
	Texts [][]byte `json:"texts"`
	Reply []byte   `json:"reply"`
}

// A remoteReply answers a remoteRequest.
type remoteReply struct {
	Found     []remoteFound `json:"found,omitempty"`
	Claimed   bool          `json:"claimed,omitempty"`
	Times     []int64       `json:"times,omitempty"` // of what was recorded, in ns since 1970
	Dimension int           `json:"dimension,omitempty"`
	Nearest   string        `json:"nearest,omitempty"`
}

type remoteFound struct {
	Key   Key    `json:"key"`
	Reply []byte `json:"reply"`
	Time  int64  `json:"time"`
}

// NewRemote returns a recorder whose recordings are those of another process, which
// name tells users.
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

func (r *remote) ask(ctx context.Context, q remoteRequest) (a remoteReply, err error) {
	data, err := json.Marshal(q)
	if err != nil {
		return a, err
	}
	if data, err = r.transport(ctx, data); err != nil {
		return a, err
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return a, fmt.Errorf("recordings of %s: %w", r.name, err)
	}
	return a, nil
}

func (r *remote) lookUp(ctx context.Context, keys []Key) (func(Key) (Reply, bool), func() error, error) {
	found := make(map[Key]Reply, len(keys))
	refresh := func() error {
		a, err := r.ask(ctx, remoteRequest{Find: keys})
		if err != nil {
			return err
		}
		for _, f := range a.Found {
			reply, err := decodeReply(f.Reply)
			if err != nil {
				return fmt.Errorf("recordings of %s: id %s: %w", r.name, f.Key.ID(), err)
			}
			reply.Time = time.Unix(0, f.Time).UTC()
			found[f.Key] = reply
		}
		return nil
	}
	find := func(k Key) (Reply, bool) {
		reply, ok := found[k]
		return reply.own(), ok
	}
	return find, refresh, refresh()
}

func (r *remote) record(ctx context.Context, all []entry) error {
	q := remoteRequest{Record: make([]remoteEntry, len(all))}
	for i, e := range all {
		texts, err := storedBytes(e.call, e.identity)
		if err != nil {
			return err
		}
		q.Record[i] = remoteEntry{e.key, texts, e.reply.encode()}
	}
	// What was paid for is recorded although its caller's time is over.
	a, err := r.ask(context.WithoutCancel(ctx), q)
	if err != nil {
		return err
	}
	if len(a.Times) != len(all) {
		return fmt.Errorf("recordings of %s: %d of %d replies were recorded", r.name, len(a.Times), len(all))
	}
	for i := range all {
		all[i].reply.Time = time.Unix(0, a.Times[i]).UTC()
	}
	return nil
}

func storedBytes(c *Call, id identity) ([][]byte, error) {
	texts, err := c.stored(id)
	if err != nil {
		return nil, err
	}
	all := make([][]byte, len(texts))
	for i, t := range texts {
		all[i] = []byte(t)
	}
	return all, nil
}

// writable is nil: a reply that cannot be recorded is an error of its request.
func (r *remote) writable() error { return nil }

func (r *remote) watch(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}

func (r *remote) dimension(id identity) int {
	a, err := r.ask(context.Background(), remoteRequest{Vectors: id.json})
	if err != nil {
		return 0 // the first vector says it
	}
	return a.Dimension
}

func (r *remote) where() string { return "the recordings of " + r.name }

func (r *remote) nearest(c *Call) string {
	id, err := newIdentity(c.Identity)
	if err != nil {
		return ""
	}
	texts, err := storedBytes(c, id)
	if err != nil {
		return ""
	}
	a, err := r.ask(context.Background(), remoteRequest{Nearest: texts})
	if err != nil {
		return "" // it only explains a miss
	}
	return a.Nearest
}

func (r *remote) claimant(ctx context.Context) claimant {
	return remoteClaims{func(q remoteRequest) (remoteReply, error) { return r.ask(context.WithoutCancel(ctx), q) }}
}

// remoteClaims claims keys at the other process.
type remoteClaims struct {
	ask func(remoteRequest) (remoteReply, error)
}

func (c remoteClaims) take(k Key) (bool, error) {
	a, err := c.ask(remoteRequest{Claim: &k})
	return a.Claimed, err
}

func (c remoteClaims) release(k Key) {
	// A claim that stays goes with its worker.
	_, _ = c.ask(remoteRequest{Release: &k})
}

func (remoteClaims) waiting() {}

// A Server serves the recordings of a recorder to recorders of other processes. One
// call is in flight for each key over all of them. It is safe for concurrent use.
type Server struct {
	recorder *Recorder

	mu     sync.Mutex
	owners map[Key]string // of claims
}

// NewServer returns a server of a recorder's recordings.
func NewServer(r *Recorder) *Server { return &Server{recorder: r, owners: make(map[Key]string)} }

// Answer answers a request of a client, which an owner names. A recording whose key
// is not that of its request is an error, and is not recorded.
func (s *Server) Answer(ctx context.Context, owner string, request []byte) ([]byte, error) {
	var q remoteRequest
	if err := json.Unmarshal(request, &q); err != nil {
		return nil, fmt.Errorf("a request about recordings: %w", err)
	}
	store := s.recorder.store
	if store == nil {
		return nil, errors.New("a request about recordings, which the run has none of")
	}
	var a remoteReply
	var err error
	switch {
	case q.Find != nil:
		a.Found, err = s.find(ctx, q.Find)
	case q.Claim != nil:
		a.Claimed, err = s.claim(ctx, owner, *q.Claim)
	case q.Release != nil:
		s.release(ctx, owner, *q.Release)
	case q.Record != nil:
		a.Times, err = s.record(ctx, q.Record)
	case q.Vectors != nil:
		var id Identity
		var full identity
		if err = json.Unmarshal(q.Vectors, &id); err == nil {
			full, err = newIdentity(id)
		}
		if err == nil {
			a.Dimension = store.dimension(full)
		}
	case q.Nearest != nil:
		var c *Call
		if c, _, err = restore(stringsOf(q.Nearest)); err == nil {
			a.Nearest = store.nearest(c)
		}
	default:
		err = errors.New("a request about recordings that asks nothing")
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(a)
}

func (s *Server) find(ctx context.Context, keys []Key) (found []remoteFound, err error) {
	find, refresh, err := s.recorder.store.lookUp(ctx, keys)
	if err == nil && s.recorder.mode == Reuse {
		err = refresh()
	}
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if r, ok := find(k); ok {
			found = append(found, remoteFound{k, r.encode(), r.Time.UnixNano()})
		}
	}
	return found, nil
}

// claim claims a key for an owner.
func (s *Server) claim(ctx context.Context, owner string, k Key) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if has, ok := s.owners[k]; ok {
		return has == owner, nil
	}
	free, err := s.recorder.store.claimant(ctx).take(k)
	if free {
		s.owners[k] = owner
	}
	return free, err
}

func (s *Server) release(ctx context.Context, owner string, k Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owners[k] == owner {
		delete(s.owners, k)
		s.recorder.store.claimant(ctx).release(k)
	}
}

// Lost releases what an owner has claimed.
func (s *Server) Lost(ctx context.Context, owner string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, has := range s.owners {
		if has == owner {
			delete(s.owners, k)
			s.recorder.store.claimant(ctx).release(k)
		}
	}
}

// record records replies whose keys are those of their requests.
func (s *Server) record(ctx context.Context, all []remoteEntry) ([]int64, error) {
	entries := make([]entry, len(all))
	for i, e := range all {
		c, id, err := restore(stringsOf(e.Texts))
		if err != nil {
			return nil, fmt.Errorf("recording %s: %w", e.Key.ID(), err)
		}
		key, err := c.key(id)
		if err != nil {
			return nil, fmt.Errorf("recording %s: %w", e.Key.ID(), err)
		}
		if key != e.Key {
			return nil, fmt.Errorf("recording %s is of another call: its key is %s", e.Key.ID(), key.ID())
		}
		reply, err := decodeReply(e.Reply)
		if err != nil {
			return nil, fmt.Errorf("recording %s: %w", e.Key.ID(), err)
		}
		entries[i] = entry{key, id, c, reply}
	}
	if err := s.recorder.store.record(ctx, entries); err != nil {
		return nil, err
	}
	times := make([]int64, len(entries))
	for i, e := range entries {
		times[i] = e.reply.Time.UnixNano()
	}
	return times, nil
}

func stringsOf(texts [][]byte) []string {
	all := make([]string, len(texts))
	for i, t := range texts {
		all[i] = string(t)
	}
	return all
}

// Package recallbench is a kit for memories that recallbench measures: one file,
// standard library only, Go 1.22 or later. Copy it into a folder recallbench of your
// module, write a type with the methods of [Memory] and [Searcher] or [Answerer],
// and call [Serve]:
//
//	func main() {
//		recallbench.Serve(recallbench.Adapter{Name: "mine", Version: "1.0"}, open)
//	}
//
// What is printed to os.Stdout goes to the log. Libraries that read the clock or draw
// random numbers should take [Now] and [Rand], which give the same in each run.
package recallbench

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Protocol is what the kit speaks.
const Protocol = "recallbench-memory/1"

// An Adapter says what an adapter is.
type Adapter struct {
	Name, Version string
	// Libraries holds versions that results depend on, by name. An empty version is
	// that of the Go module of this name in the build.
	Libraries map[string]string
	Memories  int // at once in a process; 0 is 1
	Queries   int // at once in a memory; 0 is 1
	// Mutates says that a search changes what later ones find.
	Mutates bool
	// Deterministic says that the same input and model replies give the same blocks
	// and model calls.
	Deterministic bool
	// Attributes says that all model calls carry [RequestID].
	Attributes bool
	Sources    string // "exact" where blocks name all turns they come from; "" is "none"
	IDs        string // "stable" where ids of blocks are the same in each run; "" is "content"
}

// A Memory remembers one conversation. It may have more methods: those of [Searcher],
// [Answerer], [Finisher], [Sized], [Snapshotter], [Dumper] and [Closer].
type Memory interface {
	// Add takes the next session. Sessions come in the order of time.
	Add(ctx context.Context, s Session) error
}

// A Searcher finds what it remembers.
type Searcher interface {
	// Search returns at most k blocks, best first. The harness cuts them to tokens,
	// where that is above 0.
	Search(ctx context.Context, r Request, k, tokens int) ([]Block, error)
}

// An Answerer answers by itself.
type Answerer interface {
	Answer(ctx context.Context, r Request) (Answer, error)
}

// A Finisher has work to do after the last session.
type Finisher interface {
	// Finish returns when everything can be found.
	Finish(ctx context.Context) error
}

// A Sized memory tells how much it holds; no bytes are unknown ones.
type Sized interface {
	Size() (items, bytes int)
}

// A Snapshotter stores itself. [Opening] has the path when it is restored.
type Snapshotter interface {
	Snapshot(ctx context.Context, path string) error
}

// A Dumper tells what it holds.
type Dumper interface {
	Dump(ctx context.Context) ([]Block, error)
}

// A Closer frees what it holds.
type Closer interface {
	Close(ctx context.Context) error
}

// An Opening says what memory is opened.
type Opening struct {
	ID       string
	Speakers []string
	Work     string // a folder of its own, which exists
	Models   Models
	Seed     uint64
	Restore  string // path of a snapshot; empty for a new memory

	given *json.RawMessage
}

// Options decodes the options of the run file into a struct that holds the defaults.
// Names that it lacks are refused; so are all where Options is not called.
func (o Opening) Options(into any) error {
	given := *o.given
	*o.given = nil
	if len(given) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(given))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return &rpcError{-32602, "bad_request", "options: " + strings.TrimPrefix(err.Error(), "json: ")}
	}
	return nil
}

// Models is an OpenAI-compatible endpoint. A library's client takes BaseURL and Key.
type Models struct {
	BaseURL    string `json:"base_url"`
	Key        string `json:"key"`
	Chat       string `json:"chat"`  // name of the chat model
	Embed      string `json:"embed"` // name of the embedder
	Dimensions int    `json:"dimensions"`
}

// A Session is a stretch of the conversation. Times are by the conversation's clock,
// in UTC; the zero time is unknown.
type Session struct {
	ID       string
	Time     time.Time `json:"-"`
	Turns    []Turn
	Speakers []string `json:"-"` // of the conversation
}

// A Turn is one utterance.
type Turn struct {
	ID, Speaker, Text string
	Time              time.Time `json:"-"`
	Image             *Image
}

// An Image is what words tell of a picture.
type Image struct{ Caption, Query string }

// A Request is a question.
type Request struct {
	ID, Text string
	Time     time.Time `json:"-"`
}

// An Answer is the text, with the blocks that it rests on.
type Answer struct {
	Text   string
	Blocks []Block
}

// A Block is a piece of memory.
type Block struct {
	Text    string
	Score   float64
	Time    time.Time // zero for none
	ID      string
	Sources []string // ids of turns
}

// A Message is one of a chat.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Content returns the text, and in brackets what an image shows.
func (t Turn) Content() string {
	text := t.Text
	add := func(part string) {
		if text != "" {
			text += " "
		}
		text += part
	}
	if t.Image != nil && t.Image.Caption != "" {
		add("[image: " + t.Image.Caption + "]")
	}
	if t.Image != nil && t.Image.Query != "" {
		add("[image search: " + t.Image.Query + "]")
	}
	return text
}

// Line returns the turn as "Speaker: content".
func (t Turn) Line() string { return t.Speaker + ": " + t.Content() }

// Named returns the turns as messages of the user, each with the speaker's name.
func (s Session) Named() (messages []Message) {
	for _, t := range s.Turns {
		messages = append(messages, Message{"user", t.Line()})
	}
	return messages
}

// Roles returns the turns as messages: the first speaker is the user, others are the
// assistant.
func (s Session) Roles() (messages []Message) {
	for _, t := range s.Turns {
		role := "assistant"
		if len(s.Speakers) > 0 && t.Speaker == s.Speakers[0] {
			role = "user"
		}
		messages = append(messages, Message{role, t.Content()})
	}
	return messages
}

const layout = "2006-01-02T15:04:05"

// withTime decodes what has a time without a zone, or null.
func withTime(data []byte, into any, at *time.Time) error {
	var timed struct{ Time string }
	err := errors.Join(json.Unmarshal(data, &timed), json.Unmarshal(data, into))
	*at, _ = time.Parse(layout, timed.Time) // what is none is unknown
	return err
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Session) UnmarshalJSON(data []byte) error {
	type plain Session
	return withTime(data, (*plain)(s), &s.Time)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Turn) UnmarshalJSON(data []byte) error {
	type plain Turn
	return withTime(data, (*plain)(t), &t.Time)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Request) UnmarshalJSON(data []byte) error {
	type plain Request
	return withTime(data, (*plain)(r), &r.Time)
}

// MarshalJSON implements [json.Marshaler]: a score that is no number is left out.
func (b Block) MarshalJSON() ([]byte, error) {
	all := map[string]any{"text": b.Text}
	if b.Score != 0 && !math.IsNaN(b.Score) && !math.IsInf(b.Score, 0) {
		all["score"] = b.Score
	}
	if !b.Time.IsZero() {
		all["time"] = b.Time.UTC().Format(layout)
	}
	if b.ID != "" {
		all["id"] = b.ID
	}
	if len(b.Sources) > 0 {
		all["sources"] = b.Sources
	}
	return json.Marshal(all)
}

// An Error is a failure with its kind: rate_limit, unavailable, timeout, not_ready,
// model, refused, schema, unsupported, bad_request or internal. Other errors are
// internal, those that wrap it are of its kind.
type Error struct {
	Kind, Message string
	RetryAfter    time.Duration // for a rate limit
	Unapplied     bool          // nothing was changed: what was to be added may be sent again
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// An rpcError is a failure of the request itself.
type rpcError struct {
	code          int
	kind, message string
}

func (e *rpcError) Error() string { return e.message }

// What a call is for, in its context. ------------------------------------------

type momentKey struct{}

// A moment is one call: what the clock shows in it, and what is drawn from.
type moment struct {
	models   Models
	memory   string
	request  string
	time     time.Time
	scope    string
	readings atomic.Int64
	draws    atomic.Int64
	mu       sync.Mutex
	notes    []string
}

func of(ctx context.Context) *moment {
	if m, ok := ctx.Value(momentKey{}).(*moment); ok {
		return m
	}
	return &moment{time: unknown}
}

var (
	sessionClock = os.Getenv("RECALLBENCH_CLOCK") == "session"
	unknown      = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC) // what the clock shows before any time is known
)

// Now returns the time to read dates by: under clock: session that of the
// conversation, a millisecond later with each call, else the real one.
func Now(ctx context.Context) time.Time {
	if !sessionClock {
		return time.Now()
	}
	m := of(ctx)
	return m.time.Add(time.Duration(m.readings.Add(1)-1) * time.Millisecond)
}

// Rand returns a source of random numbers, also an [io.Reader] for ids: under clock:
// session the same in each run.
func Rand(ctx context.Context) *rand.ChaCha8 {
	m := of(ctx)
	seed := fmt.Sprintf("%s\n%d", m.scope, m.draws.Add(1))
	key := sha256.Sum256([]byte(seed))
	if !sessionClock {
		_, _ = cryptorand.Read(key[:]) // never fails
	}
	return rand.NewChaCha8(key)
}

// RequestID returns the value of the header X-Recallbench-Request for model calls,
// which tells searches apart that run at once; empty while the memory is built.
func RequestID(ctx context.Context) string { return of(ctx).request }

// Note adds a remark to the result of a search or an answer.
func Note(ctx context.Context, text string) {
	m := of(ctx)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notes = append(m.notes, text)
}

// Progress tells how far a long call is; a total of 0 is unknown.
func Progress(ctx context.Context, done, total int, note string) {
	params := map[string]any{"memory": of(ctx).memory, "done": done, "note": note}
	if total > 0 {
		params["total"] = total
	}
	write(map[string]any{"method": "$/progress", "params": params})
}

// Log writes a line to the log of the run.
func Log(level, text string) {
	write(map[string]any{"method": "$/log", "params": map[string]any{"level": level, "text": text}})
}

// Models, for authors without an SDK. -------------------------------------------

// Post asks the models' endpoint, at a path such as /chat/completions.
func Post(ctx context.Context, path string, body, reply any) error {
	m := of(ctx)
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.models.BaseURL+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+m.models.Key)
	if m.request != "" {
		r.Header.Set("X-Recallbench-Request", m.request)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		kind := "model"
		if resp.StatusCode == http.StatusTooManyRequests {
			kind = "rate_limit"
		}
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 2000)) // what there is of a message
		return &Error{Kind: kind, Message: fmt.Sprintf("%s: status %d: %s", path, resp.StatusCode, text)}
	}
	return json.NewDecoder(resp.Body).Decode(reply)
}

// Chat returns the model's reply to messages.
func Chat(ctx context.Context, messages ...Message) (string, error) {
	var reply struct {
		Choices []struct{ Message Message }
	}
	err := Post(ctx, "/chat/completions", map[string]any{"model": of(ctx).models.Chat, "messages": messages}, &reply)
	if err == nil && len(reply.Choices) == 0 {
		err = &Error{Kind: "model", Message: "the chat completion has no choice"}
	}
	if err != nil {
		return "", err
	}
	return reply.Choices[0].Message.Content, nil
}

// Embed returns the vector of each text.
func Embed(ctx context.Context, texts ...string) ([][]float32, error) {
	const most = 256 // at once
	vectors := make([][]float32, len(texts))
	for start := 0; start < len(texts); start += most {
		part := texts[start:min(start+most, len(texts))]
		var reply struct {
			Data []struct {
				Index     int
				Embedding []float32
			}
		}
		if err := Post(ctx, "/embeddings", map[string]any{"model": of(ctx).models.Embed, "input": part, "encoding_format": "float"}, &reply); err != nil {
			return nil, err
		}
		for _, d := range reply.Data {
			if d.Index < 0 || d.Index >= len(part) {
				return nil, &Error{Kind: "model", Message: fmt.Sprintf("an embedding has index %d of %d", d.Index, len(part))}
			}
			vectors[start+d.Index] = d.Embedding
		}
	}
	return vectors, nil
}

// The server. -------------------------------------------------------------------

// A channel carries replies where nothing that is printed reaches.
type channel struct {
	mu  sync.Mutex
	out *os.File
}

var replies = sync.OnceValue(func() *channel {
	c := &channel{out: os.Stdout}
	os.Stdout = os.Stderr // what is printed is a log
	if fd := os.Getenv("RECALLBENCH_OUT"); fd != "" {
		var n uintptr
		if _, err := fmt.Sscan(fd, &n); err != nil {
			fmt.Fprintf(os.Stderr, "RECALLBENCH_OUT is %q, want a number\n", fd)
			os.Exit(2)
		}
		c.out = os.NewFile(n, "replies")
		// Opened anew, so that children do not inherit it.
		if again, err := os.OpenFile("/dev/fd/"+fd, os.O_WRONLY, 0); err == nil {
			_ = c.out.Close() // nothing was written
			c.out = again
		}
	}
	for _, name := range []string{"RECALLBENCH_OUT", "RECALLBENCH_SEED"} {
		_ = os.Unsetenv(name) // not for children; it is no fault if it stays
	}
	return c
})

// Under the harness os.Stdout is a log from the start.
var _ = os.Getenv("RECALLBENCH_OUT")+os.Getenv("RECALLBENCH_SEED") != "" && replies() != nil

// write sends a message as a line.
func write(message map[string]any) {
	message["jsonrpc"] = "2.0"
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(message); err != nil {
		if message["result"] == nil {
			return // a notification that JSON cannot say
		}
		write(map[string]any{"id": message["id"], "error": fault(err)})
		return
	}
	c := replies()
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.out.Write(line.Bytes()); err != nil {
		os.Exit(1) //nolint:gocritic // the harness is gone
	}
}

// A held memory is one that is open.
type held struct {
	memory   Memory
	id       string
	models   Models
	speakers []string
	gate     chan struct{}

	mu   sync.Mutex
	last time.Time
}

// A message is a request or a notification, with the parameters of any.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ID       json.RawMessage // of what is cancelled
		Protocol string
		Seed     uint64
		Models   *Models
		Memory   *string
		Sample   struct{ Speakers []string }
		Options  json.RawMessage
		Work     string
		Restore  string
		Session  *Session
		Request  *Request
		K        *int
		Tokens   int
		Path     string
		After    string
		Limit    int
	}
}

// A server answers the harness.
type server struct {
	adapter Adapter
	does    map[string]bool
	queue   chan func() // that answer, in order
	open    func(context.Context, Opening) (Memory, error)

	mu       sync.Mutex
	started  bool
	seed     uint64
	models   Models
	memories map[string]*held
	jobs     map[string]context.CancelFunc // by id
}

// queueLength is how many requests wait before their sender does.
const queueLength = 4096

// Serve answers the harness until its input ends, and ends the program. M, what open
// returns, is a type of yours and no interface: what methods it has is declared
// before any memory is open.
func Serve[M Memory](a Adapter, open func(context.Context, Opening) (M, error)) {
	replies()
	var none M
	if reflect.TypeFor[M]().Kind() == reflect.Interface {
		fmt.Fprintf(os.Stderr, "recallbench.Serve: open returns the interface %v, want a type of yours such as *memory\n", reflect.TypeFor[M]())
		os.Exit(2)
	}
	a.Memories, a.Queries = max(a.Memories, 1), max(a.Queries, 1)
	s := &server{
		adapter: a, does: make(map[string]bool), memories: make(map[string]*held), jobs: make(map[string]context.CancelFunc), queue: make(chan func(), queueLength),
		open: func(ctx context.Context, o Opening) (Memory, error) { return open(ctx, o) },
	}
	_, s.does["search"] = any(none).(Searcher)
	_, s.does["answer"] = any(none).(Answerer)
	_, s.does["snapshot"] = any(none).(Snapshotter)
	_, s.does["dump"] = any(none).(Dumper)
	for range a.Memories * a.Queries {
		go func() {
			for answer := range s.queue {
				answer()
			}
		}()
	}
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 && err == nil {
			s.accept(line)
		}
		if err != nil {
			os.Exit(0) // goroutines of libraries do not hold it up
		}
	}
}

func (s *server) accept(line []byte) {
	var m message
	err := json.Unmarshal(line, &m)
	var wrong *json.UnmarshalTypeError
	switch {
	case m.Method == "" || err != nil && !errors.As(err, &wrong):
		write(map[string]any{"id": nil, "error": fault(&rpcError{-32700, "bad_request", fmt.Sprintf("not a request: %v", cmp.Or(err, errors.New("it has no method")))})})
	case m.Method == "$/cancel":
		s.mu.Lock()
		defer s.mu.Unlock()
		if cancel := s.jobs[string(m.Params.ID)]; cancel != nil {
			cancel()
		}
	case m.ID == nil: // another notification
	default:
		ctx, cancel := context.WithCancel(context.Background())
		s.mu.Lock()
		s.jobs[string(m.ID)] = cancel
		s.mu.Unlock()
		if err != nil {
			err = &rpcError{-32602, "bad_request", err.Error()}
		}
		answer := func() {
			defer cancel()
			s.reply(ctx, m, err)
		}
		if m.Method == "initialize" { // before what follows
			answer()
		} else {
			s.queue <- answer
		}
	}
}

// reply answers a request, be it that its parameters are wrong already.
func (s *server) reply(ctx context.Context, m message, err error) {
	var result any
	if err = cmp.Or(err, ctx.Err()); err == nil {
		result, err = s.guarded(ctx, m)
	}
	if err != nil && ctx.Err() != nil {
		err = &rpcError{-32800, "", "cancelled"}
	}
	s.mu.Lock()
	delete(s.jobs, string(m.ID))
	s.mu.Unlock()
	if err != nil {
		write(map[string]any{"id": m.ID, "error": fault(err)})
		return
	}
	write(map[string]any{"id": m.ID, "result": result})
}

// A panicError is a panic of the adapter's code.
type panicError struct {
	text  string
	trace string
}

func (e *panicError) Error() string { return "panic: " + e.text }

func (s *server) guarded(ctx context.Context, m message) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, &panicError{fmt.Sprint(p), clip(string(debug.Stack()), 4000)}
		}
	}()
	return s.call(ctx, m)
}

// clip cuts a text to a number of bytes, at a character.
func clip(s string, most int) string { return strings.ToValidUTF8(s[:min(len(s), most)], "") }

// fault returns an error as the wire has it.
func fault(err error) map[string]any {
	data := map[string]any{"kind": "internal"}
	out := map[string]any{"code": -32000, "message": clip(err.Error(), 2000), "data": data}
	var ours *Error
	var rpc *rpcError
	var panicked *panicError
	var network net.Error
	switch {
	case errors.As(err, &rpc):
		out["code"], data["kind"] = rpc.code, rpc.kind
	case errors.As(err, &ours):
		data["kind"] = ours.Kind
		if ours.RetryAfter > 0 {
			data["retry_after"] = ours.RetryAfter.Seconds()
		}
		if ours.Unapplied {
			data["applied"] = false
		}
	case errors.As(err, &panicked):
		data["trace"] = panicked.trace
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		data["kind"] = "timeout"
	case errors.As(err, &network):
		data["kind"] = "unavailable"
	}
	return out
}

func (s *server) call(ctx context.Context, m message) (any, error) {
	p := m.Params
	s.mu.Lock()
	started := s.started
	s.mu.Unlock()
	switch {
	case m.Method == "shutdown":
		return struct{}{}, nil
	case m.Method == "initialize":
		return s.initialize(m)
	case !started:
		return nil, &rpcError{-32600, "bad_request", "the first request is not initialize"}
	}
	what, ours := strings.CutPrefix(m.Method, "memory/")
	switch what {
	case "open", "add", "finish", "search", "answer", "snapshot", "dump", "close":
	default:
		ours = false
	}
	switch {
	case !ours:
		return nil, &rpcError{-32601, "bad_request", fmt.Sprintf("unknown method %q", m.Method)}
	case p.Memory == nil:
		return nil, missing("memory")
	case what == "open":
		return struct{}{}, s.opened(ctx, m)
	}
	s.mu.Lock()
	h := s.memories[*p.Memory]
	if what == "close" {
		delete(s.memories, *p.Memory)
	}
	s.mu.Unlock()
	if h == nil {
		return nil, &rpcError{-32602, "unknown_memory", fmt.Sprintf("no memory %q is open", *p.Memory)}
	}
	select {
	case h.gate <- struct{}{}:
		defer func() { <-h.gate }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.ask(ctx, h, what, m)
}

func missing(name string) error { return &rpcError{-32602, "bad_request", name + " is missing"} }

func (s *server) initialize(m message) (any, error) {
	if m.Params.Protocol != Protocol {
		return nil, &rpcError{-32602, "bad_request", fmt.Sprintf("protocol is %q, want %q", m.Params.Protocol, Protocol)}
	}
	a := s.adapter
	built := make(map[string]string)
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			built[d.Path] = d.Version
		}
	}
	libraries := make(map[string]string)
	maps.Copy(libraries, a.Libraries)
	for name, version := range libraries {
		if libraries[name] = cmp.Or(version, built[name]); libraries[name] == "" {
			return nil, &Error{Kind: "internal", Message: fmt.Sprintf("the build has no module %q; give the version of this library", name)}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.started, s.seed = true, m.Params.Seed
	if m.Params.Models != nil {
		s.models = *m.Params.Models
	}
	capabilities := map[string]any{
		"memories": a.Memories, "queries": a.Queries, "mutates": a.Mutates, "deterministic": a.Deterministic,
		"attributes": a.Attributes, "sources": cmp.Or(a.Sources, "none"), "ids": cmp.Or(a.IDs, "content"),
	}
	for name, does := range s.does {
		capabilities[name] = does
	}
	return map[string]any{
		"protocol": Protocol, "name": a.Name, "version": cmp.Or(a.Version, "0"), "libraries": libraries, "capabilities": capabilities,
	}, nil
}

// enter makes the context of one call of the adapter's code.
func (s *server) enter(ctx context.Context, h *held, method, which, request string, at time.Time) (context.Context, *moment) {
	h.mu.Lock()
	last := h.last
	h.mu.Unlock()
	if at.IsZero() {
		at = last
	}
	m := &moment{models: h.models, memory: h.id, request: request, time: at, scope: fmt.Sprintf("%d\n%s\n%s\n%s", s.seed, h.id, method, which)}
	return context.WithValue(ctx, momentKey{}, m), m
}

func (s *server) opened(ctx context.Context, m message) error {
	p := m.Params
	s.mu.Lock()
	h := &held{id: *p.Memory, models: s.models, speakers: p.Sample.Speakers, gate: make(chan struct{}, s.adapter.Queries), last: unknown}
	_, known := s.memories[h.id]
	s.mu.Unlock()
	if known {
		return &rpcError{-32602, "bad_request", fmt.Sprintf("memory %q is open already", h.id)}
	}
	if p.Models != nil {
		h.models = *p.Models
	}
	if p.Work != "" {
		if err := os.MkdirAll(p.Work, 0o700); err != nil {
			return err
		}
	}
	options := p.Options
	o := Opening{ID: h.id, Speakers: h.speakers, Work: p.Work, Models: h.models, Seed: s.seed, Restore: p.Restore, given: &options}
	ctx, _ = s.enter(ctx, h, m.Method, "", "", time.Time{})
	var err error
	if h.memory, err = s.open(ctx, o); err != nil {
		return err
	}
	if err := o.Options(&struct{}{}); err != nil { // unless open has taken them
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.memories[h.id] = h
	return nil
}

// ask calls the adapter's code.
func (s *server) ask(ctx context.Context, h *held, what string, m message) (any, error) {
	p := m.Params
	switch what {
	case "add":
		if p.Session == nil {
			return nil, missing("session")
		}
		p.Session.Speakers = h.speakers
		ctx, _ = s.enter(ctx, h, m.Method, p.Session.ID, "", p.Session.Time)
		if err := h.memory.Add(ctx, *p.Session); err != nil {
			return nil, err
		}
		h.remember(*p.Session)
		return h.size(), nil
	case "finish":
		f, ok := h.memory.(Finisher)
		if !ok {
			return h.size(), nil
		}
		ctx, _ = s.enter(ctx, h, m.Method, "", "", time.Time{})
		if err := f.Finish(ctx); err != nil {
			return nil, err
		}
		return h.size(), nil
	case "search", "answer":
		return s.find(ctx, h, what, m)
	case "snapshot":
		c, ok := h.memory.(Snapshotter)
		if !ok {
			return nil, &Error{Kind: "unsupported", Message: "the adapter has no Snapshot"}
		}
		if p.Path == "" {
			return nil, missing("path")
		}
		ctx, _ = s.enter(ctx, h, m.Method, "", "", time.Time{})
		return struct{}{}, c.Snapshot(ctx, p.Path)
	case "dump":
		d, ok := h.memory.(Dumper)
		if !ok {
			return nil, &Error{Kind: "unsupported", Message: "the adapter has no Dump"}
		}
		ctx, _ = s.enter(ctx, h, m.Method, "", "", time.Time{})
		items, err := d.Dump(ctx)
		if err != nil {
			return nil, err
		}
		at, err := strconv.Atoi(cmp.Or(p.After, "0"))
		if err != nil || at < 0 || at > len(items) || p.Limit < 1 {
			return nil, &rpcError{-32602, "bad_request", fmt.Sprintf("no page of %d items after %q", p.Limit, p.After)}
		}
		end, next := min(at+p.Limit, len(items)), ""
		if end < len(items) {
			next = strconv.Itoa(end)
		}
		return map[string]any{"items": append([]Block{}, items[at:end]...), "next": next}, nil
	default: // close
		c, ok := h.memory.(Closer)
		if !ok {
			return struct{}{}, nil
		}
		ctx, _ = s.enter(ctx, h, m.Method, "", "", time.Time{})
		return struct{}{}, c.Close(ctx)
	}
}

// find searches, or asks for an answer.
func (s *server) find(ctx context.Context, h *held, what string, m message) (any, error) {
	p := m.Params
	if p.Request == nil {
		return nil, missing("request")
	}
	ctx, at := s.enter(ctx, h, m.Method, p.Request.ID, p.Request.ID, p.Request.Time)
	result := make(map[string]any)
	var blocks []Block
	var err error
	if what == "search" {
		c, ok := h.memory.(Searcher)
		switch {
		case !ok:
			return nil, &Error{Kind: "unsupported", Message: "the adapter has no Search"}
		case p.K == nil:
			return nil, missing("k")
		}
		blocks, err = c.Search(ctx, *p.Request, *p.K, p.Tokens)
	} else {
		c, ok := h.memory.(Answerer)
		if !ok {
			return nil, &Error{Kind: "unsupported", Message: "the adapter has no Answer"}
		}
		var answer Answer
		answer, err = c.Answer(ctx, *p.Request)
		result["text"], blocks = answer.Text, answer.Blocks
	}
	if err != nil {
		return nil, err
	}
	for i, b := range blocks {
		if b.Text == "" {
			return nil, fmt.Errorf("block %d: the text of a block is empty", i+1)
		}
	}
	result["blocks"] = append([]Block{}, blocks...)
	at.mu.Lock()
	defer at.mu.Unlock()
	if len(at.notes) > 0 {
		result["notes"] = at.notes
	}
	return result, nil
}

// remember notes the latest time of what was added.
func (h *held) remember(s Session) {
	latest := s.Time
	for _, t := range s.Turns {
		if t.Time.After(latest) {
			latest = t.Time
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !latest.IsZero() {
		h.last = latest
	}
}

// size returns what the memory says of its size.
func (h *held) size() map[string]any {
	out := make(map[string]any)
	if m, ok := h.memory.(Sized); ok {
		items, bytes := m.Size()
		out["items"] = items
		if bytes > 0 {
			out["bytes"] = bytes
		}
	}
	return out
}

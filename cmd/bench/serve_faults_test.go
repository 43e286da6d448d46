package main

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/modelserver"
	"recallbench/internal/testkit/try"
	"recallbench/runners/fleet"
)

// A liar speaks to a coordinator as a worker does, but says what it likes.
type liar struct {
	t       *testing.T
	conn    *nats.Conn
	run     string
	asks    string // subject
	session string
	number  int
}

// said is what the coordinator answers.
type said struct {
	Status string
	Fault  struct{ Message string }
	Body   json.RawMessage
}

func newLiar(t *testing.T, s *served) *liar {
	t.Helper()
	access := try.Get(fleet.ReadAccess(s.access))(t)
	user := rand.Text()
	conn, err := nats.Connect(s.url, nats.UserInfo(user, access.Token), nats.CustomInboxPrefix("_INBOX."+user), nats.Secure(&tls.Config{InsecureSkipVerify: true})) //nolint:gosec // the test's own server
	try.Do(t, err)
	t.Cleanup(conn.Close)
	return &liar{t: t, conn: conn, run: access.Run, asks: "bench." + access.Run + ".ask." + user}
}

// ownSum is the SHA-256 of the test binary.
func ownSum(t *testing.T) string {
	t.Helper()
	path := try.Get(os.Executable())(t)
	data := try.Get(os.ReadFile(path))(t)
	return fmt.Sprintf("%x", sha256.Sum256(data))
}

// join begins a session with the plan of the run.
func (l *liar) join(token string) {
	l.t.Helper()
	l.session = ""
	var welcome struct {
		Session string
		Header  map[string]any
	}
	hello := map[string]any{"run": l.run, "token": token, "name": "liar", "binary": binary(), "sum": ownSum(l.t)}
	try.Do(l.t, json.Unmarshal(l.ask("hello", hello).Body, &welcome))
	l.session = welcome.Session
	if a := l.ask("join", welcome.Header); a.Status != "ok" {
		l.t.Fatalf("join: %+v", a)
	}
}

// A worker can neither send others home, nor hear what they are told or speak for them,
// nor have the coordinator say something where workers may not, nor spend what it did
// not lease.
func TestServeMalicious(t *testing.T) {
	free := make(chan struct{})
	var arrived atomic.Int64
	server := modelserver.New(t, modelserver.Options{Observe: func(*http.Request, []byte) {
		arrived.Add(1)
		<-free
	}})
	dir := filepath.Join(t.TempDir(), "many")
	s := serve(t.Context(), t, questions(t, 3, 2, "name: live\nbudget: {tokens: 5000000}\nconcurrency: {samples: 1}\n"), "--model", liveModel(t, server, ""), "--calls", "off", "--out", dir, "--patience", "2s")
	access := try.Get(fleet.ReadAccess(s.access))(t)
	l, victim := newLiar(t, s), newLiar(t, s)
	over := try.Get(victim.conn.SubscribeSync("bench." + l.run + ".over"))(t)
	honest := make(chan ran, 1)
	go func() { honest <- s.work(t) }()
	l.join(access.Token)
	victim.join(access.Token)
	until(t, func() bool { return arrived.Load() > 0 })

	// Who listens where it may not hears nothing.
	spied := try.Get(l.conn.SubscribeSync("_INBOX.>"))(t)
	// Answers go to the own inbox alone.
	question := try.Get(json.Marshal(map[string]any{"session": l.session, "number": 1000, "op": "beat"}))(t)
	inbox := victim.conn.NewRespInbox()
	answered := try.Get(victim.conn.SubscribeSync(inbox))(t)
	for _, reply := range []string{"bench." + l.run + ".over", inbox, "$JS.API.STREAM.DELETE.bench-" + l.run} {
		try.Do(t, l.conn.PublishRequest(l.asks, reply, question))
	}
	// Nor does a word of a worker end the run, or a question in the name of another.
	try.Do(t, errors.Join(l.conn.Publish("bench."+l.run+".over", nil), l.conn.PublishRequest(victim.asks, inbox, question)))
	// The queue tells units where a worker says.
	try.Do(t, l.conn.PublishRequest("$JS.API.CONSUMER.MSG.NEXT.bench-"+l.run+".workers", "bench."+l.run+".over", nil))
	if m, err := over.NextMsg(time.Minute); err != nil || !strings.Contains(string(m.Data), "sample") {
		t.Errorf("the queue tells %v, %v", m, err) // so the subject alone must say nothing
	}
	victim.ask("beat", nil) // when it is answered, what came before would be there
	for where, sub := range map[string]*nats.Subscription{"an inbox of others": spied, "the inbox of the victim": answered} {
		if m, err := sub.NextMsg(100 * time.Millisecond); err == nil {
			t.Errorf("%s has %s", where, m.Data)
		}
	}
	l.session, victim.session = victim.session, l.session
	if a := l.ask("beat", nil); a.Status != "unknown" {
		t.Errorf("in the session of another the answer is %q", a.Status)
	}
	l.session, victim.session = victim.session, l.session

	// A lease bounds what is settled.
	lease := l.ask("reserve", map[string]any{"tokens": 100, "usd": 0})
	settlement := func(tokens int) map[string]any {
		return map[string]any{"lease": lease.Body, "model": "test", "paid": map[string]any{"calls": 1, "tokens": tokens}}
	}
	l.refused("more than the call", "settle", settlement(4_999_999))
	l.refused("less than nothing", "settle", settlement(-100))
	if a := l.ask("settle", settlement(90)); a.Status != "ok" {
		t.Errorf("settle: %+v", a)
	}
	l.refused("a call of -5 tokens", "pass", map[string]any{"account": "test", "tokens": -5})

	for _, one := range []*liar{l, victim} {
		one.ask("bye", nil)
		one.conn.Close()
	}
	close(free)
	if r := <-honest; r.code != 0 {
		t.Errorf("the honest worker ends with %d\n%s", r.code, r.stderr)
	}
	s.ended(t, exitOK)
	records := 0
	for name, text := range recorded(t, dir) {
		if strings.HasSuffix(name, "records.jsonl") {
			records += strings.Count(text, `"status":"ok"`)
		}
	}
	if records != 6 {
		t.Errorf("%d records, want 6", records)
	}
}

func (l *liar) ask(op string, body any) (a said) {
	l.t.Helper()
	l.number++
	data := try.Get(json.Marshal(map[string]any{"session": l.session, "number": l.number, "op": op, "body": body}))(l.t)
	var m *nats.Msg
	var err error
	until(l.t, func() bool { // the coordinator listens after its address is said
		m, err = l.conn.Request(l.asks, data, time.Minute)
		return !errors.Is(err, nats.ErrNoResponders)
	})
	if err != nil {
		l.t.Fatalf("%s: %v", op, err)
	}
	try.Do(l.t, json.Unmarshal(m.Data, &a))
	return a
}

// refused asks and wants to be refused with a message.
func (l *liar) refused(want, op string, body any) {
	l.t.Helper()
	if a := l.ask(op, body); a.Status != "failed" || !strings.Contains(a.Fault.Message, want) {
		l.t.Errorf("%s: %s %q, want it refused with %q", op, a.Status, a.Fault.Message, want)
	}
}

// What does not belong to the run is refused and said, and the run goes on to the
// folder of one machine.
func TestServeRefuses(t *testing.T) {
	text := fmt.Sprintf(`
name: many
datasets: [{use: jsonl, options: {files: [%s]}}]
methods: [{use: flat-rag, options: {k: 5}}]
metrics: [f1@mem0, tokens]
`, chats(t, 3))
	config, root := write(t, "many.yaml", text), t.TempDir()
	one, many := filepath.Join(root, "one"), filepath.Join(root, "many")
	must(t, "run", config, "--out", one, "--display", "none")
	s := serve(t.Context(), t, config, "--out", many)

	garbage := try.Get(new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "tls://")))(t)
	defer garbage.Close()
	try.Get(fmt.Fprint(garbage, "GET / HTTP/1.1\r\n\r\n\x00\xff{}\r\n"))(t)

	data := try.Get(os.ReadFile(s.access))(t)
	access := decode[map[string]any](t, data)
	if info, err := os.Stat(s.access); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read the access file: %v, %v", info.Mode(), err)
	}
	for key, tt := range map[string]struct {
		value any
		want  string
	}{
		"token":              {"wrong", "refuses the token"},
		"certificate_sha256": {[]byte("wrong"), "another certificate"},
	} {
		right := access[key]
		access[key] = tt.value
		changed := try.Get(json.Marshal(access))(t)
		access[key] = right
		r := run(t, "work", s.url, "--access", write(t, "worker.json", string(changed)), "--patience", "1ms")
		if r.code != 2 || !strings.Contains(r.stderr, tt.want) {
			t.Errorf("a worker with another %s ends with %d\n%s", key, r.code, r.stderr)
		}
	}

	l := newLiar(t, s)
	hello := map[string]any{"run": l.run, "token": access["token"], "name": "liar", "binary": map[string]any{"version": "v0.0.1"}}
	l.refused("the worker is version v0.0.1", "hello", hello)
	hello["binary"] = binary()
	l.refused("another build", "hello", hello)
	hello["sum"] = ownSum(t)
	hello["token"] = "wrong"
	l.refused("the token is not that of the run", "hello", hello)
	hello["token"] = access["token"]
	if a := l.ask("beat", nil); a.Status != "unknown" {
		t.Errorf("a question without a session is answered with %q", a.Status)
	}
	a := l.ask("hello", hello)
	var welcome struct {
		Session string
		Header  map[string]any
	}
	try.Do(t, json.Unmarshal(a.Body, &welcome))
	l.session = welcome.Session
	l.refused("before the worker's plan was checked", "begin", map[string]any{})
	header := welcome.Header
	cell := header["cells"].([]any)[0].(map[string]any)["id"].(string)
	set := header["datasets"].([]any)[0].(map[string]any)
	sum := set["sha256"]
	set["sha256"] = "0000"
	l.refused("the dataset is not the one that the run began with", "join", header)
	set["sha256"], header["cells"] = sum, []any{}
	l.refused("it has 1 cells, this program makes 0", "join", header)
	header["cells"] = welcome.Header["cells"]
	a = l.ask("hello", hello)
	try.Do(t, json.Unmarshal(a.Body, &welcome))
	l.session = welcome.Session
	if a := l.ask("join", welcome.Header); a.Status != "ok" {
		t.Fatalf("join: %+v", a)
	}
	unit := map[string]any{"cell": cell, "sample": "chat 0"}
	record := map[string]any{"sample": "chat 0", "request": "q1", "hash": "f00", "status": "ok", "answer": "a lie"}
	deliver := func(file string, lines ...any) map[string]any {
		return map[string]any{"unit": unit, "file": file, "lines": lines}
	}
	l.refused("which the worker was not given", "deliver", deliver("records", record))
	l.refused("no unit", "begin", map[string]any{"unit": map[string]any{"cell": cell, "sample": "another"}})
	var begun struct{ Pending []string }
	if err := json.Unmarshal(l.ask("begin", map[string]any{"unit": unit}).Body, &begun); err != nil || len(begun.Pending) != 1 {
		t.Fatalf("begun %v, error %v", begun, err)
	}
	record["request"] = begun.Pending[0]
	record["extra"] = 1
	l.refused("unknown field", "deliver", deliver("records", record))
	delete(record, "extra")
	l.refused("is of another question", "deliver", deliver("records", record))
	l.refused("not of the unit", "deliver", deliver("records", map[string]any{"sample": "chat 1", "request": "q1"}))
	l.refused("is not what it says", "deliver", deliver("blocks", map[string]any{"block": "f00", "sample": "chat 0", "text": "a lie"}))
	l.refused("not of the unit", "deliver", deliver("ingests", map[string]any{"sample": "chat 1"}))
	l.refused("lines of", "deliver", deliver("run.json", record))
	l.refused("no model", "settle", map[string]any{"model": "another", "paid": map[string]any{}})
	l.refused("no memory", "open-kept", map[string]any{"memory": "../..", "sample": "chat 0", "content": "00000000"})
	l.refused("no account", "pass", map[string]any{"account": "another"})
	l.refused("not under way", "tried", map[string]any{"pass": 7})
	l.refused("no question", "format-disk", nil)
	l.refused("has ended without", "end", map[string]any{"unit": unit})
	if m, err := l.conn.Request("$JS.API.STREAM.DELETE.bench-"+l.run, nil, 200*time.Millisecond); err == nil {
		t.Errorf("a worker may delete the queue: %s", m.Data)
	}
	for _, line := range []string{"\x00", "{}", `{"op":"deliver","session":"` + l.session + `","number":99,"body":{"lines":[7]}}`} {
		if _, err := l.conn.Request(l.asks, []byte(line), time.Minute); err != nil {
			t.Error(err)
		}
	}
	l.ask("bye", nil)

	if r := s.work(t); r.code != 0 {
		t.Errorf("an honest worker ends with %d\n%s", r.code, r.stderr)
	}
	s.ended(t, 0)
	if diff := cmp.Diff(allOf(t, one), allOf(t, many)); diff != "" {
		t.Errorf("(-one +many):\n%s", diff)
	}
	for _, want := range []string{"refused a worker", "refused (worker liar", "a message that is no question"} {
		if !strings.Contains(s.ran.stderr, want) {
			t.Errorf("nothing says %q:\n%s", want, s.ran.stderr)
		}
	}
}

// A worker that is killed costs time, and a coordinator that is killed goes on with
// the folder and the workers that it had.
func TestServeKills(t *testing.T) {
	longtest.Skip(t)
	server := modelserver.New(t, modelserver.Options{})
	config, model, root := questions(t, 8, 3, "name: live\nconcurrency: {samples: 2, requests: 2}\n"), liveModel(t, server, ""), t.TempDir()
	one, many, store := filepath.Join(root, "one"), filepath.Join(root, "many"), filepath.Join(root, "calls")
	must(t, "run", config, "--model", model, "--calls", "reuse", "--store", filepath.Join(root, "own"), "--out", one, "--display", "none")
	calls := server.Stats().Arrived
	listener := try.Get(new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	address := listener.Addr().String()
	listener.Close()
	url, access := "tls://"+address, filepath.Join(many+".access", "worker.json")
	flags := []string{"--listen", address, "--patience", "2s", "--display", "none"}

	first := process(t, append([]string{"serve", config, "--model", model, "--calls", "reuse", "--store", store, "--out", many}, flags...)...)
	try.Do(t, first.Start())
	until(t, func() bool { _, err := os.Stat(access); return err == nil })
	worker := func() (stop func(), wait func() error) {
		w := process(t, "work", url, "--access", access)
		try.Do(t, w.Start())
		return func() { _ = w.Process.Kill() }, w.Wait
	}
	kill, wait := worker()
	until(t, func() bool { return server.Stats().Arrived-calls >= 3 })
	kill()
	_ = wait()
	_, wait = worker()
	until(t, func() bool { return server.Stats().Arrived-calls >= 10 })
	try.Do(t, first.Process.Kill())
	_ = first.Wait()
	second := process(t, append([]string{"serve", many, "--store", store}, flags...)...)
	if out, err := second.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := wait(); err != nil {
		t.Errorf("the worker that saw both ends with %v", err)
	}
	a, b := recorded(t, one), recorded(t, many)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("(-one +many):\n%s", diff)
	}
	// A call in flight may be lost with each process: two at a time in each worker.
	if n := server.Stats().Arrived - calls; n > calls+8 {
		t.Errorf("%d calls, want %d and those in flight", n, calls)
	}
}

// until waits for something that will come.
func until(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come")
		}
	}
}

// A sample that five workers cannot ask is error records with all their reasons.
func TestServeGivesUp(t *testing.T) {
	s := serve(t.Context(), t, questions(t, 1, 2, "name: many\n"), "--out", filepath.Join(t.TempDir(), "many"))
	data := try.Get(os.ReadFile(s.access))(t)
	var access struct{ Run, Token string }
	try.Do(t, json.Unmarshal(data, &access))
	l := newLiar(t, s)
	js := try.Get(jetstream.New(l.conn))(t)
	var queue jetstream.Consumer
	until(t, func() bool { // the run begins after its address is said
		var err error
		queue, err = js.Consumer(t.Context(), "bench-"+access.Run, "workers")
		return err == nil
	})
	for i := range 5 {
		l.session = ""
		var welcome struct {
			Session string
			Header  map[string]any
		}
		a := l.ask("hello", map[string]any{"run": l.run, "token": access.Token, "name": fmt.Sprint("worker-", i), "binary": binary(), "sum": ownSum(t)})
		try.Do(t, json.Unmarshal(a.Body, &welcome))
		l.session = welcome.Session
		l.ask("join", welcome.Header)
		m := try.Get(queue.Next())(t)
		unit := decode[map[string]string](t, m.Data())
		l.ask("begin", map[string]any{"unit": unit})
		ended := map[string]any{"unit": unit, "fault": map[string]any{"message": fmt.Sprint("disk ", i, " is full")}}
		if i < 4 {
			l.refused(fmt.Sprint("disk ", i, " is full"), "end", ended)
			try.Do(t, m.Nak())
		} else if a := l.ask("end", ended); a.Status != "ok" {
			t.Errorf("the last end: %+v", a)
		}
		l.ask("bye", nil)
	}
	s.ended(t, exitErrors)
	for _, want := range []string{`"kind":"worker"`, "5 workers could not ask it: 1. worker-0: disk 0 is full; ", "; 5. worker-4: disk 4 is full"} {
		found := false
		for name, text := range recorded(t, strings.TrimSuffix(filepath.Dir(s.access), ".access")) {
			found = found || strings.HasSuffix(name, "records.jsonl") && strings.Count(text, want) == 2
		}
		if !found {
			t.Errorf("not both records say %q", want)
		}
	}
}

// A sample whose workers all fall silent fails, too.
func TestServeSilent(t *testing.T) {
	longtest.SkipRace(t)
	dir := filepath.Join(t.TempDir(), "many")
	s := serve(t.Context(), t, questions(t, 1, 1, "name: many\n"), "--out", dir, "--patience", "300ms")
	access := try.Get(fleet.ReadAccess(s.access))(t)
	l := newLiar(t, s)
	js := try.Get(jetstream.New(l.conn))(t)
	for i := range 5 {
		var m jetstream.Msg
		until(t, func() bool { // the run begins after its address is said
			queue, err := js.Consumer(t.Context(), "bench-"+access.Run, "workers")
			if err == nil {
				m, err = queue.Next(jetstream.FetchMaxWait(10 * time.Second))
			}
			return err == nil
		})
		until(t, func() bool { // a session may end before it has said all
			l.session = ""
			var welcome struct {
				Session string
				Header  map[string]any
			}
			a := l.ask("hello", map[string]any{"run": l.run, "token": access.Token, "name": fmt.Sprint("worker-", i), "binary": binary(), "sum": ownSum(t)})
			try.Do(t, json.Unmarshal(a.Body, &welcome))
			l.session = welcome.Session
			return l.ask("join", welcome.Header).Status == "ok" && l.ask("begin", map[string]any{"unit": json.RawMessage(m.Data())}).Status == "ok"
		})
	}
	for over := false; !over; { // the queue gives a sample up when a worker asks for the next one
		select {
		case <-s.done:
			over = true
		default:
			if queue, err := js.Consumer(t.Context(), "bench-"+access.Run, "workers"); err == nil {
				_, _ = queue.Next(jetstream.FetchMaxWait(200 * time.Millisecond))
			}
		}
	}
	s.ended(t, exitErrors)
	for name, text := range recorded(t, dir) {
		if strings.HasSuffix(name, "records.jsonl") && strings.Count(text, "no sign of life for 300ms") != 5 {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// What was paid is counted once, however often a worker says so.
func TestServeCounts(t *testing.T) {
	server := modelserver.New(t, modelserver.Options{})
	dir := filepath.Join(t.TempDir(), "many")
	s := serve(t.Context(), t, questions(t, 1, 2, "name: live\n"), "--model", liveModel(t, server, ""), "--calls", "off", "--out", dir)
	access := try.Get(fleet.ReadAccess(s.access))(t)
	l := newLiar(t, s)
	var welcome struct {
		Session string
		Header  map[string]any
	}
	hello := map[string]any{"run": l.run, "token": access.Token, "name": "liar", "binary": binary(), "sum": ownSum(t)}
	try.Do(t, json.Unmarshal(l.ask("hello", hello).Body, &welcome))
	unit := map[string]any{"cell": welcome.Header["cells"].([]any)[0].(map[string]any)["id"], "sample": "s0"}
	hello["joined"], hello["units"] = welcome.Header, []any{unit}
	var leases []uint64
	for i := range 5 { // each in a session of its own, as after one that was lost
		l.session = ""
		try.Do(t, json.Unmarshal(l.ask("hello", hello).Body, &welcome))
		l.session = welcome.Session
		if i < 2 {
			lease := decode[uint64](t, l.ask("reserve", map[string]any{"tokens": 100}).Body)
			leases = append(leases, lease)
		}
		settled := map[string]any{"lease": leases[i%2], "model": "test", "paid": map[string]any{"calls": 1, "tokens": 100, "usd": nil}}
		if a := l.ask("settle", settled); a.Status != "ok" {
			t.Errorf("settle: %+v", a)
		}
		settled["paid"] = map[string]any{"tokens": -100}
		l.refused("less than nothing", "settle", settled)
		if a := l.ask("settle", map[string]any{"model": "test", "paid": map[string]any{"calls": 7, "tokens": 700, "usd": 7}}); a.Status != "ok" { // of no lease
			t.Errorf("settle: %+v", a)
		}
		l.ask("bye", nil)
	}
	if r := s.work(t); r.code != 0 {
		t.Errorf("a worker ends with %d\n%s", r.code, r.stderr)
	}
	s.ended(t, exitOK)
	h := try.Get(record.ReadHeader(dir))(t)
	if h.Paid == nil || h.Paid.Calls != server.Stats().Arrived+2 {
		t.Errorf("paid %+v, want that of %d calls and of two more", h.Paid, server.Stats().Arrived)
	}
}

// All workers together keep the limits of an account and the budget of the run.
func TestServeBounds(t *testing.T) {
	server := modelserver.New(t, modelserver.Options{Latency: 10 * time.Millisecond})
	model := liveModel(t, server, ", limits: {max: 2}")
	config := questions(t, 12, 2, "name: live\nconcurrency: {samples: 4, requests: 4}\n")
	for _, tt := range []struct {
		budget string
		code   int
	}{{"{tokens: 0}", exitOK}, {"{tokens: 600}", exitBudget}} {
		dir := filepath.Join(t.TempDir(), "many")
		s := serve(t.Context(), t, config, "--model", model, "--calls", "off", "--set", "budget="+tt.budget, "--out", dir)
		var working sync.WaitGroup
		for range 4 {
			working.Go(func() { s.work(t) })
		}
		working.Wait()
		s.ended(t, tt.code)
		h := try.Get(record.ReadHeader(dir))(t)
		if tt.code == exitBudget && (h.Paid == nil || h.Paid.Tokens > 600 || h.Paid.Tokens == 0) {
			t.Errorf("paid %+v of 600 tokens", h.Paid)
		}
	}
	if n := server.Stats().MaxInFlight; n > 2 {
		t.Errorf("%d calls in flight, want at most 2", n)
	}
}

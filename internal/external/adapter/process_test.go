package adapter

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"recallbench/internal/door/fault"
	"recallbench/internal/external/wire"
	"recallbench/internal/testkit/try"
)

// childMode is the variable that makes the test binary an adapter.
const childMode = "RECALLBENCH_TEST_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode == "mcp" {
		mcpChild()
		os.Exit(0)
	} else if mode != "" {
		adapterChild(mode)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// adapterChild is an adapter that misbehaves as its mode says once it is searched.
func adapterChild(mode string) {
	out := os.Stdout
	in := bufio.NewReader(os.Stdin)
	_, _ = fmt.Fprintln(os.Stdout, "a line that a library prints")
	var held []message
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if mode == "stays" {
				time.Sleep(time.Hour)
			}
			return
		}
		var m message
		_ = json.Unmarshal(line, &m)
		reply := func(text string) { _, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, text) }
		switch m.Method {
		case wire.Initialize:
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"$/log","params":{"level":"info","text":"hello"}}`+"\n\n")
			reply(`{"protocol":"recallbench-memory/1","name":"child","version":"1","capabilities":{"search":true}}` + "\r")
			continue
		case wire.Cancel:
			if mode != "deaf" {
				for _, h := range held {
					_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32800,"message":"cancelled"}}`+"\n", h.ID)
				}
				held = nil
			}
			continue
		case wire.Shutdown:
			reply("{}")
			continue
		}
		switch mode {
		case "crash":
			fmt.Fprintln(os.Stderr, "Traceback: no such thing")
			os.Exit(3)
		case "cut":
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"blo`, m.ID)
			os.Exit(0)
		case "hang", "deaf":
			held = append(held, m)
		case "long":
			block := []byte(strings.Repeat("x", 1<<20))
			for range 1 << 10 {
				if _, err := out.Write(block); err != nil {
					return
				}
			}
		case "unknown":
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":4711,"result":{}}`+"\n")
		case "twice":
			reply(`{"blocks":[]}`)
			reply(`{"blocks":[]}`)
		case "garbage":
			for range maxForeign {
				_, _ = fmt.Fprintln(out, "no message")
			}
		case "types":
			reply(`{"blocks":"none"}`)
		case "nan":
			reply(`{"blocks":[{"text":"x","score":NaN}]}`)
		case "blank":
			reply(`{"blocks":[{"text":" "}]}`)
		case "utf8":
			reply("{\"blocks\":[{\"text\":\"caf\xe9\"}]}")
		case "error":
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"slow down","data":{"kind":"rate_limit","retry_after":1.5,"trace":"a\nb\nthe end"}}}`+"\n", m.ID)
		case "storm":
			for range 10000 {
				_, _ = fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"$/progress","params":{"memory":"m","done":1,"total":2}}`)
			}
			reply(`{"blocks":[]}`)
		case "flood":
			block := []byte(strings.Repeat(strings.Repeat("e", 99)+"\n", 10000))
			for range 100 {
				_, _ = os.Stderr.Write(block)
			}
			reply(`{"blocks":[]}`)
		case "chatter":
			for i := range 100000 {
				_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"$/log","params":{"level":"info","text":"note %d sk-rb-secret"}}`+"\n", i)
			}
			reply(`{"blocks":[]}`)
		case "mute":
			_ = out.Close()
			time.Sleep(time.Hour)
		case "unread":
			_ = os.Stdin.Close()
			time.Sleep(time.Hour)
		case "asks":
			_, _ = fmt.Fprintln(out, `{"jsonrpc":"2.0","id":"x","method":"who/are/you"}`)
			line, _ := in.ReadString('\n')
			reply(fmt.Sprintf(`{"blocks":[{"text":%q}]}`, strings.TrimSpace(line)))
		case "env":
			reply(fmt.Sprintf(`{"blocks":[{"text":%q}]}`, strings.Join(os.Environ(), "\n")))
		default:
			reply(`{"blocks":[{"text":"found","score":0.5,"time":"2023-05-08"}]}`)
		}
	}
}

// start starts the test binary as an adapter.
func start(ctx context.Context, dir, mode string, maxLine int, log *Log) (Conn, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c, err := Start(Process{
		Command: []string{exe}, Dir: filepath.Join(dir, "work"), Set: map[string]string{childMode: mode}, MaxLine: maxLine, Log: log,
		Getenv: os.Getenv,
	})
	if err != nil {
		return nil, err
	}
	var info wire.InitializeResult
	if err := c.Call(ctx, wire.Initialize, wire.InitializeParams{}, &info); err != nil || info.Name != "child" {
		return nil, errors.Join(fmt.Errorf("initialize: %+v, %w", info, err), c.Close())
	}
	return c, nil
}

// startChild starts the test binary as an adapter for a test.
func startChild(tb testing.TB, mode string) (Conn, *Log) {
	tb.Helper()
	dir := tb.TempDir()
	log := NewLog(filepath.Join(dir, "adapter.log"), "sk-rb-secret")
	c := try.Get(start(tb.Context(), dir, mode, 1<<20, log))(tb)
	tb.Cleanup(func() { _ = c.Close() })
	return c, log
}

func search(ctx context.Context, c Conn) (wire.SearchResult, error) {
	var found wire.SearchResult
	err := c.Call(ctx, wire.Search, wire.SearchParams{Memory: "m", K: 3}, &found)
	return found, err
}

func TestProcess(t *testing.T) {
	for _, mode := range []string{"good", "storm"} {
		t.Run(mode, func(t *testing.T) {
			c, _ := startChild(t, mode)
			for range 3 {
				found, err := search(t.Context(), c)
				if err != nil || mode != "storm" && (len(found.Blocks) != 1 || found.Blocks[0].Text != "found" || found.Blocks[0].Time.String() != "2023-05-08T00:00:00") {
					t.Errorf("search: %+v, %v", found, err)
				}
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if _, err := search(t.Context(), c); fault.KindOf(err) != fault.AdapterCrash {
				t.Errorf("after the end: %v", err)
			}
		})
	}
}

// TestFaults checks what each kind of misbehaviour is called, and that none
// blocks or kills the harness.
func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		mode string
		kind fault.Kind
		text string
		ends bool // the connection is of no use afterwards
	}{
		{"crash", fault.AdapterCrash, "exit status 3", true},
		{"cut", fault.AdapterCrash, "it ended", true},
		{"hang", fault.AdapterTimeout, "no reply to memory/search in 200ms", false},
		{"long", fault.AdapterProtocol, "a line of more than 1048576 bytes", true},
		{"unknown", fault.AdapterProtocol, "a reply to 4711", true},
		{"garbage", fault.AdapterProtocol, "a line that is not a message: no message", true},
		{"types", fault.AdapterProtocol, "the result of memory/search is not of its type", false},
		{"nan", fault.AdapterTimeout, "", false},
		{"blank", fault.AdapterProtocol, "block 1 has no text", false},
		{"mute", fault.AdapterCrash, "its output ended", true},
		{"error", fault.RateLimit, "rate_limit: slow down (the end)", false},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			c, log := startChild(t, tt.mode)
			ctx := t.Context()
			if tt.kind == fault.AdapterTimeout {
				var stop context.CancelFunc
				ctx, stop = Within(ctx, 200*time.Millisecond, nil)
				defer stop()
			}
			_, err := search(ctx, c)
			if fault.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("got %v, want %s with %q", err, tt.kind, tt.text)
			}
			if ended := c.Ended() != nil; ended != tt.ends && tt.mode != "nan" {
				t.Errorf("ended: %v, want %v", c.Ended(), tt.ends)
			}
			if tt.mode == "crash" && !strings.Contains(err.Error()+log.Tail(), "Traceback: no such thing") {
				t.Errorf("the log is not told: %v", err)
			}
			if said, ok := errors.AsType[*Error](err); tt.mode == "error" && (!ok || said.RetryAfter() != 1500*time.Millisecond || !said.Again(true) || said.Again(false)) {
				t.Errorf("the error is %+v", said)
			}
		})
	}
}

// TestSecondReply checks that a reply that comes twice ends the connection, at the
// latest with the next request.
func TestSecondReply(t *testing.T) {
	c, _ := startChild(t, "twice")
	_, _ = search(t.Context(), c)
	if _, err := search(t.Context(), c); fault.KindOf(err) != fault.AdapterProtocol {
		t.Errorf("got %v", err)
	}
}

// TestOddLines mends text that is not UTF-8, and answers an adapter that asks something.
func TestOddLines(t *testing.T) {
	for mode, want := range map[string]string{"utf8": "caf\uFFFD", "asks": "-32601"} {
		c, _ := startChild(t, mode)
		if found, err := search(t.Context(), c); err != nil || !strings.Contains(found.Blocks[0].Text, want) {
			t.Errorf("%s: got %+v, %v", mode, found, err)
		}
	}
}

// TestEnvironment checks that an adapter sees an allow-list of variables.
func TestEnvironment(t *testing.T) {
	t.Setenv("SECRET_API_KEY", "sk-provider")
	c, _ := startChild(t, "env")
	found := try.Get(search(t.Context(), c))(t)
	for line := range strings.SplitSeq(found.Blocks[0].Text, "\n") {
		name, value, _ := strings.Cut(line, "=")
		if strings.Contains(value, "sk-provider") || name == "HOME" && value == os.Getenv("HOME") || name == "TZ" && value != "UTC" {
			t.Errorf("the adapter sees %s", line)
		}
	}
}

// TestWaitingDoesNotCount checks that the time during which an adapter waits for the
// harness is left out of its limit.
func TestWaitingDoesNotCount(t *testing.T) {
	c, _ := startChild(t, "hang")
	ctx, cancel := context.WithCancel(t.Context())
	var mu sync.Mutex
	asked := 0
	waiting := func() bool {
		mu.Lock()
		defer mu.Unlock()
		if asked++; asked == 100 { // five times the limit
			cancel()
		}
		return true
	}
	within, stop := Within(ctx, 20*time.Millisecond, waiting)
	defer stop()
	if _, err := search(within, c); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestEndsWhatStays(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	c, _ := startChild(t, "stays")
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if gone := c.(*peer).gone(time.Minute); !gone {
		t.Error("the process goes on")
	}
}

func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l := NewLog(path, "sk-rb-secret")
	l.line([]byte("\x1b[31mkey sk-rb-secret\a"))
	try.Do(t, l.Close())
	data, err := os.ReadFile(path)
	if err != nil || string(data) != "[31mkey [key]\n" {
		t.Errorf("the log is %q, %v", data, err)
	}
}

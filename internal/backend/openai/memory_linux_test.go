package openai

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

// A flood writes a reply that no client should hold.
type flood func(w http.ResponseWriter, r *http.Request)

// repeated sends a beginning and then the same for ever, or n times.
func repeated(begin, part string, n int) flood {
	return func(w http.ResponseWriter, _ *http.Request) {
		if _, err := io.WriteString(w, begin); err != nil {
			return
		}
		block := []byte(strings.Repeat(part, max(1, 64<<10/len(part))))
		for i := 0; i < n; i += len(block) / len(part) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}
}

// bomb sends gzip of a beginning and then a gibibyte of the same.
func bomb(begin, part string) flood {
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		panic(err)
	}
	_, _ = io.WriteString(z, begin)
	block := []byte(strings.Repeat(part, 1<<20/len(part)))
	for range 1 << 10 {
		_, _ = z.Write(block)
	}
	_ = z.Close()
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes()) // the client may be gone
	}
}

// headers sends a header without an end.
func headers(w http.ResponseWriter, _ *http.Request) {
	conn, out, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = out.WriteString("HTTP/1.1 200 OK\r\n")
	for i := 0; ; i++ {
		if _, err := fmt.Fprintf(out, "X-%d: %s\r\n", i, strings.Repeat("h", 1000)); err != nil {
			return
		}
	}
}

// slowly sends most of what a reply may have and then a little, for ever.
func slowly(w http.ResponseWriter, r *http.Request) {
	repeated(`{"choices":[{"message":{"content":"`, "slow ", 100_000)(w, r)
	for {
		if _, err := io.WriteString(w, "x"); err != nil || http.NewResponseController(w).Flush() != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

const endless = 1 << 62

func floods() map[string]flood {
	return map[string]flood{
		"gzip of spaces":         bomb(``, " "),
		"gzip of text":           bomb(`{"choices":[{"message":{"content":"`, "bomb "),
		"gzip of objects":        bomb(`{"choices":[`, "{},"),
		"100 MB of text":         repeated(`{"choices":[{"message":{"content":"`, "long ", 20_000_000),
		"endless text":           repeated(`{"choices":[{"message":{"content":"`, "more ", endless),
		"endless nesting":        repeated(``, `[`, endless),
		"endless number":         repeated(`{"choices":[{"index":`, `9`, endless),
		"endless key":            repeated(`{"`, `k`, endless),
		"endless header":         headers,
		"slow text":              slowly,
		"as many objects as fit": repeated(`{"choices":[`, "{},", 150_000),
		"as many tokens as fit":  repeated(`{"choices":[{"logprobs":{"content":[`, `{"top_logprobs":[{}]},`, 20_000),
		"deep nesting":           repeated(`{"choices":[`, `[`, 500_000),
		"refusals": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			repeated(``, `[{},`, endless)(w, r)
		},
	}
}

// floodedAddress names the variable that makes the test binary a client of a
// flooding server.
const floodedAddress = "BENCH_TEST_FLOODED"

// maxResident is how much memory a process with 256 calls in flight may take.
const maxResident = 400 << 20

// TestFlood measures what a process takes with 256 calls in flight at a server
// that sends more than it should.
func TestFlood(t *testing.T) {
	if address := os.Getenv(floodedAddress); address != "" {
		flooded(t, address)
		return
	}
	longtest.Skip(t)
	for name, f := range floods() {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(f))
			defer s.Close()
			defer s.CloseClientConnections()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFlood$", "-test.v")
			cmd.Env = append(os.Environ(), floodedAddress+"="+s.URL)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%.3000s", err, out)
			}
			_, after, _ := strings.Cut(string(out), "resident ")
			text, _, _ := strings.Cut(after, " kB")
			kb, err := strconv.Atoi(text)
			if err != nil {
				t.Fatalf("%v in %.3000s", err, out)
			}
			t.Logf("%d MB at most; %.300s", kb>>10, after)
			if kb<<10 > maxResident {
				t.Errorf("%d MB resident, want at most %d", kb>>10, maxResident>>20)
			}
		})
	}
}

// flooded makes 256 calls at once, and of a part of them some in a row, and
// prints the most memory that the process took.
func flooded(t *testing.T, address string) {
	t.Helper()
	chat := mustChat(t, Config{BaseURL: address, Model: "m"})
	embedder := newEmbedder(t, address, EmbedConfig{BatchTexts: 100})
	var wg sync.WaitGroup
	for i := range 256 {
		wg.Go(func() {
			for range 3 {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				var err error
				switch r := ask("hi"); i % 16 {
				case 0: // with the largest bounds
					_, err = embedder.Embed(ctx, embed.Request{Texts: make([]string, 100)})
				case 1:
					_, err = chat.Generate(ctx, r)
				default:
					r.Params = llm.Params{MaxTokens: 1024, Logprobs: i%2 == 0}
					_, err = chat.Generate(ctx, r)
				}
				cancel()
				if fault.KindOf(err) == "" {
					t.Errorf("call %d: %.300v", i, err)
				}
				if i == 5 {
					defer t.Logf("error %.300v", err)
				}
			}
		})
	}
	wg.Wait()
	status := try.Get(os.ReadFile("/proc/self/status"))(t)
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	line, _, _ := strings.Cut(after, "\n")
	try.Get(fmt.Fprintf(os.Stdout, "resident %s\n", strings.TrimSpace(line)))(t)
}

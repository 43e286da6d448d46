package linkgrammar

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"recallbench/internal/door/annotate"
	"recallbench/internal/door/fault"
)

// fakeEnv makes the test binary a parser, as it says.
const fakeEnv = "RECALLBENCH_FAKE_PARSER"

func TestMain(m *testing.M) {
	if how := os.Getenv(fakeEnv); how != "" {
		os.Exit(fake(how, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// fake is a parser that finds one word in each sentence, and fails at some.
func fake(how string, args []string) int {
	if args[0] == "--version" {
		_, _ = fmt.Fprintln(os.Stdout, "Version: link-grammar-"+Version)
		return 0
	}
	if how == "no dictionary" {
		fmt.Fprintln(os.Stderr, "cannot open the dictionary en/4.0.dict")
		return 1
	}
	out := bufio.NewWriter(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		switch text := lines.Text(); {
		case text == "":
		case strings.HasPrefix(text, "!short"):
			fmt.Fprintln(out, mark)
		case text == "hang":
			time.Sleep(time.Hour)
		case text == "die":
			return 3
		case text == "slow":
			// nothing is said of a sentence for which the time is over
		case text == "flood":
			for {
				if _, err := io.WriteString(out, strings.Repeat("(x)", 1000)); err != nil {
					return 4
				}
			}
		case text == "lines":
			for {
				if _, err := io.WriteString(out, "x\n"); err != nil {
					return 4
				}
			}
		case text == "garbage":
			fmt.Fprint(out, "[(LEFT-WALL)(garbage)]\n[[0 9 0 (Wd)]]\n[0]\n\n")
		case text == "other":
			fmt.Fprint(out, "[(LEFT-WALL)(words)]\n[[0 1 0 (Wa)]]\n[0]\n\n")
		default:
			fmt.Fprintf(out, "[(LEFT-WALL)(%s)]\n[[0 1 0 (Wa)]]\n[0]\n\n", text)
			if err := out.Flush(); err != nil {
				return 4
			}
		}
	}
	return 0
}

// faked returns an annotator that runs the fake parser.
func faked(t *testing.T, how string, o Options) *Annotator {
	t.Helper()
	t.Setenv(fakeEnv, how)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // a second for each process otherwise
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o.Command = self
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// hangs ends the wait for a reply to the sentence that has none, and no other.
func hangs(sentence string) time.Duration {
	if sentence == "hang" {
		return time.Millisecond
	}
	return time.Hour
}

func TestFailingParser(t *testing.T) {
	for _, tt := range []struct {
		text   string
		failed bool
	}{
		{"hang", true}, {"die", true}, {"flood", true}, {"lines", true}, {"slow", true}, {"garbage", false}, {"other", false},
	} {
		t.Run(tt.text, func(t *testing.T) {
			a := faked(t, "works", Options{})
			a.limit = hangs
			r := sentences("before", tt.text, "behind", tt.text, "end")
			doc, err := a.Annotate(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if err := doc.Check(r); err != nil {
				t.Error(err)
			}
			for i, u := range r.Utterances {
				s := doc.Sentences[i]
				bad := u.Text == tt.text
				if s.Unparsed != bad || s.Failed != (bad && tt.failed) {
					t.Errorf("%s: unparsed %v, failed %v", u.Text, s.Unparsed, s.Failed)
				}
				if want := "root(ROOT, " + u.Text + ")"; !bad && show(s) != want {
					t.Errorf("%s: got %s, want %s", u.Text, show(s), want)
				}
			}
		})
	}
}

func TestStartFails(t *testing.T) {
	_, err := faked(t, "no dictionary", Options{}).Annotate(t.Context(), sentences("Hello."))
	if fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "cannot open the dictionary") {
		t.Errorf("error %v, want one that says what the parser says", err)
	}
	_, err = New(Options{Command: "no-such-parser"})
	if err == nil || !strings.Contains(err.Error(), "apt-get install link-grammar link-grammar-dictionaries-en") {
		t.Errorf("error %v, want one that says what to install", err)
	}
}

func TestCancel(t *testing.T) {
	a := faked(t, "works", Options{Timeout: time.Hour})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := a.Annotate(ctx, sentences("hang")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that of the context", err)
	}
	if doc, err := a.Annotate(t.Context(), sentences("again")); err != nil || doc.Sentences[0].Unparsed {
		t.Errorf("after a call that was canceled: %+v, error %v", doc, err)
	}
}

// Close leaves no process and no goroutine.
func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	a := faked(t, "works", Options{Processes: 3})
	a.limit = hangs
	if _, err := a.Annotate(t.Context(), sentences("a", "b", "hang", "c", "die", "d")); err != nil {
		t.Fatal(err)
	}
	var running []*process
	for range 3 {
		p := <-a.slots
		if p != nil {
			running = append(running, p)
		}
		a.slots <- p
	}
	if len(running) == 0 {
		t.Error("no process is kept for the next sentence")
	}
	for range 2 {
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range running {
		if p.cmd.ProcessState == nil {
			t.Errorf("process %d was not waited for", p.cmd.Process.Pid)
		}
	}
	for runtime.NumGoroutine() > before { // without end where one is left
		time.Sleep(time.Millisecond)
	}
	if _, err := a.Annotate(t.Context(), sentences("late")); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("after Close: error %v", err)
	}
}

func TestOtherLayers(t *testing.T) {
	r := sentences("Hello.")
	r.Layers = annotate.Layers()
	if _, err := faked(t, "works", Options{}).Annotate(t.Context(), r); fault.KindOf(err) != fault.Rejected {
		t.Errorf("layers that it does not have: error %v", err)
	}
}

func FuzzLinkage(f *testing.F) {
	f.Add("I like it.", "[(LEFT-WALL)(I.p)(like.v)(it)(.)]\n[[0 4 0 (Xp)][0 2 0 (WV)][0 1 0 (Wd)][1 2 -9 (Sp*i)][2 3 1 (Osm)]]\n[0]\n")
	f.Add("a )(", "[(()([a])())]\n[]\n[0]")
	f.Add("x", "greeting\n[(x[?].n)(RIGHT-WALL)]\n[[0 1 0 (SJls)][0 1 0 (SJr)][0 1 0 (CV)]]\n[0]")
	f.Fuzz(func(t *testing.T, text, reply string) {
		input, ok := line(text)
		if !ok {
			return
		}
		if len(input) != len(text) || strings.ContainsAny(input, "\n\r\x00()[]{}") || strings.HasPrefix(strings.TrimSpace(input), "!") {
			t.Fatalf("%q is no line for the parser", input)
		}
		found, err := parseLinkage(reply)
		if err != nil {
			return
		}
		words, ok := locate(input, found.words)
		if !ok {
			return
		}
		r := sentences(text)
		doc := annotate.Document{Sentences: []annotate.Sentence{sentence(text, words, dependencies(words, found.links))}}
		if err := doc.Check(r); err != nil {
			t.Error(err)
		}
	})
}

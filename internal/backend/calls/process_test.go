package calls

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/try"
)

// childEnv makes the test binary record calls instead of testing.
const childEnv = "CALLS_TEST_CHILD"

func TestMain(m *testing.M) {
	if child := os.Getenv(childEnv); child != "" {
		if err := recordCalls(child); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// inFlight is how many calls a process of the test makes at once.
const inFlight = 4

// called begins the line that a process prints when it calls for something.
const called = "called for "

// recordCalls records calls into a store from some goroutines. It prints the name
// of each that it calls for, and of each whose reply was returned. Processes share
// a third of the calls.
func recordCalls(name string) error {
	dir := os.Args[1]
	n, err := strconv.Atoi(os.Args[2])
	if err != nil {
		return err
	}
	s, err := Open(dir, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if err != nil {
		return err
	}
	m := &model{}
	g := NewRecorder(s, Reuse).Generator(testModel, llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		prompt := r.Messages[1].Content
		_, _ = os.Stdout.WriteString(called + prompt[strings.LastIndexByte(prompt, '\n')+1:] + "\n")
		return m.Generate(ctx, r)
	}))
	var wait sync.WaitGroup
	var mu sync.Mutex
	var first error
	for worker := range inFlight {
		wait.Go(func() {
			for i := worker; i < n; i += inFlight {
				question := fmt.Sprintf("%s-%d", name, i)
				if i%3 == 0 {
					question = fmt.Sprintf("shared-%d", i)
				}
				reply, err := g.Generate(context.Background(), ask(history(20)+question))
				mu.Lock()
				if err == nil && !strings.HasSuffix(reply.Text, question) {
					err = fmt.Errorf("the reply to %s is %q", question, reply.Text)
				}
				if err != nil && first == nil {
					first = err
				}
				if err == nil {
					// One write, so that a kill leaves no half of a name.
					_, _ = os.Stdout.WriteString(question + "\n")
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	if first == nil {
		first = s.Close()
	}
	return first
}

// TestProcesses has ten processes record to one store at once, of which some
// are killed. Whatever was returned is there afterwards, nobody failed, and nothing
// was called for twice but what was in flight in a process that was killed.
func TestProcesses(t *testing.T) {
	const calls = 150
	dir := t.TempDir()
	self := try.Get(os.Executable())(t)
	random := rand.New(rand.NewPCG(3, 3))
	var wait sync.WaitGroup
	var mu sync.Mutex
	returned, asked := make(map[string]bool), make(map[string]bool)
	killed, paid := 0, 0
	for p := range 10 {
		// The last kill comes after at most all calls, so that some complete.
		after := calls
		if p%2 == 1 {
			after = 1 + random.IntN(calls-1)
		}
		cmd := exec.CommandContext(t.Context(), self, dir, strconv.Itoa(calls))
		cmd.Env = append(os.Environ(), childEnv+"=p"+strconv.Itoa(p))
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out := try.Get(cmd.StdoutPipe())(t)
		try.Do(t, cmd.Start())
		wait.Go(func() {
			lines := bufio.NewScanner(out)
			n := 0
			for lines.Scan() {
				if name, ok := strings.CutPrefix(lines.Text(), called); ok {
					mu.Lock()
					asked[name] = true
					paid++
					mu.Unlock()
					continue
				}
				mu.Lock()
				returned[lines.Text()] = true
				mu.Unlock()
				if n++; n == after && after < calls {
					_ = cmd.Process.Kill() // it may have ended
				}
			}
			err := cmd.Wait()
			mu.Lock()
			defer mu.Unlock()
			switch {
			case after < calls && err != nil && cmd.ProcessState.ExitCode() == -1:
				killed++
			case err != nil:
				t.Errorf("process %d: %v\n%s", p, err, stderr.String())
			case n != calls:
				t.Errorf("process %d returned %d replies, want %d", p, n, calls)
			}
		})
	}
	wait.Wait()
	if killed == 0 {
		t.Error("no process was killed")
	}
	if most := len(asked) + killed*inFlight; paid > most {
		t.Errorf("%d calls for %d distinct ones with %d processes killed, want at most %d", paid, len(asked), killed, most)
	}
	s := openStore(t, dir)
	g := NewRecorder(s, Replay).Generator(testModel, nil)
	for question := range returned {
		req := ask(history(20) + question)
		reply, err := g.Generate(t.Context(), req)
		if err != nil || reply.Text != replyTo(req.Messages[1].Content).Text {
			t.Errorf("%s was returned and is lost: reply %q, error %v", question, reply.Text, err)
		}
	}
	check, err := s.Verify(t.Context())
	if err != nil || len(check.Damages) > 0 {
		t.Errorf("verify: %+v, error %v", check, err)
	}
	t.Logf("%d processes killed, %d calls for %d distinct ones, %d replies returned, %d recordings", killed, paid, len(asked), len(returned), check.Recordings)
	pruned, err := s.Prune(t.Context(), func(*Recording) bool { return false }, false)
	if err != nil || pruned.Kept < len(returned) {
		t.Errorf("pruned %+v, error %v, want %d kept", pruned, err, len(returned))
	}
}

//go:build unix

package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"recallbench/internal/testkit/longtest"
)

// asMeasured makes the test binary run the command as a process of its own and write
// its peak of memory, in MB, and its processor time, in ns, to the file that the value
// names. The system counts a process as large as the one that started it, and the
// process of the tests is large.
const asMeasured = "BENCH_TEST_AS_MEASURED"

func init() { mains[asMeasured] = measuredMain }

func measuredMain(file string) {
	os.Unsetenv(asMeasured)
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), asMain+"=1")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err := cmd.Run()
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok || err != nil {
		fmt.Fprintln(os.Stderr, "measured:", err)
		os.Exit(1)
	}
	peak := int64(usage.Maxrss) >> 10 //nolint:unconvert // its type differs between systems; KB on Linux
	busy := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if err := os.WriteFile(file, fmt.Appendln(nil, peak, busy.Nanoseconds()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// writeHistories writes a file in the layout of LongMemEval: questions with so many
// sessions each, of about 10 turns and 11 kB.
func writeHistories(tb testing.TB, path string, questions, sessions int) {
	tb.Helper()
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 3, 20000)
	said := func(words int) string {
		var b strings.Builder
		for range words {
			fmt.Fprintf(&b, "w%d ", zipf.Uint64())
		}
		return b.String()
	}
	types := []string{"multi-session", "temporal-reasoning", "knowledge-update"}
	for q := range questions {
		fmt.Fprintf(w, "%c{\"question_id\": \"%08x\", \"question_type\": %q, \"question\": \"What is w%d?\", \"answer\": \"w%d\", \"question_date\": \"2023/05/30 (Tue) 23:17\",\n",
			"[,"[min(q, 1)], q, types[q%len(types)], q, q)
		dates, ids := make([]string, sessions), make([]string, sessions)
		for s := range sessions {
			dates[s], ids[s] = `"2023/05/20 (Sat) 09:00"`, fmt.Sprintf(`"%x_%d"`, q, s)
		}
		ids[sessions/2] = `"answer_1"`
		fmt.Fprintf(w, "\"haystack_dates\": [%s], \"haystack_session_ids\": [%s], \"answer_session_ids\": [\"answer_1\"], \"haystack_sessions\": [\n", strings.Join(dates, ", "), strings.Join(ids, ", "))
		for s := range sessions {
			turns := make([]string, 10)
			for i := range turns {
				turns[i] = fmt.Sprintf(`{"role": %q, "content": %q, "has_answer": %t}`, []string{"user", "assistant"}[i%2], said(45+300*(i%2)), s == sessions/2 && i == 0)
			}
			fmt.Fprintf(w, "%c[%s]\n", " ,"[min(s, 1)], strings.Join(turns, ",\n"))
		}
		fmt.Fprintln(w, "]}")
	}
	fmt.Fprintln(w, "]")
	if err := w.Flush(); err != nil {
		tb.Fatal(err)
	}
	if info, err := f.Stat(); err == nil {
		tb.Logf("%d questions, %d MB", questions, info.Size()>>20)
	}
}

// TestLargeData bounds the memory of reading histories that are larger than it.
func TestLargeData(t *testing.T) {
	longtest.Skip(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "s.json")
	writeHistories(t, file, 500, 48)
	check := func(most int64, args ...string) {
		t.Helper()
		cmd := process(t, args...)
		spent := filepath.Join(dir, "spent")
		cmd.Env = append(os.Environ(), asMeasured+"="+spent)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		data, err := os.ReadFile(spent)
		if err != nil {
			t.Fatal(err)
		}
		var peak int64
		var busy time.Duration
		if _, err := fmt.Sscan(string(data), &peak, &busy); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: peak %d MB, %.1f s of processor time", args[:2], peak, busy.Seconds())
		if peak > most {
			t.Errorf("%s: peak %d MB, want at most %d", args[:2], peak, most)
		}
	}
	check(150, "data", "stats", "longmemeval", "--options", fmt.Sprintf("{path: %q}", file))
}

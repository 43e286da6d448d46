package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/try"
)

type entry struct {
	N int `json:"n"`
}

func openLog(tb testing.TB, path string) *Log {
	tb.Helper()
	l, _, err := OpenLog(path)
	try.Do(tb, err)
	tb.Cleanup(func() { l.Close() })
	return l
}

func numbers(t *testing.T, path string) []int {
	t.Helper()
	var got []int
	for line := range try.Each(t, Lines[entry](path)) {
		got = append(got, line.Value.N)
	}
	return got
}

func TestLogConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	l := openLog(t, path)
	var wait sync.WaitGroup
	for i := range 200 {
		wait.Go(func() {
			try.Do(t, l.Append(entry{2 * i}, entry{2*i + 1}))
			if data := try.Get(os.ReadFile(path))(t); !strings.Contains(string(data), fmt.Sprintf("{\"n\":%d}\n", 2*i)) {
				t.Errorf("%d is not in the file", 2*i)
			}
		})
	}
	wait.Wait()
	got := numbers(t, path)
	seen := make(map[int]bool)
	for i := 0; i < len(got); i += 2 {
		if got[i+1] != got[i]+1 {
			t.Fatalf("lines of one Append are apart: %d, %d", got[i], got[i+1])
		}
		seen[got[i]] = true
	}
	if len(seen) != 200 {
		t.Errorf("%d of 200 appends are in the file", len(seen))
	}
}

// TestLogTorn cuts a log at every byte: what was whole stays, the rest goes.
func TestLogTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	l := openLog(t, path)
	for i := range 5 {
		try.Do(t, l.Append(entry{i}))
	}
	data := try.Get(os.ReadFile(path))(t)
	for cut := range len(data) + 1 {
		try.Do(t, os.WriteFile(path, data[:cut], 0o644))
		whole := strings.Count(string(data[:cut]), "\n")
		if got := numbers(t, path); len(got) != whole {
			t.Fatalf("cut at %d: reads %v, want %d lines", cut, got, whole)
		}
		l, dropped, err := OpenLog(path)
		try.Do(t, err)
		try.Do(t, l.Append(entry{9}))
		l.Close()
		want := append(slices.Clone([]int{0, 1, 2, 3, 4}[:whole]), 9)
		if diff := cmp.Diff(want, numbers(t, path)); diff != "" {
			t.Fatalf("cut at %d (-want +got):\n%s", cut, diff)
		}
		if wantDropped := int64(cut - len(strings.Join(strings.SplitAfter(string(data[:cut]), "\n")[:whole], ""))); dropped != wantDropped {
			t.Errorf("cut at %d: dropped %d bytes, want %d", cut, dropped, wantDropped)
		}
	}
}

func TestLogFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	l := &Log{file: try.Get(os.OpenFile("/dev/full", os.O_RDWR, 0))(t)}
	defer l.Close()
	for range 2 {
		if err := l.Append(entry{1}); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Append on a full disk: %v, want ENOSPC", err)
		}
	}
}

func TestLinesFault(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	for _, tt := range []struct{ text, want string }{
		{"{\"n\":1}\n{\"n\":\n", "log.jsonl:2: unexpected EOF"},
		{"{\"n\":1}\n{\"m\":1}\n", "log.jsonl:2: json: unknown field \"m\""},
		{"{\"n\":\"x\"}\n", "log.jsonl:1: json: cannot unmarshal string"},
	} {
		try.Do(t, os.WriteFile(path, []byte(tt.text), 0o644))
		var got error
		for _, err := range Lines[entry](path) {
			got = err
		}
		if got == nil || !strings.Contains(got.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, got, tt.want)
		}
	}
}

func TestJoin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log.jsonl")
	l := openLog(t, path)
	type version struct {
		Key, Value int
	}
	for _, v := range []version{{3, 1}, {1, 2}, {3, 3}, {2, 4}} {
		try.Do(t, l.Append(v))
	}
	type key struct{ Key int }
	d, err := Join(path, []*os.File{l.File()}, func(a, b key) int { return a.Key - b.Key })
	if have, other := Folder(filepath.Dir(path)).digest("log.jsonl"); err != nil || other != nil || d.Lines != 3 || d.SHA256 != have.SHA256 || d.Bytes != have.Bytes {
		t.Errorf("wrote %+v, %v; the file is %+v, %v", d, err, have, other)
	}
	data := try.Get(os.ReadFile(path))(t)
	want := "{\"Key\":1,\"Value\":2}\n{\"Key\":2,\"Value\":4}\n{\"Key\":3,\"Value\":3}\n"
	try.Equal(t, "arranged", want, string(data))
}

func TestFileName(t *testing.T) {
	seen := make(map[string]string)
	for _, label := range []string{"locomo", "Naive RAG", "Naive-RAG", "Naive_RAG", "../../etc", "..", "a/b", `a\b`, "été", ""} {
		name := FileName(label)
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q have the same name %q", label, other, name)
		}
		seen[name] = label
		if strings.ContainsAny(name, `/\ `) || strings.HasPrefix(name, ".") {
			t.Errorf("FileName(%q) = %q is no plain file name", label, name)
		}
	}
	if got := FileName("locomo"); got != "locomo" {
		t.Errorf("FileName(locomo) = %q", got)
	}
}

func TestOpenFaults(t *testing.T) {
	dir := t.TempDir()
	check := func(want string) {
		t.Helper()
		if _, _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open: %v, want %q", err, want)
		}
	}
	check("is not a run folder: it has no run.json")
	run := try.Get(Create(filepath.Join(dir, "a")))(t)
	if again, err := Create(filepath.Join(dir, "a")); err != nil || again != run {
		t.Errorf("Create in a folder that was begun and has no header: %v", err)
	}
	try.Do(t, run.WriteHeader(Header{}))
	dir = filepath.Join(dir, "a")
	try.Do(t, os.WriteFile(filepath.Join(dir, "run.json"), fmt.Appendf(nil, `{"schema": %d}`, SchemaVersion+1), 0o644))
	check("schema version 2, this program reads 1")
	if _, err := Create(dir); err == nil || !strings.Contains(err.Error(), "has a run") {
		t.Errorf("Create in a run folder: %v", err)
	}
}

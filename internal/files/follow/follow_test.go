package follow_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/files/follow"
	"recallbench/internal/testkit/try"
)

// A reader follows a file and keeps its lines as they are now.
type reader struct {
	t     testing.TB
	path  string
	file  *follow.File
	lines []string
}

func newReader(tb testing.TB) *reader {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "log.jsonl")
	return &reader{t: tb, path: path, file: follow.New(path)}
}

// next reads what is new, in parts of limit bytes, and says what came.
func (r *reader) next(limit int64) string {
	r.t.Helper()
	var said []string
	for {
		news := try.Get(r.file.Next(limit))(r.t)
		if news.Reset {
			r.lines = nil
			said = append(said, "reset")
		}
		if news.Read > limit {
			r.t.Fatalf("read %d bytes, the limit is %d", news.Read, limit)
		}
		for _, l := range news.Lines {
			text := string(l.Data)
			if l.Err != nil {
				text = "too long"
			}
			r.lines = append(r.lines, text)
			said = append(said, fmt.Sprint(l.Number, " ", text))
		}
		if !news.More {
			return strings.Join(said, ", ")
		}
	}
}

func (r *reader) do(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *reader) add(text string) {
	r.t.Helper()
	f, err := os.OpenFile(r.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	r.do(err)
	_, err = f.WriteString(text)
	r.do(err)
	r.do(f.Close())
}

func (r *reader) replace(text string) {
	r.t.Helper()
	r.do(os.WriteFile(r.path+".new", []byte(text), 0o644))
	r.do(os.Rename(r.path+".new", r.path))
}

func TestNext(t *testing.T) {
	r := newReader(t)
	check := func(want string) {
		t.Helper()
		if got := r.next(1 << 10); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got := r.next(1 << 10); got != "" {
			t.Errorf("again: %q", got)
		}
	}
	check("")
	r.add("a\nb")
	check("1 a")
	r.add("c\n\nd\n")
	check("2 bc, 3 , 4 d")
	r.do(os.Truncate(r.path, 6)) // behind the empty line
	check("reset, 1 a, 2 bc, 3 ")
	r.add("e\n")
	check("4 e")
	r.replace("a\nbc\n\ne\n") // the same in another file
	check("reset, 1 a, 2 bc, 3 , 4 e")
	r.do(os.WriteFile(r.path, []byte("a\nbc\n\nf\n"), 0o644)) // another end, in the same file
	r.add("g\n")
	check("reset, 1 a, 2 bc, 3 , 4 f, 5 g")
	r.do(os.Remove(r.path))
	check("reset")
	r.add("h\n")
	check("1 h")
	r.add(strings.Repeat("x", 5000) + "\ni\n")
	check("2 too long, 3 i")
	if got := newReader(t).next(1); got != "" {
		t.Errorf("no file: %q", got)
	}
	r.do(os.Remove(r.path))
	r.do(os.Mkdir(r.path, 0o755))
	if _, err := r.file.Next(10); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
}

// Lines are those of the file, however it came to hold them and however little is
// read at once.
func FuzzNext(f *testing.F) {
	f.Add([]byte("a\x00b\x01c\x02"), uint8(0))
	f.Add([]byte("line one\nline two\n\x01two\n\x02three\n\x00\x00\x00"), uint8(3))
	f.Fuzz(func(t *testing.T, script []byte, part uint8) {
		const limit = 1 << 10
		if len(script) > 64 { // the end by which a file is known again is then all of it
			t.Skip()
		}
		r := newReader(t)
		content := []byte{}
		for i, text := range bytes.Split(script, []byte{0}) {
			switch kind := (int(part) + i) % 4; {
			case kind == 0 && len(content) > 0: // cut
				content = content[:len(content)*int(part)/256]
				r.do(os.Truncate(r.path, int64(len(content))))
			case kind == 1: // replace
				content = bytes.Clone(text)
				r.replace(string(text))
			default:
				content = append(content, text...)
				r.add(string(text))
			}
			if int(part)>>(i%8)&1 == 1 {
				r.next(limit)
			}
		}
		r.next(limit)
		// A change that leaves size, time and end as they were cannot be seen, so a last
		// one is made that can.
		content = append(content, '\n')
		r.add("\n")
		r.next(limit)
		whole := strings.Split(string(content), "\n")
		whole = whole[:len(whole)-1]
		if fmt.Sprintf("%q", r.lines) != fmt.Sprintf("%q", whole) {
			t.Errorf("lines %q, want %q", r.lines, whole)
		}
	})
}

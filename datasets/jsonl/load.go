package jsonl

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/files/category"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/suggest"
)

// A loader puts the lines of all files together.
type loader struct {
	faults     datafile.Faults
	line       int       // of the line being read, from 1
	samples    []*sample // in the order of their first line
	byID       map[string]*sample
	categories map[string]bool
	vocabulary *category.Vocabulary // of the names of categories; nil where they stand for themselves
	set        *datasets.Set
}

// A sample is a conversation that is being put together.
type sample struct {
	datasets.Sample
	turns     map[string]string // the text of each by its id
	sessions  map[string]bool
	speakers  map[string]bool
	asked     map[string]bool // these are ids that are taken
	questions []question
	last      time.Time // of the turns so far
}

// Load reads files into a set whose name is "jsonl". What they hold is put
// together, and all faults of all of them come in one error. The set's SHA256 is
// that of the file, or of several files that of the lines of their hashes.
func Load(ctx context.Context, paths ...string) (*datasets.Set, error) {
	return load(ctx, nil, paths...)
}

// load is [Load] with the names of categories in a vocabulary.
func load(ctx context.Context, v *category.Vocabulary, paths ...string) (*datasets.Set, error) {
	l := newLoader()
	l.vocabulary = v
	left := int64(MaxSize)
	sums := sha256.New()
	var sum string
	for _, path := range paths {
		n, digest, err := l.file(ctx, path, left)
		if err != nil {
			return nil, err
		}
		left -= n
		sum = digest
		fmt.Fprintln(sums, digest)
	}
	if len(paths) > 1 {
		sum = hex.EncodeToString(sums.Sum(nil))
	}
	return l.finish(sum)
}

func newLoader() *loader {
	return &loader{
		byID:       make(map[string]*sample),
		categories: make(map[string]bool),
		set:        &datasets.Set{Name: "jsonl"},
	}
}

// file reads one file of at most limit bytes, and returns its size and its
// SHA-256 in hex.
func (l *loader) file(ctx context.Context, path string, limit int64) (size int64, digest string, err error) {
	f, err := datafile.Open(path, MaxSize)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > limit {
		return 0, "", fmt.Errorf("%s: makes the files larger than %d MiB together, the most that is read", path, MaxSize>>20)
	}
	counted := &counter{hash: sha256.New()}
	// The limit holds for a file that grows while it is read, too.
	if err := l.lines(ctx, path, io.TeeReader(io.LimitReader(f, limit), counted)); err != nil {
		return 0, "", err
	}
	return counted.n, hex.EncodeToString(counted.hash.Sum(nil)), nil
}

// A counter counts and hashes what is written to it.
type counter struct {
	n    int64
	hash hash.Hash
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return c.hash.Write(p)
}

// lines reads the lines of a file.
func (l *loader) lines(ctx context.Context, path string, r io.Reader) error {
	l.faults.File, l.line = path, 0
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, 64<<10), MaxLine)
	for scanner.Scan() {
		l.line++
		if l.line%1024 == 1 && ctx.Err() != nil {
			return ctx.Err()
		}
		data := scanner.Bytes()
		if l.line == 1 {
			data = datafile.TrimBOM(data)
		}
		if len(strings.TrimSpace(string(data))) > 0 {
			l.object(data)
		}
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		l.faults.Addf(l.line+1, "the line is longer than %d MiB; the lines after it were not read", MaxLine>>20)
		return nil
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", path, l.line+1, err)
	}
	return ctx.Err()
}

// object reads a line that is not empty.
func (l *loader) object(data []byte) {
	if i := datafile.Invalid(data); i >= 0 {
		l.faults.Addf(l.line, "byte %#02x at column %d is not UTF-8; save the file as UTF-8", data[i], i+1)
		return
	}
	tree, err := jsontree.Parse(data)
	if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		l.faults.Addf(l.line, "column %d: %w", se.Offset+1, se)
		return
	}
	c := jsontree.Root(tree, "", l.fault)
	if !c.Is(jsontree.Object) {
		return
	}
	kind, ok := c.Text("type")
	if !ok {
		return
	}
	switch kind {
	case "turn":
		l.turn(c.Named(kind))
	case "question":
		l.question(c.Named(kind))
	default:
		c.Faultf("%s", suggest.Unknown("type", kind, []string{"turn", "question"}))
	}
}

// fault reports what is wrong with the line being read.
func (l *loader) fault(_ int, path, fault string) {
	if path != "" {
		fault = strings.TrimSuffix(path, ": ") + ": " + fault
	}
	l.faults.Addf(l.line, "%s", fault)
}

// sample returns the sample that a line belongs to, or nil after a fault.
func (l *loader) sample(c *jsontree.Cursor) *sample {
	id, ok := c.Required("sample")
	if !ok {
		return nil
	}
	s := l.byID[id]
	if s == nil {
		s = &sample{
			Sample:   datasets.Sample{ID: id},
			turns:    make(map[string]string),
			sessions: make(map[string]bool),
			speakers: make(map[string]bool),
			asked:    make(map[string]bool),
		}
		l.byID[id] = s
		l.samples = append(l.samples, s)
	}
	return s
}

// finish checks what can be checked only when all lines are read.
func (l *loader) finish(sum string) (*datasets.Set, error) {
	file := l.faults.File
	questions := 0
	for _, s := range l.samples {
		questions += len(s.questions)
		switch {
		case len(s.questions) == 0:
			l.set.Warn("sample has no question; left out", s.ID)
			continue
		case len(s.Sessions) == 0:
			q := s.questions[0]
			l.faults.File = q.file
			l.faults.Addf(q.line, "question: sample %q has no turns%s", s.ID, l.meant(s.ID, l.withTurns))
			continue
		}
		l.gold(s)
		l.set.Samples = append(l.set.Samples, s.Sample)
	}
	if err := l.faults.Err(); err != nil {
		return nil, err
	}
	if questions == 0 {
		return nil, fmt.Errorf("%s: there is no question; want a line with \"type\": \"question\"", file)
	}
	sign(l.set, sum)
	return l.set, nil
}

// meant returns the end of a message that names the id which was probably
// meant. Ids are not gathered for a fault that is only counted.
func (l *loader) meant(id string, have func() []string) string {
	if l.faults.Full() {
		return ""
	}
	name, ok := suggest.Find(id, have())
	if !ok {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", name)
}

// withTurns returns the ids of the samples that have turns.
func (l *loader) withTurns() []string {
	var ids []string
	for _, s := range l.samples {
		if len(s.Sessions) > 0 {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

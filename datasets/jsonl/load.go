package jsonl

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
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
	// index is set while a set is opened: texts are checked, not held. It is nil
	// while a sample is loaded.
	index *indexer
}

// A sample is a conversation that is being put together.
type sample struct {
	datasets.Sample
	turns     map[string]bool
	sessions  map[string]bool
	speakers  map[string]string // each by itself, so that it is held once
	asked     map[string]bool   // these are ids that are taken
	questions []question
	last      time.Time // of the turns so far
	text      int64     // bytes of their texts
	bytes     int64     // of its lines
	spans     []span
}

// Load reads files into a set whose name is "jsonl". What they hold is put
// together, and all faults of all of their lines come in one error. The set's SHA256 is
// that of the file, or of several files that of the lines of their hashes.
func Load(ctx context.Context, paths ...string) (*datasets.Set, error) {
	return load(ctx, nil, paths...)
}

// load is [Load] with the names of categories in a vocabulary.
func load(ctx context.Context, v *category.Vocabulary, paths ...string) (*datasets.Set, error) {
	l := newLoader()
	l.vocabulary = v
	l.index = &indexer{source: source{seed: maphash.MakeSeed()}}
	l.index.sum.SetSeed(l.index.seed)
	set, err := l.load(ctx, paths)
	if err != nil {
		return nil, errors.Join(err, l.index.Close())
	}
	return set, nil
}

func (l *loader) load(ctx context.Context, paths []string) (*datasets.Set, error) {
	sums := sha256.New()
	var sum string
	for _, path := range paths {
		f, err := datafile.OpenLarge(path)
		if err != nil {
			return nil, err
		}
		l.index.begin(f)
		hash := sha256.New()
		l.faults.File, l.line = path, 0
		if err := l.lines(ctx, io.TeeReader(f, hash), firstRead); err != nil {
			return nil, err
		}
		sum = hex.EncodeToString(hash.Sum(nil))
		fmt.Fprintln(sums, sum)
	}
	if len(paths) > 1 {
		sum = hex.EncodeToString(sums.Sum(nil))
	}
	return l.finish(ctx, sum)
}

func newLoader() *loader {
	return &loader{
		byID:       make(map[string]*sample),
		categories: make(map[string]bool),
		set:        &datasets.Set{Name: "jsonl"},
	}
}

// firstRead is what is read of a file at a time, in bytes; longer lines take more.
const firstRead = 64 << 10

// lines reads the lines of a file, or of a part of it of some bytes.
func (l *loader) lines(ctx context.Context, r io.Reader, size int64) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, min(size, firstRead)), MaxLine)
	var raw []byte // the line with its end
	scanner.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		n, line, err := bufio.ScanLines(data, atEOF)
		raw = data[:n]
		return n, line, err
	})
	first := true
	for scanner.Scan() {
		l.line++
		if l.line%1024 == 1 && ctx.Err() != nil {
			return ctx.Err()
		}
		data := scanner.Bytes()
		if first {
			data, first = datafile.TrimBOM(data), false
		}
		var s *sample
		var turn bool
		if len(bytes.TrimSpace(data)) > 0 {
			s, turn = l.object(data)
		}
		if l.index != nil {
			l.index.line(l, s, turn, raw)
		}
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		l.faults.Addf(l.line+1, "the line is longer than %d MiB; the lines after it were not read", MaxLine>>20)
		return nil
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", l.faults.File, l.line+1, err)
	}
	return ctx.Err()
}

// object reads a line that is not empty, and returns its sample, nil after a fault, and
// whether it is a turn.
func (l *loader) object(data []byte) (s *sample, turn bool) {
	if i := datafile.Invalid(data); i >= 0 {
		l.faults.Addf(l.line, "byte %#02x at column %d is not UTF-8; save the file as UTF-8", data[i], i+1)
		return nil, false
	}
	tree, err := jsontree.Parse(data)
	if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		l.faults.Addf(l.line, "column %d: %w", se.Offset+1, se)
		return nil, false
	}
	c := jsontree.Root(tree, "", l.faults.Report(data, l.line))
	var head struct {
		Type string `json:"type" want:"required"`
	}
	switch {
	case !c.Decode(&head):
	case head.Type == "turn":
		return l.turn(c.Named(head.Type)), true
	case head.Type == "question":
		return l.question(c.Named(head.Type)), false
	default:
		c.Faultf("%s", suggest.Unknown("type", head.Type, []string{"turn", "question"}))
	}
	return nil, false
}

// sample returns the sample of an id.
func (l *loader) sample(id string) *sample {
	s := l.byID[id]
	if s == nil {
		s = &sample{
			Sample:   datasets.Sample{ID: strings.Clone(id)},
			turns:    make(map[string]bool),
			sessions: make(map[string]bool),
			speakers: make(map[string]string),
			asked:    make(map[string]bool),
		}
		l.byID[s.ID] = s
		l.samples = append(l.samples, s)
	}
	return s
}

// finish checks what can be checked only when all lines are read.
func (l *loader) finish(ctx context.Context, sum string) (*datasets.Set, error) {
	if err := l.faults.Err(); err != nil {
		return nil, err
	}
	file := l.faults.File
	var entries []datasets.Entry
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
		l.index.samples = append(l.index.samples, s.spans)
		var texts map[string]string
		if l.index.spans <= maxSpans && slices.ContainsFunc(s.questions, question.mentions) {
			loaded, err := l.index.Load(ctx, len(entries))
			if err != nil {
				return nil, err
			}
			s.Sessions, texts = loaded.Sessions, textsOf(loaded)
		}
		l.setGold(s, texts)
		e := l.set.Index(len(entries), &s.Sample)
		e.Text, e.Bytes = s.text, s.bytes
		entries = append(entries, e)
		s.Sessions = nil
	}
	if err := l.faults.Err(); err != nil {
		return nil, err
	}
	if questions == 0 {
		return nil, fmt.Errorf("%s: there is no question; want a line with \"type\": \"question\"", file)
	}
	l.set.Stream(entries, &l.index.source)
	l.set.Sign(sum)
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

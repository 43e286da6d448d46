package jsonl

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/datasets/internal/reread"
	"recallbench/internal/files/category"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/suggest"
)

// A loader combines the lines of all files.
type loader struct {
	faults     datafile.Faults
	line       int       // of the line being read, from 1
	samples    []*sample // in the order of their first line
	byID       map[string]*sample
	last       *sample              // that the line before is of
	vocabulary *category.Vocabulary // of the names of categories; nil if they stand for themselves
	set        *datasets.Set
	source     reread.Source
	// opens is set while a set is opened: texts are checked, not kept.
	opens bool
}

// A sample is a conversation that is being assembled.
type sample struct {
	datasets.Sample
	turns     map[string]bool
	known     int // turns that were read before
	sessions  map[string]bool
	speakers  map[string]string // kept once each
	asked     map[string]bool   // ids in use
	questions []question
	last      time.Time // of the turns so far
	text      int64     // bytes of their texts
	parts     []reread.Part
	open      bool      // the last part continues
	read      int       // bytes of it so far
	sum       hash.Hash // of these
}

func newLoader(opens bool) *loader {
	l := &loader{byID: make(map[string]*sample), set: &datasets.Set{Name: "jsonl"}, opens: opens}
	l.source.Parse = reload
	return l
}

// reload reads a conversation from its lines.
func reload(_ int, data [][]byte) (datasets.Sample, error) {
	l := newLoader(false)
	for _, part := range data {
		if err := l.lines(context.Background(), bytes.NewReader(part), len(part)); err != nil {
			return datasets.Sample{}, err
		}
	}
	return l.samples[0].Sample, nil
}

// Load reads files into a set whose name is "jsonl". Their contents are combined, and
// all faults of all lines come in one error. The set's SHA256 is that of the file, or
// for several files that of the lines of their hashes.
func Load(ctx context.Context, paths ...string) (*datasets.Set, error) {
	return load(ctx, nil, paths...)
}

// load is [Load] with the names of categories in a vocabulary.
func load(ctx context.Context, v *category.Vocabulary, paths ...string) (*datasets.Set, error) {
	l := newLoader(true)
	l.vocabulary = v
	var sums []string
	for _, path := range paths {
		sum, err := l.file(ctx, path)
		if err != nil {
			return nil, err
		}
		sums = append(sums, sum+"\n")
	}
	if err := l.finish(ctx); err != nil {
		return nil, err
	}
	sum := strings.TrimSpace(sums[0])
	if len(paths) > 1 {
		sum = datafile.Sum([]byte(strings.Join(sums, "")))
	}
	l.set.Sign(sum)
	return l.set, nil
}

// file reads a file and returns its hash.
func (l *loader) file(ctx context.Context, path string) (string, error) {
	f, err := datafile.OpenLarge(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	l.faults.File, l.line, l.last = path, 0, nil
	sum := sha256.New()
	err = l.lines(ctx, io.TeeReader(f, sum), firstRead)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// firstRead is what is read of a file at a time, in bytes; longer lines take more.
const firstRead = 64 << 10

// lines reads the lines of a file, or of a part of it of some bytes.
func (l *loader) lines(ctx context.Context, r io.Reader, size int) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, min(size, firstRead)), MaxLine)
	var raw []byte  // the line with its end
	var start int64 // its place
	scanner.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		n, line, err := bufio.ScanLines(data, atEOF)
		raw = data[:n]
		return n, line, err
	})
	for scanner.Scan() {
		if l.line++; l.line%1024 == 1 && ctx.Err() != nil {
			return ctx.Err()
		}
		data := scanner.Bytes()
		if start == 0 {
			data = datafile.TrimBOM(data)
		}
		s, turn := l.last, false // an empty or faulty line belongs to the one before it
		if len(bytes.TrimSpace(data)) > 0 {
			if of := l.object(data); of != nil {
				turn, s = len(of.turns) > of.known, of
				of.known = len(of.turns)
			}
		}
		if s != nil && l.opens {
			s.note(raw, reread.Part{Path: l.faults.File, Start: start}, s == l.last, turn)
		}
		l.last = s
		start += int64(len(raw))
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

// note records where a line of the conversation is; it may extend its last part. A part
// begins and ends with a turn: questions are kept from the opening on.
func (s *sample) note(raw []byte, at reread.Part, goesOn, turn bool) {
	s.open = s.open && goesOn
	switch {
	case s.open:
	case !turn:
		return
	default:
		s.parts = append(s.parts, at)
		s.open, s.read, s.sum = true, 0, sha256.New()
	}
	s.read += len(raw)
	_, _ = s.sum.Write(raw) // never fails
	if turn {
		part := &s.parts[len(s.parts)-1]
		part.Size = s.read
		s.sum.Sum(part.Sum[:0])
	}
}

// object reads a line that is not empty, and returns its conversation, nil after a fault.
func (l *loader) object(data []byte) *sample {
	c := l.faults.Line(data, l.line)
	if c == nil {
		return nil
	}
	var head struct {
		Type string `json:"type" want:"required"`
	}
	switch {
	case !c.Decode(&head):
	case head.Type == "turn":
		return l.turn(c.Named(head.Type).Strict())
	case head.Type == "question":
		return l.question(c.Named(head.Type).Strict())
	default:
		c.Faultf("%s", suggest.Unknown("type", head.Type, []string{"turn", "question"}))
	}
	return nil
}

// sample returns the conversation of an id.
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

// turn reads a turn, appends it to its conversation and returns that; nil after a fault.
func (l *loader) turn(c *jsontree.Cursor) *sample {
	var line turnLine
	if !c.Decode(&line) {
		return nil
	}
	t := datasets.Turn{ID: string(line.ID), Time: clock(c, line.Time)}
	if line.Text != nil {
		t.Text = *line.Text
	}
	switch i := line.Image; {
	case i != nil:
		t.Image = &datasets.Image{Caption: i.Caption, URL: i.URL, Query: i.Query}
		if *t.Image == (datasets.Image{}) {
			c.Field("image").Faultf("the image has no caption, url or query")
		}
	case line.Text == nil:
		c.Faultf(`"text" is missing`)
	case strings.TrimSpace(t.Text) == "":
		c.Faultf(`"text" is empty and there is no image`)
	}
	s := l.sample(string(line.Sample))
	s.text += int64(len(t.Text))
	session, speaker := string(line.Session), string(line.Speaker)
	if n := len(s.Sessions); n == 0 || s.Sessions[n-1].ID != session {
		if s.sessions[session] {
			c.Faultf("session %q continues after session %q began; keep the turns of a session together",
				session, s.Sessions[n-1].ID)
			return s
		}
		session = strings.Clone(session)
		s.sessions[session] = true
		s.Sessions = append(s.Sessions, datasets.Session{ID: session})
	}
	if _, known := s.speakers[speaker]; !known {
		speaker = strings.Clone(speaker)
		s.speakers[speaker] = speaker
		s.Speakers = append(s.Speakers, speaker)
	}
	t.Speaker = s.speakers[speaker]
	for _, id := range line.Forgets {
		if !s.turns[string(id)] {
			c.Field("forgets").Faultf("%q is not an earlier turn of conversation %q", id, s.ID)
		}
		t.Forgets = append(t.Forgets, string(id))
	}
	if l.opens { // the kept part of a turn must not keep its line alive
		t.ID, t.Text, t.Image, t.Forgets = strings.Clone(t.ID), "", nil, nil
	}
	s.place(c, t)
	return s
}

// place appends a turn to the last session. A turn without a time has that of
// the one before it.
func (s *sample) place(c *jsontree.Cursor, t datasets.Turn) {
	current := &s.Sessions[len(s.Sessions)-1]
	if t.ID == "" {
		t.ID = current.ID + ":" + strconv.Itoa(len(current.Turns)+1)
	}
	if s.turns[t.ID] {
		c.Faultf("id %q is already that of another turn of conversation %q", t.ID, s.ID)
	}
	s.turns[t.ID] = true
	if t.Time.Before(s.last) && !t.Time.IsZero() {
		c.Faultf("the time %s is before that of the previous turn, %s; put the turns in order of time",
			t.Time.Format(layouts[1]), s.last.Format(layouts[1]))
	}
	switch {
	case !t.Time.IsZero():
		s.last = t.Time
		if current.Time.IsZero() {
			// The first time of a session is that of the turns before, too.
			current.Time = t.Time
			for i := range current.Turns {
				current.Turns[i].Time = t.Time
			}
		}
	case !current.Time.IsZero():
		t.Time = s.last
	}
	current.Turns = append(current.Turns, t)
}

// finish checks what needs all lines.
func (l *loader) finish(ctx context.Context) error {
	if err := l.faults.Err(); err != nil {
		return err
	}
	file := l.faults.File
	var entries []datasets.Entry
	questions := 0
	for _, s := range l.samples {
		questions += len(s.questions)
		switch {
		case len(s.questions) == 0:
			l.set.Warn("conversation has no question; left out", s.ID)
			continue
		case len(s.Sessions) == 0:
			q := s.questions[0]
			l.faults.File = q.file
			l.faults.Addf(q.line, "question: conversation %q has no turns%s", s.ID, l.meant(s.ID, l.withTurns))
			continue
		}
		l.source.Parts = append(l.source.Parts, s.parts)
		var texts map[string]string
		if slices.ContainsFunc(s.questions, question.mentions) {
			loaded, err := l.source.Load(ctx, len(entries))
			if err != nil {
				return err
			}
			s.Sessions, texts = loaded.Sessions, textsOf(&loaded)
		}
		l.setGold(s, texts)
		e := l.set.Index(len(entries), &s.Sample)
		e.Text = s.text
		for _, p := range s.parts {
			e.Bytes += int64(p.Size)
		}
		entries = append(entries, e)
		s.Sessions = nil
	}
	if err := l.faults.Err(); err != nil {
		return err
	}
	if questions == 0 {
		return fmt.Errorf("%s: has no question; want a line with \"type\": \"question\"", file)
	}
	l.set.Stream(entries, &l.source)
	return nil
}

// meant returns the end of a message that suggests the id that was probably
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

// withTurns returns the ids of the conversations that have turns.
func (l *loader) withTurns() []string {
	var ids []string
	for _, s := range l.samples {
		if len(s.Sessions) > 0 {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

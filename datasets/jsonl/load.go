package jsonl

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
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
	vocabulary *category.Vocabulary // of the names of categories; nil if they stand for themselves
	set        *datasets.Set
}

// A sample is a conversation that is being assembled.
type sample struct {
	datasets.Sample
	texts     map[string]string // of the turns, by their ids
	questions []question
	last      time.Time // of the turns so far
}

// Load reads files into a set whose name is "jsonl". Their contents are combined, and
// all faults of all lines come in one error. The set's SHA256 is that of the file, or
// for several files that of the lines of their hashes.
func Load(ctx context.Context, paths ...string) (*datasets.Set, error) {
	return load(ctx, nil, paths...)
}

// load is [Load] with the names of categories in a vocabulary.
func load(ctx context.Context, v *category.Vocabulary, paths ...string) (*datasets.Set, error) {
	l := &loader{byID: make(map[string]*sample), set: &datasets.Set{Name: "jsonl"}, vocabulary: v}
	var sums []string
	for _, path := range paths {
		sum, err := l.file(ctx, path)
		if err != nil {
			return nil, err
		}
		sums = append(sums, sum+"\n")
	}
	if err := l.finish(); err != nil {
		return nil, err
	}
	sum := strings.TrimSpace(sums[0])
	if len(paths) > 1 {
		sum = datafile.Sum([]byte(strings.Join(sums, "")))
	}
	l.set.Sign(sum)
	return l.set, nil
}

// file reads the lines of a file and returns its hash.
func (l *loader) file(ctx context.Context, path string) (string, error) {
	f, err := datafile.OpenLarge(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	l.faults.File, l.line = path, 0
	sum := sha256.New()
	scanner := bufio.NewScanner(io.TeeReader(f, sum))
	scanner.Buffer(nil, MaxLine)
	for scanner.Scan() {
		if l.line++; l.line%1024 == 1 && ctx.Err() != nil {
			return "", ctx.Err()
		}
		data := scanner.Bytes()
		if l.line == 1 {
			data = datafile.TrimBOM(data)
		}
		if len(bytes.TrimSpace(data)) > 0 {
			l.object(data)
		}
	}
	if err := scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		l.faults.Addf(l.line+1, "the line is longer than %d MiB; the lines after it were not read", MaxLine>>20)
	} else if err != nil {
		return "", fmt.Errorf("%s:%d: %w", path, l.line+1, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), ctx.Err()
}

// object reads a line that is not empty.
func (l *loader) object(data []byte) {
	c := l.faults.Line(data, l.line)
	if c == nil {
		return
	}
	var head struct {
		Type string `json:"type" want:"required"`
	}
	switch {
	case !c.Decode(&head):
	case head.Type == "turn":
		l.turn(c.Named(head.Type).Strict())
	case head.Type == "question":
		l.question(c.Named(head.Type).Strict())
	default:
		c.Faultf("%s", suggest.Unknown("type", head.Type, []string{"turn", "question"}))
	}
}

// sample returns the conversation of an id.
func (l *loader) sample(id string) *sample {
	s := l.byID[id]
	if s == nil {
		s = &sample{Sample: datasets.Sample{ID: id}, texts: make(map[string]string)}
		l.byID[id] = s
		l.samples = append(l.samples, s)
	}
	return s
}

// turn reads a turn and appends it to its conversation.
func (l *loader) turn(c *jsontree.Cursor) {
	var line turnLine
	if !c.Decode(&line) {
		return
	}
	t := datasets.Turn{ID: string(line.ID), Speaker: string(line.Speaker), Time: clock(c, line.Time)}
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
	s, session := l.sample(string(line.Sample)), string(line.Session)
	if n := len(s.Sessions); n == 0 || s.Sessions[n-1].ID != session {
		if slices.ContainsFunc(s.Sessions, func(old datasets.Session) bool { return old.ID == session }) {
			c.Faultf("session %q continues after session %q began; keep the turns of a session together",
				session, s.Sessions[n-1].ID)
			return
		}
		s.Sessions = append(s.Sessions, datasets.Session{ID: session})
	}
	s.Speakers = lists.AddNew(s.Speakers, t.Speaker)
	for _, id := range line.Forgets {
		if _, ok := s.texts[string(id)]; !ok {
			c.Field("forgets").Faultf("%q is not an earlier turn of conversation %q", id, s.ID)
		}
		t.Forgets = append(t.Forgets, string(id))
	}
	s.place(c, t)
}

// place appends a turn to the last session. A turn without a time has that of
// the one before it.
func (s *sample) place(c *jsontree.Cursor, t datasets.Turn) {
	current := &s.Sessions[len(s.Sessions)-1]
	if t.ID == "" {
		t.ID = current.ID + ":" + strconv.Itoa(len(current.Turns)+1)
	}
	if _, ok := s.texts[t.ID]; ok {
		c.Faultf("id %q is already that of another turn of conversation %q", t.ID, s.ID)
	}
	s.texts[t.ID] = t.Text
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
func (l *loader) finish() error {
	if err := l.faults.Err(); err != nil {
		return err
	}
	file := l.faults.File
	questions := 0
	for _, s := range l.samples {
		questions += len(s.questions)
		switch {
		case len(s.questions) == 0:
			l.set.Warn("conversation has no question; left out", s.ID)
		case len(s.Sessions) == 0:
			q := s.questions[0]
			l.faults.File = q.file
			l.faults.Addf(q.line, "question: conversation %q has no turns%s", s.ID, l.meant(s.ID, l.withTurns))
		default:
			l.setGold(s)
			l.set.Fill(s.Sample)
		}
	}
	if err := l.faults.Err(); err != nil {
		return err
	}
	if questions == 0 {
		return fmt.Errorf("%s: has no question; want a line with \"type\": \"question\"", file)
	}
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

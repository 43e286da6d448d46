package jsonl

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

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

// load reads files into a set whose name is "jsonl". Their contents are combined, and
// all faults of all lines come in one error. The set's SHA256 is that of the file, or
// for several files that of the lines of their hashes. The names of categories are those
// of a vocabulary; without one they stand for themselves.
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
	switch {
	case line.Image != nil:
		t.Image = &datasets.Image{Caption: line.Image.Caption, URL: line.Image.URL, Query: line.Image.Query}
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
	t.ID = cmp.Or(t.ID, current.ID+":"+strconv.Itoa(len(current.Turns)+1))
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
	for _, s := range l.samples {
		switch {
		case len(s.questions) == 0:
			l.set.Warn("conversation has no question; left out", s.ID)
		case len(s.Sessions) == 0:
			l.faultf(s.questions[0], "conversation %q has no turns", s.ID)
		default:
			l.setGold(s)
			l.set.Fill(s.Sample)
		}
	}
	if err := l.faults.Err(); err != nil || len(l.set.Entries) > 0 {
		return err
	}
	return fmt.Errorf("%s: has no question; want a line with \"type\": \"question\"", l.faults.File)
}

// faultf records a fault of a question.
func (l *loader) faultf(q question, format string, args ...any) {
	l.faults.File = q.file
	l.faults.Addf(q.line, "question: "+format, args...)
}

// A question is what is known of one besides its request: where it stands, and its gold
// answer. Its evidence and the mentions of its entities are checked when all turns are
// known.
type question struct {
	file     string
	line     int
	gold     datasets.Gold
	evidence []jsontree.Text
}

// question reads a question.
func (l *loader) question(c *jsontree.Cursor) {
	var line questionLine
	if !c.Decode(&line) {
		return
	}
	s := l.sample(string(line.Sample))
	r := datasets.Request{ID: cmp.Or(string(line.ID), "q"+strconv.Itoa(len(s.Requests)+1)), Text: line.Question, Time: clock(c, line.Time)}
	if slices.ContainsFunc(s.Requests, func(old datasets.Request) bool { return old.ID == r.ID }) {
		c.Faultf("id %q is already that of another question of conversation %q", r.ID, s.ID)
	}
	s.Requests = append(s.Requests, r)
	s.questions = append(s.questions, question{l.faults.File, l.line, l.gold(c, &line), line.Evidence})
}

// gold reads the gold answer of a question, without its evidence.
func (l *loader) gold(c *jsontree.Cursor, line *questionLine) datasets.Gold {
	g := datasets.Gold{Category: l.category(c, line.Category), Abstain: line.Abstain, Entities: line.Entities, Values: line.Values}
	checkEntities(c, g.Entities)
	if g.Values != nil {
		if err := g.Values.Check(); err != nil {
			c.Field("values").Faultf("%v", err)
		}
	}
	if len(line.Labels) > 0 {
		g.Labels = make(map[string]string)
	}
	for _, name := range slices.Sorted(maps.Keys(line.Labels)) {
		value := line.Labels[name]
		switch {
		case strings.TrimSpace(name) == "" || blank(value):
			c.Field("labels").Faultf("a label has no name or no value")
		case name == "category":
			c.Field("labels").Faultf("category cannot be a label; use the question's field category")
		}
		g.Labels[name] = string(value)
	}
	switch {
	case g.Abstain && (line.Answer != nil || line.Answers != nil):
		c.Faultf("abstain is true, but there is an answer; want one of them")
	case g.Abstain:
	case line.Answer == nil:
		c.Faultf("%q is missing, want a string", "answer")
	case blank(*line.Answer) || slices.ContainsFunc(line.Answers, blank):
		c.Faultf("an answer is empty")
	default:
		g.Answer = string(*line.Answer)
		for _, answer := range line.Answers {
			text := string(answer)
			if text == g.Answer || slices.Contains(g.Variants, text) {
				l.set.Warn("answer is listed twice; counted once", fmt.Sprintf("%s:%d: %s", l.faults.File, l.line, text))
				continue
			}
			g.Variants = append(g.Variants, text)
		}
	}
	return g
}

func blank(t jsontree.Text) bool { return strings.TrimSpace(string(t)) == "" }

// category returns the category of a question and registers it with the set.
func (l *loader) category(c *jsontree.Cursor, given *jsontree.Text) string {
	id := datasets.Uncategorised
	if given != nil {
		id = string(*given)
	}
	if strings.TrimSpace(id) == "" {
		c.Faultf("%q is empty", "category")
	}
	name := id
	if l.vocabulary != nil && id != datasets.Uncategorised {
		var ok bool
		if id, ok = l.vocabulary.ID(name); !ok {
			c.Faultf("category %q is not in %s, which has %s", name, l.vocabulary.Name, strings.Join(l.vocabulary.List(), ", "))
		}
	}
	if !slices.ContainsFunc(l.set.Categories, func(c datasets.Category) bool { return c.ID == id }) {
		l.set.Categories = append(l.set.Categories, datasets.Category{ID: id, Name: name})
	}
	return id
}

// checkEntities reports faults of the entities of a question at a cursor.
func checkEntities(c *jsontree.Cursor, all []datasets.Entity) {
	for i, e := range all {
		fault := c.Field("entities").Items()[i].Faultf
		if slices.ContainsFunc(all[:i], func(have datasets.Entity) bool { return have.ID == e.ID }) {
			fault("id %q is already that of another entity of the question", e.ID)
		}
		if len(e.Names) == 0 || slices.ContainsFunc(e.Names, func(name string) bool { return strings.TrimSpace(name) == "" }) {
			fault("names is empty or contains an empty name, want at least one name")
		}
		for _, m := range e.Mentions {
			if m.Start < 0 || m.End <= m.Start {
				fault("start %d and end %d are not a range, want 0 <= start < end", m.Start, m.End)
			}
		}
	}
}

// setGold records the gold answers of a conversation.
func (l *loader) setGold(s *sample) {
	for i, q := range s.questions {
		g, r := q.gold, s.Requests[i]
		for _, id := range q.evidence {
			id := string(id)
			_, known := s.texts[id]
			switch {
			case !known:
				l.faultf(q, "the evidence names turn %q, which conversation %q does not have", id, s.ID)
			case slices.Contains(g.Evidence, id):
				l.set.Warn("evidence names a turn twice; counted once", s.ID+": "+r.ID+" "+id)
			default:
				g.Evidence = append(g.Evidence, id)
			}
		}
		for _, e := range g.Entities {
			for _, m := range e.Mentions {
				l.mention(s, q, r.Text, e.ID, m)
			}
		}
		l.set.SetGold(s.ID, r.ID, g)
	}
}

// mention checks where an entity of a question is mentioned, in a turn or in the text of
// the question.
func (l *loader) mention(s *sample, q question, text, entity string, m datasets.Mention) {
	where := "the question"
	if m.Turn != "" {
		var ok bool
		if text, ok = s.texts[m.Turn]; !ok {
			l.faultf(q, "entity %q is mentioned in %q, but conversation %q has no such turn", entity, m.Turn, s.ID)
			return
		}
		where = "turn " + m.Turn
	}
	boundary := func(at int) bool { return at == len(text) || utf8.RuneStart(text[at]) }
	switch {
	case m.End > len(text):
		l.faultf(q, "entity %q: mention ends at byte %d of %s, which has %d", entity, m.End, where, len(text))
	case !boundary(m.Start) || !boundary(m.End):
		l.faultf(q, "entity %q: mention from byte %d to %d of %s begins or ends within a character", entity, m.Start, m.End, where)
	}
}

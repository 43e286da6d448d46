package errata

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
	"recallbench/internal/text/suggest"
)

// A Question is a question that entries are matched to.
type Question struct {
	Sample, Request string
	Name            string // the release's, by which entries may call it; empty for none
	Text            string
	Answer          string // the published one; empty if it is an abstention
	// Turns are the ids that evidence may name; nil if they are not known.
	Turns map[string]bool
}

func (q Question) id() string { return q.Sample + "/" + q.Request }

// Questions returns the questions of a set. Only conversations whose evidence
// an overlay names are loaded.
func Questions(ctx context.Context, set *datasets.Set, overlays ...*Overlay) ([]Question, error) {
	proven := make(map[string]bool)
	for _, o := range overlays {
		for _, e := range o.Entries {
			proven[e.ID] = proven[e.ID] || len(e.Evidence) > 0
		}
	}
	var all []Question
	for i, entry := range set.Entries {
		var turns map[string]bool
		for _, r := range entry.Requests {
			g, _ := set.Gold(entry.ID, r.ID)
			q := Question{Sample: entry.ID, Request: r.ID, Name: g.Name, Text: r.Text, Answer: g.Answer}
			if proven[q.id()] || proven[q.Name] {
				if turns == nil {
					sample, err := set.Load(ctx, i)
					if err != nil {
						return nil, err
					}
					turns = turnsOf(sample)
				}
				q.Turns = turns
			}
			all = append(all, q)
		}
	}
	return all, nil
}

func turnsOf(s datasets.Sample) map[string]bool {
	turns := make(map[string]bool)
	for _, session := range s.Sessions {
		for _, t := range session.Turns {
			turns[t.ID] = true
		}
	}
	return turns
}

// Data describes the questions that overlays are matched to.
type Data struct {
	Dataset string // its name
	SHA256  string // of its files, in hex
	// Questions are those that are asked. An entry about another is treated as left
	// out.
	Questions []Question
	// Categories are those that an entry may name; none for any.
	Categories []string
	Options    Options
}

// A Matching is the result of matching overlays to the questions of a dataset.
type Matching struct {
	Changes []Change // in the order of the questions
	// Notes are remarks for readers of the result.
	Notes []string
}

// Match matches the entries of overlays to the questions of a dataset. An entry
// matches the question with its id or its name in the release, if the entry has no
// text or the same text apart from white space and case. All faults are reported
// together, with file and line: an entry about another dataset or about a question
// with another text; a disputed answer that is not the dataset's; evidence that is
// not a turn; an unknown category; and a second, different entry about a question.
// The option stale turns some into notes.
func Match(d Data, overlays ...*Overlay) (Matching, error) {
	m := matcher{data: d, questions: make(map[string]int), entries: make(map[int]Change), places: make(map[int]string)}
	for i, q := range d.Questions {
		m.questions[q.id()] = i
		if q.Name != "" {
			m.questions[q.Name] = i
		}
	}
	for _, o := range overlays {
		m.overlay(o)
	}
	for i := range d.Questions {
		if c, ok := m.entries[i]; ok {
			m.matching.Changes = append(m.matching.Changes, c)
		}
	}
	if n := len(m.unasked); n > 0 {
		m.note("%d entries are about questions that are not asked here, such as %s", n, m.unasked[0])
	}
	m.matching.Notes = append(m.matching.Notes, m.stale...)
	return m.matching, m.faults.Err()
}

type matcher struct {
	data      Data
	questions map[string]int // by id
	entries   map[int]Change
	unasked   []string       // ids of entries
	stale     []string       // what happened to stale entries
	places    map[int]string // of the entries, for messages
	matching  Matching
	faults    datafile.Faults
}

func (m *matcher) note(format string, args ...any) {
	m.matching.Notes = append(m.matching.Notes, fmt.Sprintf(format, args...))
}

func (m *matcher) overlay(o *Overlay) {
	m.faults.File = o.file
	if o.Dataset != m.data.Dataset {
		m.faults.Addf(1, "%s is about the dataset %s, not %s", o.Name, o.Dataset, m.data.Dataset)
		return
	}
	if len(o.Data) > 0 && !slices.Contains(o.Data, m.data.SHA256) {
		m.note("%s was written for another file than the one with SHA-256 %.12s; its entries still match by id and text", o.Name, m.data.SHA256)
	}
	for _, e := range o.Entries {
		m.entry(o, e)
	}
}

func (m *matcher) entry(o *Overlay, e Entry) {
	fault := func(format string, args ...any) {
		m.faults.Addf(e.line, "%s: %s", e.ID, fmt.Sprintf(format, args...))
	}
	at, ok := m.questions[e.ID]
	if !ok {
		m.unasked = append(m.unasked, e.ID)
		return
	}
	q := m.data.Questions[at]
	if e.Question != "" && fold(e.Question) != fold(q.Text) {
		fault("the question reads %q in the dataset, %q here", q.Text, e.Question)
		return
	}
	if e.Gold != "" && spaced(e.Gold) != spaced(q.Answer) {
		what := fmt.Sprintf("the entry disputes %q, but the dataset's answer is %q: the entry is stale", e.Gold, q.Answer)
		if m.data.Options.Stale == SkipStale {
			m.stale = append(m.stale, e.ID+": "+what+"; skipped")
			return
		}
		fault("%s", what)
	}
	if known := m.data.Categories; e.Category != "" && len(known) > 0 && !slices.Contains(known, e.Category) {
		fault("%s", suggest.Unknown("category", e.Category, known))
	}
	if e.Action == Also && q.Answer == "" {
		fault("the right answer is an abstention, to which %s can add nothing; use %s to replace it", Also, Correct)
	}
	for _, id := range e.Evidence {
		if q.Turns != nil && !q.Turns[id] {
			fault("conversation %s has no turn %s, which is named as evidence", q.Sample, id)
		}
	}
	change := Change{
		Sample: q.Sample, Request: q.Request, Overlay: o.Name, Action: e.Action,
		Answers: e.Answers, Evidence: e.Evidence, Category: e.Category, Kind: e.Kind, Why: e.Why,
	}
	if place, ok := m.places[at]; ok {
		if !change.same(m.entries[at]) {
			fault("%s already has an entry about it; remove one of them", place)
		}
		return
	}
	m.places[at] = fmt.Sprintf("%s:%d", o.file, e.line)
	m.entries[at] = change
}

// same reports whether two changes have the same effect.
func (c Change) same(d Change) bool {
	return c.Action == d.Action && c.Category == d.Category && slices.Equal(c.Answers, d.Answers) && slices.Equal(c.Evidence, d.Evidence)
}

// spaced returns a text with single blanks between its words.
func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// fold is spaced ignoring case.
func fold(s string) string { return strings.ToLower(spaced(s)) }

// Package errata has known errors in the gold answers of datasets.
//
// An [Overlay] lists the questions whose published answer or evidence is disputed,
// in a file of the user's own or one that is fetched. [Match] matches its entries to
// the questions of a dataset, by id and text. A [Key] then decides what a question
// is scored against: nothing of this reaches a method, and no question is asked
// again.
package errata

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/text/suggest"
)

// A Key is an answer key: the gold answers that count, as published or as
// changed by overlays.
type Key string

// The answer keys.
const (
	// Published is the gold answers as published.
	Published Key = "published"
	// Excluded leaves out the questions whose answer is disputed.
	Excluded Key = "excluded"
	// Corrected uses the corrected answers, and leaves out the questions that have
	// none.
	Corrected Key = "corrected"
	// Lenient accepts the published answers and the corrected ones.
	Lenient Key = "lenient"
)

// Keys lists the answer keys in the order of tables.
func Keys() []Key { return []Key{Published, Excluded, Corrected, Lenient} }

// Values implements the enumeration of a run file.
func (Key) Values() []string {
	return lists.Map(Keys(), func(k Key) string { return string(k) })
}

// An Action says what an entry does with a question.
type Action string

// The actions of entries.
const (
	// Correct replaces the published answer.
	Correct Action = "correct"
	// Also adds answers that are as right as the published one.
	Also Action = "also"
	// Premise disputes the question: it asks about the wrong person or day.
	Premise Action = "premise"
	// Unanswerable says that the conversation does not contain the answer.
	Unanswerable Action = "unanswerable"
	// Exclude leaves the question out for any other reason.
	Exclude Action = "exclude"
	// Evidence replaces the evidence and leaves the answer.
	Evidence Action = "evidence"
)

// actions lists the actions in the order of listings.
var actions = []Action{Correct, Also, Premise, Unanswerable, Exclude, Evidence}

// An Overlay lists errors in the answer key of a dataset. Its first fields are the
// header of a file.
type Overlay struct {
	Format      string   `json:"errata" want:"filled"`
	Name        string   `json:"name" want:"filled"`
	Version     string   `json:"version"`
	Dataset     string   `json:"dataset" want:"filled"` // its name
	Data        []string `json:"data_sha256"`           // of the data files that it was written for; none for any
	License     string   `json:"license" want:"filled"`
	Source      string   `json:"source" want:"filled"`
	Attribution string   `json:"attribution"`

	// SHA256 is the hash of its entries as they are applied, in hex: the same for
	// files that differ only in white space.
	SHA256  string
	Entries []Entry

	file string
}

// An Entry disputes the gold of a question.
type Entry struct {
	ID       string   `json:"id" want:"filled"` // SAMPLE/REQUEST, as the program numbers them, or the release's name of the question
	Question string   `json:"question"`         // needed in a file of the user's own
	Gold     string   `json:"gold,omitempty"`   // the disputed answer; empty if the entry does not say
	Action   Action   `json:"action" want:"filled"`
	Answers  []string `json:"answers,omitempty"` // right answers, the best first
	Kind     string   `json:"kind,omitempty"`
	Why      string   `json:"why,omitempty"`
	Evidence []string `json:"evidence,omitempty"` // replaces the gold evidence; none leaves it
	Category string   `json:"category,omitempty"` // replaces the category; empty leaves it
	By       string   `json:"by,omitempty"`       // who says so
	Ref      string   `json:"ref,omitempty"`      // source of the claim

	line int // in the file
}

// A Change is an entry that was matched to a question: a line of
// gold/<dataset>.errata.jsonl in a run folder.
type Change struct {
	Sample   string   `json:"sample"`
	Request  string   `json:"request"`
	Overlay  string   `json:"overlay"`
	Action   Action   `json:"action"`
	Answers  []string `json:"answers,omitempty"`
	Evidence []string `json:"evidence,omitempty"`
	Category string   `json:"category,omitempty"`
	Kind     string   `json:"kind,omitempty"`
	Why      string   `json:"why,omitempty"`
}

// A Ruling is what a question is scored against under an answer key.
type Ruling struct {
	// Out leaves the question out of everything that uses its gold answer.
	Out bool
	// Published says that the published answer is right; Answers are right in
	// addition, or instead.
	Published bool
	Answers   []string
	// Evidence replaces the gold evidence; none leaves it.
	Evidence []string
	// Category replaces the category; empty leaves it.
	Category string
}

// Under returns the effect of the change under a key.
func (c Change) Under(k Key) Ruling {
	switch replaces := k == Corrected && c.Action == Correct; {
	case k == Published:
		return Ruling{Published: true}
	case replaces, c.Action == Evidence, k == Lenient, k == Corrected && c.Action == Also:
		return Ruling{Published: !replaces, Answers: c.Answers, Evidence: c.Evidence, Category: c.Category}
	}
	return Ruling{Out: true}
}

// Options say how the entries of overlays are applied.
type Options struct {
	// Stale says how to treat an entry whose published answer is not the dataset's: as an
	// error, or skipped and counted.
	Stale Stale `yaml:"stale,omitempty"`
}

// String lists what differs from the defaults; empty for nothing.
func (o Options) String() string {
	if o.Stale == SkipStale {
		return "stale skip"
	}
	return ""
}

// Stale says how to treat a stale entry.
type Stale string

// The ways to treat stale entries.
const (
	RefuseStale Stale = "error" // the default
	SkipStale   Stale = "skip"
)

// Values implements the enumeration of a run file.
func (Stale) Values() []string { return []string{string(RefuseStale), string(SkipStale)} }

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
					turns = make(map[string]bool)
					for _, session := range sample.Sessions {
						for _, t := range session.Turns {
							turns[t.ID] = true
						}
					}
				}
				q.Turns = turns
			}
			all = append(all, q)
		}
	}
	return all, nil
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
	m := matcher{data: d, questions: make(map[string]int), found: make(map[int]Change), places: make(map[int]string)}
	for i, q := range d.Questions {
		m.questions[q.id()] = i
		if q.Name != "" {
			m.questions[q.Name] = i
		}
	}
	for _, o := range overlays {
		m.overlay(o)
	}
	for _, i := range slices.Sorted(maps.Keys(m.found)) {
		m.Changes = append(m.Changes, m.found[i])
	}
	if n := len(m.unasked); n > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%d entries are about questions that are not asked here, such as %s", n, m.unasked[0]))
	}
	m.Notes = append(m.Notes, m.stale...)
	return m.Matching, m.faults.Err()
}

type matcher struct {
	Matching
	data      Data
	questions map[string]int // by id
	found     map[int]Change // by question
	places    map[int]string // of the entries that are found
	unasked   []string       // ids of entries
	stale     []string       // what happened to stale entries
	faults    datafile.Faults
}

func (m *matcher) overlay(o *Overlay) {
	m.faults.File = o.file
	if o.Dataset != m.data.Dataset {
		m.faults.Addf(1, "%s is about the dataset %s, not %s", o.Name, o.Dataset, m.data.Dataset)
		return
	}
	if len(o.Data) > 0 && !slices.Contains(o.Data, m.data.SHA256) {
		m.Notes = append(m.Notes, fmt.Sprintf("%s was written for another file than the one with SHA-256 %.12s; its entries still match by id and text", o.Name, m.data.SHA256))
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
	if e.Question != "" && !strings.EqualFold(spaced(e.Question), spaced(q.Text)) {
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
	if first, ok := m.found[at]; !ok {
		m.found[at], m.places[at] = change, fmt.Sprintf("%s:%d", o.file, e.line)
	} else if !change.same(first) {
		fault("%s already has an entry about it; remove one of them", m.places[at])
	}
}

// same reports whether two changes have the same effect.
func (c Change) same(d Change) bool {
	return c.Action == d.Action && c.Category == d.Category && slices.Equal(c.Answers, d.Answers) && slices.Equal(c.Evidence, d.Evidence)
}

// spaced returns a text with single blanks between its words.
func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// Text prints, with tabs between columns, how many changes there are to the questions of a
// set, in all and by category: all of them, those of each kind and of each action, and those
// that dispute the answer. The ceiling is the percentage of questions whose answer is not
// disputed.
func (m Matching) Text(set *datasets.Set) string {
	categories := make(map[string]string) // of questions, by sample and request
	questions := make(map[string]int)     // by category; all of them under ""
	for _, s := range set.Entries {
		for _, r := range s.Requests {
			g, _ := set.Gold(s.ID, r.ID)
			categories[s.ID+"/"+r.ID] = g.Category
			questions[g.Category]++
			questions[""]++
		}
	}
	columns := slices.SortedFunc(maps.Keys(questions), datasets.ByNumber) // "" first
	var b strings.Builder
	row := func(name string, cell func(category string) any) {
		b.WriteString(name)
		for _, category := range columns {
			fmt.Fprint(&b, "\t", cell(category))
		}
		b.WriteString("\n")
	}
	count := func(name string, counts func(Change) bool) map[string]int {
		n := make(map[string]int)
		for _, c := range m.Changes {
			if counts(c) {
				n[categories[c.Sample+"/"+c.Request]]++
				n[""]++
			}
		}
		row(name, func(category string) any { return n[category] })
		return n
	}
	row("ENTRIES", func(category string) any { return cmp.Or(category, "ALL") })
	count("matched", func(Change) bool { return true })
	kinds := lists.Distinct(m.Changes, func(c Change) string { return c.Kind })
	for _, kind := range slices.Sorted(slices.Values(kinds)) {
		if kind != "" {
			count("  "+kind, func(c Change) bool { return c.Kind == kind })
		}
	}
	for _, action := range actions {
		count("  action "+string(action), func(c Change) bool { return c.Action == action })
	}
	disputed := count("disputed", func(c Change) bool { return c.Action != Evidence })
	row("questions", func(category string) any { return questions[category] })
	row("ceiling", func(category string) any {
		return fmt.Sprintf("%.2f", 100*(1-float64(disputed[category])/float64(questions[category])))
	})
	return b.String()
}

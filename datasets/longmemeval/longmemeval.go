// Package longmemeval loads LongMemEval, 500 questions that each have a
// conversation of their own, and any other file in its layout.
//
// A file is an array of questions. Some publish the same as cases,
// a file for each question, in a folder. A conversation is as large as a small book and a
// file may be larger than memory: opening checks everything and keeps questions and gold
// answers; conversations are read again when needed.
//
// The ids of the release reveal which sessions contain the answer and which
// questions have none. Methods see ids, so conversations, sessions and turns have
// different ones here.
//
// Wu et al., "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive
// Memory", ICLR 2025, arXiv:2410.10813. The data is under the MIT licence and not
// part of this project. The layout follows the README of xiaowu0162/LongMemEval at
// 9e0b455.
package longmemeval

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/datasets/internal/reread"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/suggest"
)

const (
	name     = "longmemeval"
	revision = "98d7416c24c778c2fee6e6f3006e7a073259d48f"
	home     = "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/" + revision + "/"

	oracleSum = "821a2034d219ab45846873dd14c14f12cfe7776e73527a483f9dac095d38620c"
	smallSum  = "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442"
)

// Spec describes the cleaned release of September 2025.
var Spec = &datasets.Spec{
	Name:       name,
	Doc:        "500 questions in six categories, each about a conversation of its own of up to 500 sessions",
	Source:     "Wu et al., LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory, ICLR 2025; huggingface.co/datasets/xiaowu0162/longmemeval-cleaned",
	License:    "MIT",
	Options:    Options{Variant: Small, Abstention: Ask, Turns: Both},
	Categories: Categories(),
	Metrics:    []string{"f1@span", "words", "evidence-recall", "session-recall@longmemeval@5", "tokens"},
	Files: []datasets.File{
		{Name: "longmemeval_oracle.json", URL: home + "longmemeval_oracle.json", Size: 15388478, SHA256: oracleSum},
		{Name: "longmemeval_s_cleaned.json", URL: home + "longmemeval_s_cleaned.json", Size: 277383467, SHA256: smallSum},
	},
	Open: datasets.Opener(name, open),
}

// Categories returns the types of questions in the order of the paper. A question
// whose conversation does not contain the answer keeps the type of the question it
// was made from.
func Categories() []datasets.Category {
	return lists.Map(types, func(t string) datasets.Category { return datasets.Category{ID: t, Name: t} })
}

// types are the official names.
var types = []string{
	"single-session-user", "single-session-assistant", "single-session-preference",
	"multi-session", "temporal-reasoning", "knowledge-update",
}

// A Variant is a file of the release, or a folder of cases.
type Variant string

// The variants differ in the sessions that accompany those with the answer.
const (
	Oracle Variant = "oracle" // none
	Small  Variant = "s"      // about 48 in all
	Medium Variant = "m"      // about 500 in all
	Cases  Variant = "s53"    // 53 questions of s, as cases
)

// Values returns the variants, for messages and editors.
func (Variant) Values() []string {
	return []string{string(Oracle), string(Small), string(Medium), string(Cases)}
}

// A Policy says how to treat questions that the conversation does not answer.
type Policy string

// The policies.
const (
	Ask  Policy = "ask"  // ask them among the others
	Drop Policy = "drop" // leave them out
	Only Policy = "only" // leave the others out
)

// Values returns the policies, for messages and editors.
func (Policy) Values() []string { return []string{string(Ask), string(Drop), string(Only)} }

// Turns says whose turns a conversation has.
type Turns string

// The choices of speakers.
const (
	Both Turns = "all"
	User Turns = "user" // without the assistant's, as in the authors' retrieval
)

// Values returns the choices, for messages and editors.
func (Turns) Values() []string { return []string{string(Both), string(User)} }

// Options select what is loaded.
type Options struct {
	// Variant is the file of the release: oracle, s or m; or s53, a folder of cases with
	// 53 questions of s.
	Variant Variant `yaml:"variant,omitempty"`
	// Path names another file in the layout instead, or a folder of cases, relative to
	// the run file's folder.
	Path string `yaml:"path,omitempty"`
	// Turns says whose turns a conversation has: all, or user, as in the authors'
	// retrieval. Evidence said by the assistant is then left out, too.
	Turns Turns `yaml:"turns"`
	// Types are the types of questions to ask, such as multi-session; all by default.
	Types []string `yaml:"types,omitempty"`
	// Abstention says how to treat questions that the conversation does not
	// answer: ask, drop or only.
	Abstention Policy `yaml:"abstention"`
	// MaxQuestions is the largest number of questions of each type, the first of
	// the file; 0 for all.
	MaxQuestions int `yaml:"max_questions,omitempty"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	err := datasets.CheckList("types", o.Types, types)
	if o.MaxQuestions < 0 {
		err = errors.Join(err, fmt.Errorf("max_questions is %d, want 0 for all or more", o.MaxQuestions))
	}
	return err
}

// settings are the options that results depend on.
func (o Options) settings() map[string]string {
	settings := map[string]string{"variant": string(o.Variant), "types": cmp.Or(strings.Join(o.Types, ", "), "all"), "abstention": string(o.Abstention)}
	if o.Path != "" {
		settings["variant"] = "file"
	}
	if o.Turns != Both {
		settings["turns"] = string(o.Turns)
	}
	return settings
}

// keeps reports whether a question is asked, apart from the limit for its type.
func (o Options) keeps(q *question) bool {
	return (len(o.Types) == 0 || slices.Contains(o.Types, q.gold.Category)) &&
		(o.Abstention == Ask || (o.Abstention == Only) == q.gold.Abstain)
}

// paths are those of a variant in the data folder, the cleaned release's first.
var paths = map[Variant][]string{
	Oracle: {"longmemeval/longmemeval_oracle.json"},
	Small:  {"longmemeval/longmemeval_s_cleaned.json", "longmemeval/longmemeval_s.json"},
	Medium: {"longmemeval/longmemeval_m_cleaned.json", "longmemeval/longmemeval_m.json"},
	Cases:  {"longmemeval/s53/cases"},
}

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	remedy := datasets.Fetch(name)
	if o.Variant == Medium || o.Variant == Cases {
		remedy = "put the published files there, or set path"
	}
	path, err := env.Find(o.Path, remedy, paths[o.Variant]...)
	if err != nil {
		return nil, err
	}
	set, err := load(ctx, path, o)
	is := func(p string) bool { return strings.HasSuffix(filepath.ToSlash(path), p) }
	if err == nil && o.Path == "" && slices.IndexFunc(paths[o.Variant], is) > 0 {
		set.Caveat = "not the cleaned release: their scores are not comparable"
	}
	return set, err
}

// A loader reads a file, or a folder of cases.
type loader struct {
	options Options
	faults  datafile.Faults
	set     *datasets.Set
	entries []datasets.Entry
	source  reread.Source
	places  map[string]string // where a question stands, by its id
	asked   map[string]int    // by type
}

// load opens a file or a folder. Everything is checked, and the turns are dropped.
func load(ctx context.Context, path string, o Options) (*datasets.Set, error) {
	l := &loader{
		options: o, places: make(map[string]string), asked: make(map[string]int),
		set: &datasets.Set{Name: name, Settings: o.settings(), Categories: Categories()},
	}
	l.source.Parse = func(_ int, data [][]byte) (datasets.Sample, error) {
		tree, err := jsontree.Parse(data[0])
		if err != nil {
			return datasets.Sample{}, err
		}
		return read(jsontree.Root(tree, "", func(int, string, string) {}), o.Turns).sample, nil
	}
	readAll := l.file
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		readAll = l.cases
	}
	sum, err := readAll(ctx, path)
	if err = errors.Join(err, l.faults.Err()); err != nil {
		return nil, err
	}
	if len(l.entries) == 0 {
		return nil, fmt.Errorf("%s: no question is left of %d: types %s, abstention %s", path, len(l.places), l.set.Settings["types"], o.Abstention)
	}
	l.set.Sign(sum)
	if sum == oracleSum || sum == smallSum {
		l.set.Version = revision[:7]
	}
	l.set.Stream(l.entries, &l.source)
	return l.set, nil
}

// file reads a file, and returns its hash.
func (l *loader) file(ctx context.Context, path string) (string, error) {
	f, err := datafile.OpenLarge(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	l.faults.File = path
	sum := sha256.New()
	question := func(int, jsontree.Element) string { return "question" }
	err = l.faults.Each(ctx, io.TeeReader(f, sum), jsontree.Array, question, func(e jsontree.Element, c *jsontree.Cursor) {
		l.element(e, "line "+strconv.Itoa(e.Line), c)
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// cases reads a folder with a case in each JSON file, and returns the hash of the lines
// of their hashes.
func (l *loader) cases(ctx context.Context, dir string) (string, error) {
	files, err := fs.Glob(os.DirFS(dir), "*.json")
	if err == nil && len(files) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w; want a folder with a case in each .json file", dir, err)
	}
	var lines strings.Builder
	for _, file := range files {
		l.faults.File = filepath.Join(dir, file)
		data, err := datafile.Read(ctx, l.faults.File, datafile.MaxElement)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&lines, "%s  %s\n", datafile.Sum(data), file)
		if c := l.faults.Root(data, ""); c != nil {
			l.element(jsontree.Element{End: int64(len(data)), Line: 1, Data: data}, file, c)
		}
	}
	return datafile.Sum([]byte(lines.String())), nil
}

// element reads a question and, if it is asked, keeps what must be known without its
// conversation.
func (l *loader) element(e jsontree.Element, place string, c *jsontree.Cursor) {
	q := read(c, l.options.Turns)
	id := strings.Clone(q.gold.Name)
	if first := l.places[id]; first != "" && id != "" {
		l.faults.Addf(e.Line, "%s: question_id is already used by the question in %s", id, first)
	}
	l.places[id] = place
	if len(q.sample.Sessions) == 0 && l.faults.Count() == 0 {
		l.faults.Addf(e.Line, "%s: the user says nothing in its conversation; set turns to %s", id, Both)
	}
	if most := l.options.MaxQuestions; !l.options.keeps(q) || most > 0 && l.asked[q.gold.Category] == most || l.faults.Count() > 0 {
		return
	}
	for _, what := range q.flaws {
		l.set.Warn(what, id)
	}
	// Kept data must not keep the text of the conversation alive.
	for _, text := range []*string{&q.gold.Name, &q.gold.Category, &q.gold.Answer, &q.gold.Explanation, &q.sample.Requests[0].Text} {
		*text = strings.Clone(*text)
	}
	l.asked[q.gold.Category]++
	l.set.SetGold(q.sample.ID, q.sample.Requests[0].ID, q.gold)
	entry := l.set.Index(len(l.entries), &q.sample)
	entry.Bytes = e.End - e.Start
	l.entries = append(l.entries, entry)
	l.source.Parts = append(l.source.Parts, []reread.Part{reread.PartOf(l.faults.File, e.Start, e.Data)})
}

// A question is an element of the file.
type question struct {
	sample datasets.Sample
	gold   datasets.Gold
	flaws  []string // what was corrected
}

func (q *question) flaw(what string) { q.flaws = append(q.flaws, what) }

// A message is a turn as files have it.
type message struct {
	At        *jsontree.Cursor `json:"-"`
	Role      string           `json:"role" want:"required"`
	Content   string           `json:"content" want:"required"`
	HasAnswer bool             `json:"has_answer"`
}

// An entry is a question in either layout.
type entry struct {
	At       *jsontree.Cursor `json:"-"` // where faults are reported
	ID       string           `json:"question_id" want:"filled"`
	Kind     string           `json:"question_type" want:"required"`
	Text     string           `json:"question" want:"filled"`
	Answer   *jsontree.Cursor `json:"answer" want:"required"`
	Asked    string           `json:"question_date" want:"required"`
	Dates    []string         `json:"haystack_dates" want:"required"`
	IDs      []string         `json:"haystack_session_ids" want:"required"`
	Sessions [][]message      `json:"haystack_sessions" want:"required"`
	Evidence []jsontree.Text  `json:"answer_session_ids" want:"required"` // ids of sessions
}

// A caseFile is a question in the layout of agentscope-ai/ReMe. It has one query; if
// its makers changed the answer, the file also has the release's, which is used.
type caseFile struct {
	Queries []struct {
		At     *jsontree.Cursor `json:"-"`
		ID     string           `json:"query_id" want:"filled"`
		Text   string           `json:"question" want:"filled"`
		Answer *jsontree.Cursor `json:"golden_answer" want:"required"`
		About  struct {
			Kind             string           `json:"question_type" want:"required"`
			Asked            string           `json:"question_date" want:"required"`
			OriginalAnswer   *jsontree.Cursor `json:"original_answer"`
			Evidence         []jsontree.Text  `json:"answer_session_ids"`
			OriginalEvidence []jsontree.Text  `json:"original_answer_session_ids"`
		} `json:"metadata" want:"required"`
	} `json:"queries" want:"required"`
	Sessions []struct {
		ID    string `json:"session_id" want:"filled"`
		About struct {
			Date string `json:"date" want:"required"`
		} `json:"metadata" want:"required"`
		Messages []message `json:"messages" want:"required"`
	} `json:"sessions" want:"required"`
}

// layout is the format of dates. The day of the week may disagree with the date.
const layout = "2006/01/02 (Mon) 15:04"

var speakers = []string{"user", "assistant"}

// read reads a question with the turns of its conversation that are wanted. Faults go
// to the cursor's report; the question is usable only if there are none.
func read(c *jsontree.Cursor, turns Turns) *question {
	q := &question{sample: datasets.Sample{Speakers: slices.Clone(speakers), Requests: []datasets.Request{{ID: "q1"}}}}
	readEntry := readElement
	if c.Value.Get("queries") != nil {
		readEntry = q.readCase
	}
	e, ok := readEntry(c)
	q.sample.ID, q.gold.Name = datafile.Sum([]byte(name + ":" + e.ID))[:8], e.ID
	if !ok {
		return q
	}
	q.ask(&e)
	q.history(&e)
	if turns == User {
		q.dropAssistant()
	}
	return q
}

// readElement reads a question as the release has it.
func readElement(c *jsontree.Cursor) (e entry, ok bool) {
	if id := c.Value.Get("question_id"); id != nil && id.Kind == jsontree.String && id.Text != "" {
		c = c.Named(id.Text)
		e.ID = id.Text
	}
	if !c.Decode(&e) {
		return e, false
	}
	if n := len(e.Sessions); len(e.Dates) != n || len(e.IDs) != n {
		c.Faultf("haystack_dates has %d items, haystack_session_ids %d and haystack_sessions %d, want as many of each", len(e.Dates), len(e.IDs), n)
		return e, false
	}
	return e, true
}

// readCase reads a case.
func (q *question) readCase(c *jsontree.Cursor) (e entry, ok bool) {
	var file caseFile
	if !c.Decode(&file) {
		return e, false
	}
	if n := len(file.Queries); n != 1 {
		c.Faultf("has %d queries, want one", n)
		return e, false
	}
	asked := file.Queries[0]
	e = entry{At: asked.At, ID: asked.ID, Kind: asked.About.Kind, Text: asked.Text, Asked: asked.About.Asked, Answer: asked.Answer, Evidence: asked.About.Evidence}
	if asked.About.OriginalEvidence != nil {
		e.Evidence = asked.About.OriginalEvidence
	}
	if original := asked.About.OriginalAnswer; original != nil {
		if e.Answer.Value.Text != original.Value.Text {
			q.flaw("golden_answer is not the release's; original_answer is used")
		}
		e.Answer = original
	}
	for _, s := range file.Sessions {
		e.IDs, e.Dates, e.Sessions = append(e.IDs, s.ID), append(e.Dates, s.About.Date), append(e.Sessions, s.Messages)
	}
	return e, true
}

// ask takes what is asked, and the answer.
func (q *question) ask(e *entry) {
	if !slices.Contains(types, e.Kind) {
		e.At.Faultf("%s", suggest.Unknown("question_type", e.Kind, types))
	}
	q.gold.Category = e.Kind
	q.gold.Abstain = strings.HasSuffix(e.ID, abstention)
	answer := e.Answer.Value
	switch {
	case answer.Kind == jsontree.Number && !strings.ContainsAny(answer.Text, ".eE"):
		q.flaw("answer is an integer; its digits are used")
	case answer.Kind != jsontree.String || strings.TrimSpace(answer.Text) == "":
		e.Answer.Faultf("want a string with an answer or an integer, have %s", strings.TrimSpace(string(answer.Kind)+" "+answer.Text))
	}
	if q.gold.Abstain {
		q.gold.Explanation = answer.Text
	} else {
		q.gold.Answer = answer.Text
	}
	r := &q.sample.Requests[0]
	r.Text, r.Time = e.Text, e.date("question_date", e.Asked)
}

// abstention marks a question whose conversation does not contain the answer.
const abstention = "_abs"

// date reads a date, by the clock of the dataset.
func (e *entry) date(what, text string) time.Time {
	t, err := time.Parse(layout, text)
	if err != nil {
		e.At.Faultf("%s is %q, want one like %q", what, text, "2023/05/30 (Tue) 23:17")
	}
	return t
}

// history adds the sessions in the order of their dates, and records which contain the
// answer.
func (q *question) history(e *entry) {
	order := make([]int, len(e.Sessions))
	dates := make([]time.Time, len(e.Sessions))
	for i, date := range e.Dates {
		order[i], dates[i] = i, e.date("the date of session "+strconv.Quote(e.IDs[i]), date)
	}
	if !slices.IsSortedFunc(dates, time.Time.Compare) {
		q.flaw("sessions are not in order of date; sorted")
		slices.SortStableFunc(order, func(a, b int) int { return dates[a].Compare(dates[b]) })
	}
	seen := make(map[string]bool)
	var roles []string // of labelled turns
	for _, i := range order {
		id := e.IDs[i]
		if seen[id] {
			q.flaw("session occurs twice in the conversation; kept as two")
		}
		seen[id] = true
		if len(e.Sessions[i]) == 0 {
			q.flaw("session has no turns; left out")
			continue
		}
		if dates[i].After(q.sample.Requests[0].Time) {
			q.flaw("session is dated after the question; kept")
		}
		s := datasets.Session{ID: "s" + strconv.Itoa(len(q.sample.Sessions)+1), Time: dates[i]}
		labelled := q.turns(&s, e.Sessions[i])
		q.sample.Sessions, roles = append(q.sample.Sessions, s), append(roles, labelled...)
		proof := slices.Contains(e.Evidence, jsontree.Text(id))
		switch {
		case proof && labelled == nil:
			q.flaw("evidence session has no labelled turn; kept")
		case labelled != nil && !proof:
			q.flaw("labelled turn is in a session that is not evidence; kept as evidence")
		}
		if proof || labelled != nil {
			q.gold.Sessions = append(q.gold.Sessions, s.ID)
		}
	}
	if len(q.sample.Sessions) == 0 {
		e.At.Faultf("no session has a turn")
	}
	for _, id := range e.Evidence {
		if !seen[string(id)] {
			q.flaw("evidence names no session of the conversation; left out")
		}
	}
	role, abstains := "none", "no"
	switch user, assistant := slices.Contains(roles, speakers[0]), slices.Contains(roles, speakers[1]); {
	case user && assistant:
		role = "both"
	case user:
		role = speakers[0]
	case assistant:
		role = speakers[1]
	}
	if q.gold.Abstain {
		abstains = "yes"
	}
	q.gold.Labels = map[string]string{"abstention": abstains, "evidence_role": role}
}

// turns takes the turns of a session, and returns the roles of those that are labelled.
func (q *question) turns(s *datasets.Session, messages []message) (labelled []string) {
	for i, m := range messages {
		if !slices.Contains(speakers, m.Role) {
			m.At.Faultf("role is %q, want user or assistant", m.Role)
			continue
		}
		if m.Content == "" {
			q.flaw("turn has no text; kept")
		}
		id := fmt.Sprintf("%s:%d%.1s", s.ID, i+1, m.Role)
		if m.HasAnswer {
			labelled = append(labelled, m.Role)
			q.gold.Evidence = append(q.gold.Evidence, id)
		}
		s.Turns = append(s.Turns, datasets.Turn{ID: id, Speaker: m.Role, Text: m.Content, Time: s.Time})
	}
	return labelled
}

// dropAssistant leaves out the assistant's turns, and sessions in which the user said
// nothing.
func (q *question) dropAssistant() {
	empty := make(map[string]bool)
	for i := range q.sample.Sessions {
		s := &q.sample.Sessions[i]
		s.Turns = slices.DeleteFunc(s.Turns, func(t datasets.Turn) bool { return t.Speaker != speakers[0] })
		empty[s.ID] = len(s.Turns) == 0
	}
	q.sample.Speakers = slices.Clone(speakers[:1])
	q.sample.Sessions = slices.DeleteFunc(q.sample.Sessions, func(s datasets.Session) bool { return empty[s.ID] })
	q.gold.Sessions = slices.DeleteFunc(q.gold.Sessions, func(id string) bool { return empty[id] })
	q.gold.Evidence = slices.DeleteFunc(q.gold.Evidence, func(id string) bool { return !strings.HasSuffix(id, "u") })
}

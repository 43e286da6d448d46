// Package locomo loads LoCoMo, ten long conversations between two people over
// months, with 1,986 questions about them, and any other file in its format.
//
// The file is an array of conversations. Known, harmless flaws of the release are
// corrected and counted in the warnings of the set. Anything else that does not fit
// the format is a fault, and all faults of a file are reported together.
//
// Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM
// Agents", ACL 2024. The data is CC BY-NC 4.0 and not part of this project.
package locomo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/suggest"
	"recallbench/internal/text/termsafe"
)

// MaxSize is the size in bytes above which a file is refused unread, 64 MiB:
// 23 times the released one.
const MaxSize = 64 << 20

const (
	commit  = "3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376"
	source  = "https://raw.githubusercontent.com/snap-research/locomo/" + commit
	dataset = "locomo10.json"
	digest  = "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"
)

// Spec describes LoCoMo as released in August 2024.
var Spec = &datasets.Spec{
	Name:       "locomo",
	Doc:        "10 conversations over months, 1,986 questions in five categories",
	Source:     "Maharana et al., Evaluating Very Long-Term Conversational Memory of LLM Agents, ACL 2024; github.com/snap-research/locomo",
	License:    "CC-BY-NC-4.0",
	Options:    Options{Categories: []int{1, 2, 3, 4}, Category5: Drop},
	All:        Options{Categories: []int{1, 2, 3, 4, adversarial}, Category5: Abstain},
	Categories: Categories(),
	Metrics:    []string{"f1@span", "f1@mem0", "f1@locomo", "words", "evidence-recall", "tokens"},
	Files: []datasets.File{
		{Name: dataset, URL: source + "/data/" + dataset, Size: 2805274, SHA256: digest},
		{
			Name: "LICENSE.txt", URL: source + "/LICENSE.txt", Size: 19347,
			SHA256: "41003d4a74749c0220e33dd415042164b5a1093ed401f36277234f772d22d3d0", License: true,
		},
	},
	Open: datasets.Opener("locomo", open),
}

// Categories returns the categories of LoCoMo's questions by id. The release
// has only the ids: the names follow the counts in the paper's table 5 and the
// official scorer. Others use other names; the alias "mem0" is the map that
// Mem0's evaluation prints.
func Categories() []datasets.Category {
	mem0 := func(name string) map[string]string { return map[string]string{"mem0": name} }
	return []datasets.Category{ // as package category has them
		{ID: "1", Name: "multi-hop", Aliases: mem0("single-hop")},
		{ID: "2", Name: "temporal", Aliases: mem0("temporal")},
		{ID: "3", Name: "open-domain", Aliases: mem0("multi-hop")},
		{ID: "4", Name: "single-hop", Aliases: mem0("open-domain")},
		{ID: "5", Name: "adversarial"},
	}
}

// A Policy says how to treat the questions of category 5, which ask for
// something that the conversation does not say.
type Policy string

const (
	// Drop leaves them out, as the tables of most papers do.
	Drop Policy = "drop"
	// Abstain asks them, and the right answer is that the conversation does
	// not say. The tempting wrong answer in the data is never used.
	Abstain Policy = "abstain"
)

// Values returns the policies, for messages and editors.
func (Policy) Values() []string { return []string{string(Drop), string(Abstain)} }

const adversarial = 5

// Options select what is loaded.
type Options struct {
	// Path names another file in LoCoMo's format, relative to the run file's folder; by
	// default locomo/locomo10.json in the data folder.
	Path string `yaml:"path,omitempty"`
	// Categories are the ids of the questions to ask, 1 to 5: multi-hop,
	// temporal, open-domain, single-hop, adversarial.
	Categories []int `yaml:"categories"`
	// Category5 says how to treat adversarial questions: drop leaves them out,
	// abstain asks them and expects an abstention.
	Category5 Policy `yaml:"category5"`
	// Conversations are the sample ids to keep, such as conv-26; all by
	// default.
	Conversations []string `yaml:"conversations,omitempty"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	errs := []error{
		datasets.CheckList("categories", o.Categories, []int{1, 2, 3, 4, adversarial}), datasets.CheckList("conversations", o.Conversations, nil),
	}
	if len(o.Categories) == 0 {
		errs = append(errs, errors.New("categories is empty, want some of 1, 2, 3, 4, 5"))
	}
	// Either alone would contradict the other.
	switch asked := slices.Contains(o.Categories, adversarial); {
	case asked && o.Category5 == Drop:
		errs = append(errs, errors.New("categories has 5 but category5 is drop; leave 5 out, or set category5 to abstain"))
	case !asked && o.Category5 == Abstain:
		errs = append(errs, errors.New("category5 is abstain but categories has no 5; add 5, or set category5 to drop"))
	}
	return errors.Join(errs...)
}

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	path, err := env.Find(o.Path, datasets.Fetch("locomo"), "locomo/"+dataset)
	if err != nil {
		return nil, err
	}
	data, err := datafile.Read(ctx, path, MaxSize)
	if err != nil {
		return nil, err
	}
	return Parse(path, data, o)
}

// Parse reads a file in LoCoMo's format. Messages use the name. The path in the
// options is ignored.
func Parse(name string, data []byte, o Options) (*datasets.Set, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("locomo: %w", err)
	}
	asked := lists.Map(o.Categories, strconv.Itoa)
	categories := lists.Filter(Categories(), func(c datasets.Category) bool { return slices.Contains(asked, c.ID) })
	settings := map[string]string{
		"categories": strings.Join(lists.Map(categories, func(c datasets.Category) string { return c.ID }), ","),
		"category5":  string(o.Category5),
	}
	if len(o.Conversations) > 0 {
		settings["conversations"] = strings.Join(slices.Sorted(slices.Values(o.Conversations)), ",")
	}
	l := loader{
		options: o,
		faults:  datafile.Faults{File: name},
		set:     &datasets.Set{Name: "locomo", Settings: settings, Categories: categories},
	}
	l.set.Sign(datafile.Sum(data))
	if l.set.SHA256 == digest {
		l.set.Version = commit[:7]
	}
	if root := l.faults.Root(data, ""); root != nil && root.Is(jsontree.Array) {
		l.samples(root)
	}
	if err := l.faults.Err(); err != nil {
		return nil, err
	}
	if len(l.set.Entries) == 0 {
		return nil, fmt.Errorf("%s: no question is left: no conversation has one of categories %s", name, settings["categories"])
	}
	return l.set, nil
}

// A loader reads one file.
type loader struct {
	options Options
	faults  datafile.Faults
	set     *datasets.Set
}

// A question is an item of qa.
type question struct {
	At          *jsontree.Cursor `json:"-"`
	Text        string           `json:"question" want:"filled"`
	Answer      jsontree.Text    `json:"answer"` // required except for category 5
	Adversarial jsontree.Text    `json:"adversarial_answer"`
	Evidence    []string         `json:"evidence" want:"required"`
	Category    int              `json:"category" want:"required"`
}

// A turn is an item of a session. In the release a caption may come without the
// address of its image, but never an address without a caption.
type turn struct {
	At      *jsontree.Cursor `json:"-"`
	ID      string           `json:"dia_id" want:"required"`
	Speaker string           `json:"speaker" want:"required"`
	Text    string           `json:"text" want:"required"`
	URLs    []string         `json:"img_url"`
	Caption string           `json:"blip_caption"`
	Query   string           `json:"query"`
}

// samples reads the conversations.
func (l *loader) samples(root *jsontree.Cursor) {
	if len(root.Value.Items) == 0 {
		root.Faultf("the array is empty, want conversations")
	}
	var ids []string
	for _, c := range root.Items() {
		var head struct {
			ID string `json:"sample_id" want:"filled"`
		}
		if !c.Decode(&head) {
			continue
		}
		if slices.Contains(ids, head.ID) {
			c.Faultf("sample_id %q is already that of another conversation", head.ID)
			continue
		}
		ids = append(ids, head.ID)
		l.set.Quiet = len(l.options.Conversations) > 0 && !slices.Contains(l.options.Conversations, head.ID)
		l.sample(c.Named(head.ID), head.ID)
	}
	for _, id := range l.options.Conversations {
		if !slices.Contains(ids, id) {
			root.Faultf("%s", suggest.Unknown("conversation", id, ids))
		}
	}
}

// sample reads one conversation with its questions.
func (l *loader) sample(c *jsontree.Cursor, id string) {
	var parts struct {
		Conversation *jsontree.Cursor `json:"conversation" want:"required"`
		Questions    []question       `json:"qa" want:"required"`
	}
	ok := c.Decode(&parts)
	s := datasets.Sample{ID: id}
	var turns map[string]bool
	if parts.Conversation != nil && parts.Conversation.Is(jsontree.Object) {
		turns = l.conversation(parts.Conversation.Named(id), &s)
	}
	if !ok {
		return
	}
	skip := l.set.Quiet
	first := make(map[string]bool)
	for i, q := range parts.Questions {
		asked := slices.Contains(l.options.Categories, q.Category)
		l.set.Quiet = skip || !asked
		g := l.gold(q, turns)
		// A question is named by its position in the file, whatever is left out. Its text is
		// not a key, as twelve of the release occur twice in a conversation.
		r := datasets.Request{ID: "q" + strconv.Itoa(i), Text: l.trim(q.Text, q.At, "question")}
		if !asked {
			continue
		}
		if first[r.Text] {
			l.set.Warn("question is asked a second time; kept", q.At.Path())
		}
		first[r.Text] = true
		s.Requests = append(s.Requests, r)
		l.set.SetGold(id, r.ID, g)
	}
	l.set.Quiet = skip
	switch {
	case skip:
	case len(s.Requests) == 0:
		l.set.Warn("conversation has no question of the categories; left out", id)
	default:
		l.set.Fill(s)
	}
}

// trim removes white space from the ends of a field's text.
func (l *loader) trim(text string, c *jsontree.Cursor, field string) string {
	trimmed := strings.TrimSpace(text)
	if trimmed != text {
		l.set.Warn("white space at an end of the text; removed", c.Path()+"."+field)
	}
	return trimmed
}

// gold returns the gold answer of a question.
func (l *loader) gold(q question, turns map[string]bool) (g datasets.Gold) {
	if q.Category < 1 || q.Category > adversarial {
		q.At.Faultf("category is %d, want 1, 2, 3, 4 or 5", q.Category)
	}
	g.Category, g.Evidence = strconv.Itoa(q.Category), l.evidence(q, turns)
	answer := q.At.Field("answer")
	switch {
	case q.Category == adversarial:
		// Two questions have an answer as well; they too ask for something that was not
		// said.
		g.Abstain, g.Lure = true, string(q.Adversarial)
		if answer != nil {
			l.set.Warn("adversarial question has an answer; the gold answer is still an abstention", q.At.Path())
		}
	case answer == nil:
		q.At.Faultf("%q is missing, want a string", "answer")
	case answer.Value.Kind == jsontree.Number:
		l.set.Warn("answer is a number; taken as its digits", q.At.Path())
		g.Answer = string(q.Answer)
	default:
		if g.Answer = l.trim(string(q.Answer), q.At, "answer"); g.Answer == "" {
			q.At.Faultf("%q is empty", "answer")
		}
	}
	return g
}

var (
	// turnID is a turn's id: session and position.
	turnID = regexp.MustCompile(`^D[1-9]\d{0,8}:[1-9]\d{0,8}$`)
	// reference is an id in the evidence: "D8:6", and by mistake also "D:11:26" and
	// "D30:05".
	reference = regexp.MustCompile(`D:?0*(\d+):0*(\d+)`)
)

// evidence returns the ids of the turns that support an answer. Strings of the
// release may have several, or something else as well.
func (l *loader) evidence(q question, turns map[string]bool) []string {
	var ids []string
	for i, text := range q.Evidence {
		where := fmt.Sprintf("%s.evidence[%d] ", q.At.Path(), i)
		matches := reference.FindAllStringSubmatch(text, -1)
		switch {
		case len(matches) == 0:
			l.set.Warn("evidence has no turn id; left out", where+strconv.Quote(termsafe.Excerpt(text, 40)))
		case len(matches) > 1 || !turnID.MatchString(text):
			l.set.Warn("evidence is not a single turn id; the ids in it are used", where+strconv.Quote(termsafe.Excerpt(text, 40)))
		}
		for _, m := range matches {
			id := "D" + m[1] + ":" + m[2]
			switch {
			case !turns[id]:
				l.set.Warn("evidence names no turn; left out", where+id)
			case slices.Contains(ids, id):
				l.set.Warn("evidence names a turn twice; counted once", where+id)
			default:
				ids = append(ids, id)
			}
		}
	}
	if len(ids) == 0 {
		l.set.Warn("question has no evidence", q.At.Path())
	}
	return ids
}

// sessionField is a field of a conversation that belongs to a session. There may
// be others, which are not read.
var sessionField = regexp.MustCompile(`^session_([1-9]\d{0,8})(_date_time)?$`)

// conversation reads speakers, sessions and turns into s and returns the ids
// of the turns.
//
// Sessions come in the order of their numbers. The release has dates of sessions that it
// does not contain, so the loop is over sessions.
func (l *loader) conversation(c *jsontree.Cursor, s *datasets.Sample) map[string]bool {
	var names struct {
		A string `json:"speaker_a" want:"filled"`
		B string `json:"speaker_b" want:"filled"`
	}
	switch ok := c.Decode(&names); {
	case ok && names.A == names.B:
		c.Faultf("speaker_b is %q, the same as speaker_a", names.B)
	case ok:
		s.Speakers = []string{names.A, names.B}
	}
	sessions, dates := make(map[int]*jsontree.Cursor), make(map[int]*jsontree.Cursor)
	for _, f := range c.Fields() {
		if m := sessionField.FindStringSubmatch(f.Name()); m != nil {
			n, _ := strconv.Atoi(m[1]) // the pattern bounds it
			if m[2] == "" {
				sessions[n] = f
			} else {
				dates[n] = f
			}
		}
	}
	if len(sessions) == 0 {
		c.Faultf("there is no session; want session_1, session_2 and so on")
	}
	turns := make(map[string]bool)
	for _, n := range slices.Sorted(maps.Keys(sessions)) {
		l.session(sessions[n], dates[n], s, turns)
		delete(dates, n)
	}
	if len(sessions) > 0 && len(s.Sessions) == 0 {
		c.Faultf("no session has a turn")
	}
	for _, n := range slices.Sorted(maps.Keys(dates)) {
		l.set.Warn("date of a session that is missing; ignored", dates[n].Path())
	}
	return turns
}

// session reads one session with its date, which may be nil, and appends it to s and
// its turns' ids to turns. Text is trimmed: 209 turns of the release have meaningless
// white space at an end. Line breaks within are kept.
func (l *loader) session(c, date *jsontree.Cursor, s *datasets.Sample, turns map[string]bool) {
	session := datasets.Session{ID: c.Name(), Time: l.date(date)}
	var items []turn
	if !c.Decode(&items) {
		return
	}
	for _, t := range items {
		switch {
		case !turnID.MatchString(t.ID):
			t.At.Faultf("dia_id is %q, want one like \"D1:2\"", t.ID)
		case turns[t.ID]:
			t.At.Faultf("dia_id %q is already that of another turn", t.ID)
		}
		turns[t.ID] = true
		// With a name missing the fault is that, not every turn.
		if len(s.Speakers) == 2 && !slices.Contains(s.Speakers, t.Speaker) {
			t.At.Faultf("speaker is %q, want %q or %q", t.Speaker, s.Speakers[0], s.Speakers[1])
		}
		said := datasets.Turn{ID: t.ID, Speaker: t.Speaker, Text: l.trim(t.Text, t.At, "text"), Time: session.Time}
		image := datasets.Image{Caption: strings.TrimSpace(t.Caption), Query: strings.TrimSpace(t.Query)}
		if len(t.URLs) > 0 {
			image.URL = t.URLs[0]
		}
		if image != (datasets.Image{}) {
			said.Image = &image
		}
		session.Turns = append(session.Turns, said)
	}
	if slices.ContainsFunc(s.Sessions, func(o datasets.Session) bool { return o.Time.After(session.Time) }) && !session.Time.IsZero() {
		date.Faultf("is before the date of a session before it")
	}
	if len(session.Turns) > 0 {
		s.Sessions = append(s.Sessions, session)
	}
}

// clock is how the format writes when a session began. It has no time zone.
const clock = "3:04 pm on 2 January, 2006"

// date reads when a session began, the zero time if its date is missing.
func (l *loader) date(date *jsontree.Cursor) time.Time {
	var text string
	if date == nil || date.Value.Kind == jsontree.Null || !date.Decode(&text) {
		return time.Time{}
	}
	// The layout knows lower-case am and pm only, and months in any case.
	t, err := time.Parse(clock, strings.ToLower(strings.TrimSpace(text)))
	if err != nil {
		date.Faultf("%q is not a date in the expected format; want one like \"1:56 pm on 8 May, 2023\"", text)
	}
	return t
}

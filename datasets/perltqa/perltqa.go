// Package perltqa loads PerLTQA (en_v2), the memories of 141 made-up
// characters and 8,593 questions about 32 of them.
//
// The memories are one file, the questions another. A memory has four sections: the
// profile, relationships, events and dialogues. A conversation here is one character:
// that character's memories become the turns of its sessions (memory.go), since names
// recur in other characters' memories for other persons. Questions are in the same
// four sections and name the memories that answer them.
//
// Known, harmless flaws of the release are corrected and counted in the
// warnings of the set. Anything that does not fit the format is a fault, and
// all faults of both files are reported together.
//
// Du et al., "PerLTQA: A Personal Long-Term Memory Dataset for Memory
// Classification, Retrieval, and Fusion in Question Answering", SIGHAN-10 at
// ACL 2024. The data is CC BY-NC 4.0 and not part of this project.
package perltqa

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

const (
	memoryFile    = "perltmem_en_v2.json"
	questionsFile = "perltqa_en_v2.json"
	// The file of a sample has its name with this suffix. Samples are read if the files
	// themselves are missing.
	sampleSuffix = ".sample.json"
	// whence says how to get the files, at the commit behind the counts in docs/data.md.
	whence = "bench data fetch cannot get PerLTQA, as no SHA-256 of its files is known: " +
		"put " + memoryFile + " and " + questionsFile + " into the folder perltqa of the data folder, " +
		"or name them by memory_path and questions_path; they are at " +
		"https://raw.githubusercontent.com/Elvin-Yiming-Du/PerLTQA/67f8351aa6cedddcfc9985e475cfb5565ffd6fa8/Dataset/en_v2/ under CC BY-NC 4.0"
)

// maxSize is the size in bytes above which a file is refused unread, 64 MiB:
// five times the larger one of the release.
const maxSize = 64 << 20

// Spec describes PerLTQA in the English version of December 2025. It lists no
// files: their SHA-256 is unknown, so nothing can be fetched and verified. The
// error for missing files says where to get them.
var Spec = &datasets.Spec{
	Name:       "perltqa",
	Doc:        "memories of 141 characters in four sections, 8,593 questions; fetched by hand",
	Source:     "Du et al., PerLTQA: A Personal Long-Term Memory Dataset, SIGHAN-10 at ACL 2024; github.com/Elvin-Yiming-Du/PerLTQA",
	License:    "CC-BY-NC-4.0",
	Options:    Options{Sections: sections(), Unresolved: Ask},
	Categories: Categories(),
	Metrics:    []string{"f1@span", "f1@mem0", "words", "evidence-recall", "tokens"},
	Open:       datasets.Opener("perltqa", open),
}

// Categories returns the categories of the questions, which are their sections,
// in the order of the paper.
func Categories() []datasets.Category {
	return []datasets.Category{
		{ID: string(Profile), Name: "profile"},
		{ID: string(Relationships), Name: "social relationship"},
		{ID: string(Events), Name: "events"},
		{ID: string(Dialogues), Name: "dialogues"},
	}
}

// A Section is a part of a memory, and of the questions about it.
type Section string

// The sections, named as the files name them.
const (
	Profile       Section = "profile"
	Relationships Section = "social_relationship"
	Events        Section = "events"
	Dialogues     Section = "dialogues"
)

// sections are all of them, in the order of tables and of memories.
func sections() []Section { return []Section{Profile, Relationships, Events, Dialogues} }

// Values returns the sections, for messages and editors.
func (Section) Values() []string {
	return lists.Map(sections(), func(s Section) string { return string(s) })
}

// A Policy says how to treat questions that name a memory which their character
// does not have.
type Policy string

const (
	// Ask asks them anyway, and counts them.
	Ask Policy = "ask"
	// Drop leaves them out, which leaves 8,305 of the release.
	Drop Policy = "drop"
)

// Values returns the policies, for messages and editors.
func (Policy) Values() []string { return []string{string(Ask), string(Drop)} }

// Options select what is loaded.
type Options struct {
	// MemoryPath names the file of the memories, relative to the run file's folder; by
	// default perltqa/perltmem_en_v2.json in the data folder.
	MemoryPath string `yaml:"memory_path,omitempty"`
	// QuestionsPath names the file of the questions, relative to the run file's
	// folder; by default perltqa/perltqa_en_v2.json in the data folder.
	QuestionsPath string `yaml:"questions_path,omitempty"`
	// Sections are the sections whose questions are asked.
	Sections []Section `yaml:"sections"`
	// MaxQuestions is the largest number of questions about one character. They
	// are selected at even distances over all chosen sections, which keep their
	// shares, and are the same in each run. 0 means no limit.
	MaxQuestions int `yaml:"max_questions"`
	// Unresolved says how to treat questions that name a missing memory: ask asks and
	// counts them, drop leaves them out.
	Unresolved Policy `yaml:"unresolved"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	errs := []error{datasets.CheckList("sections", o.Sections, sections())}
	if len(o.Sections) == 0 {
		errs = append(errs, fmt.Errorf("sections is empty, want some of %s", strings.Join(Profile.Values(), ", ")))
	}
	if o.MaxQuestions < 0 {
		errs = append(errs, fmt.Errorf("max_questions is %d, want 0 for all or more", o.MaxQuestions))
	}
	return errors.Join(errs...)
}

// A loader reads the two files.
type loader struct {
	options Options
	faults  datafile.Faults
	set     *datasets.Set
	banks   map[string]*bank // by the character's name
}

// open reads the memories, an object of characters, and then the questions, an array of
// objects with one or more characters each.
func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	asked := lists.Filter(Categories(), func(c datasets.Category) bool { return slices.Contains(o.Sections, Section(c.ID)) })
	names := strings.Join(lists.Map(asked, func(c datasets.Category) string { return c.ID }), ",")
	l := loader{options: o, banks: make(map[string]*bank), set: &datasets.Set{
		Name: "perltqa", Categories: asked, Settings: map[string]string{"sections": names, "unresolved": string(o.Unresolved)},
	}}
	if o.MaxQuestions > 0 {
		l.set.Settings["max_questions"] = strconv.Itoa(o.MaxQuestions)
	}
	memories, sum, err := l.file(ctx, env, o.MemoryPath, memoryFile, jsontree.Object)
	questions, sum2, err2 := l.file(ctx, env, o.QuestionsPath, questionsFile, jsontree.Array)
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	l.set.Sign(datafile.Sum([]byte(sum + "\n" + sum2 + "\n")))
	if l.set.Caveat != "" {
		l.set.Version = "sample " + l.set.Version
	}
	if memories != nil && questions != nil {
		l.characters(memories.Fields(), func(name string, c *jsontree.Cursor) { l.banks[name] = l.bank(name, c) })
		var all []*jsontree.Cursor
		for _, item := range questions.Items() {
			if item.Is(jsontree.Object) {
				all = append(all, item.Fields()...)
			}
		}
		l.characters(all, l.block)
	}
	if err := l.faults.Err(); err != nil {
		return nil, err
	}
	if len(l.set.Entries) == 0 {
		return nil, fmt.Errorf("%s: no question is left: no character with a memory has one of sections %s", l.faults.File, names)
	}
	return l.set, nil
}

// file reads a file, or the sample of the release if only that exists, and returns its
// hash and a cursor at its top, nil after a fault.
func (l *loader) file(ctx context.Context, env datasets.Env, option, name string, kind jsontree.Kind) (root *jsontree.Cursor, sum string, err error) {
	path, err := env.Find(option, whence, "perltqa/"+name, "perltqa/"+strings.TrimSuffix(name, ".json")+sampleSuffix)
	if err != nil {
		return nil, "", err
	}
	data, err := datafile.Read(ctx, path, maxSize)
	if err != nil {
		return nil, "", err
	}
	if strings.HasSuffix(path, sampleSuffix) {
		l.set.Caveat = "the data is a sample of the release; do not compare its results with published scores"
		l.set.Warn("file is a sample of the release; not comparable with published scores", filepath.Base(path))
	}
	l.faults.File = path
	if root = l.faults.Root(data, ""); root == nil || !root.Is(kind) {
		root = nil
	} else if len(root.Value.Items)+len(root.Value.Fields) == 0 {
		root.Faultf("it has no character")
	}
	return root, datafile.Sum(data), nil
}

// characters goes through characters by name.
func (l *loader) characters(all []*jsontree.Cursor, each func(name string, c *jsontree.Cursor)) {
	seen := make(map[string]bool)
	for _, c := range all {
		name := strings.TrimSpace(c.Name())
		switch {
		case !oneLine(name):
			c.Faultf("the name of the character is %q, want one line of 1 to %d bytes", name, maxName)
		case seen[name]:
			c.Faultf("%q is already the name of another character", name)
		default:
			if c = c.Named(name); c.Is(jsontree.Object) {
				each(name, c)
			}
		}
		seen[name] = true
	}
}

// A question is one about a character.
type question struct {
	At        *jsontree.Cursor `json:"-"`
	Text      *jsontree.Cursor `json:"Question" want:"required"`
	Answer    *jsontree.Cursor `json:"Answer" want:"required"`
	Reference string           `json:"Reference Memory"`

	group string // the id of the memory it belongs to; "" for none
}

// block reads the questions about a character.
func (l *loader) block(name string, c *jsontree.Cursor) {
	for _, f := range c.Value.Fields {
		if !slices.Contains(sections(), Section(f.Name)) {
			l.set.Warn("field of a character's questions is not a section; not read", c.Path()+f.Name)
		}
	}
	b := l.banks[name]
	// A question's text is not a key, as some occur twice. Its position among
	// all of the character's questions is: those that the options leave out are
	// numbered, too. The id contains neither section nor memory, which methods
	// must not know.
	n := 0
	var asked []datasets.Request
	golds, first := make(map[string]datasets.Gold), make(map[string]bool)
	for _, section := range sections() {
		chosen := slices.Contains(l.options.Sections, section)
		l.set.Quiet = !chosen
		for _, q := range l.questions(c, section) {
			id := "q" + strconv.Itoa(n)
			n++
			if b == nil {
				l.set.Warn("question is about a character without a memory; left out: "+string(section), q.At.Path())
				continue
			}
			text, answer := l.text(q.Text), l.text(q.Answer)
			if text == "" || answer == "" {
				l.set.Warn("question has no text or no answer; left out", q.At.Path())
				continue
			}
			evidence, found := l.evidence(b, section, q)
			if !chosen || !found && l.options.Unresolved == Drop {
				continue
			}
			if first[text] {
				l.set.Warn("question is asked a second time; kept", q.At.Path())
			}
			first[text] = true
			reference := map[bool]string{true: "found", false: "missing"}[found]
			golds[id] = datasets.Gold{Category: string(section), Answer: answer, Evidence: evidence, Labels: map[string]string{"reference": reference}}
			asked = append(asked, datasets.Request{ID: id, Text: text})
		}
	}
	l.set.Quiet = false
	switch {
	case b == nil:
	case len(asked) == 0 || len(b.sessions) == 0:
		l.set.Warn("character has no question in the chosen sections, or no memory; left out", name)
	default:
		s := b.sample()
		s.Requests = spread(asked, l.options.MaxQuestions)
		for _, r := range s.Requests {
			l.set.SetGold(s.ID, r.ID, golds[r.ID])
		}
		l.set.Fill(s)
	}
}

// spread takes n of the questions at even distances, all if n is 0.
func spread(questions []datasets.Request, n int) []datasets.Request {
	if n == 0 || n >= len(questions) {
		return questions
	}
	out := make([]datasets.Request, n)
	for i := range out {
		out[i] = questions[i*len(questions)/n]
	}
	return out
}

// questions returns the questions of a section, an array of them or of objects with
// those about one memory under its id.
func (l *loader) questions(c *jsontree.Cursor, section Section) []question {
	s := c.Field(string(section))
	if s == nil {
		l.set.Warn("section of a character's questions is missing; treated as empty", c.Path()+string(section))
		return nil
	}
	if !s.Is(jsontree.Array) {
		return nil
	}
	var all []question
	add := func(c *jsontree.Cursor, group string) {
		if q := (question{group: group}); c.Decode(&q) {
			all = append(all, q)
		}
	}
	for _, item := range s.Items() {
		switch {
		case !item.Is(jsontree.Object):
		case item.Value.Get("Question") != nil || item.Value.Get("Answer") != nil:
			add(item, "")
		default:
			for _, f := range item.Fields() {
				var group []*jsontree.Cursor
				f.Decode(&group)
				for _, c := range group {
					add(c, f.Name())
				}
			}
		}
	}
	return all
}

// memoryID is the id of a memory: character, relationship, event and dialogue
// as far as they apply, such as 4_0, 4_0_0 and 4_0_0#0.
var memoryID = regexp.MustCompile(`[0-9]+(?:_[0-9]+)+(?:#[0-9]+)?`)

// evidence returns the ids of the turns with the memories that a question names, and
// whether the bank has all of them. In the release they are the field of a profile, or
// the id of the group in a list as Python prints it, "['4_0_0']".
func (l *loader) evidence(b *bank, section Section, q question) (turns []string, found bool) {
	names := []string{q.Reference}
	switch text := strings.TrimSpace(q.Reference); {
	case strings.HasPrefix(text, "["):
		names = memoryID.FindAllString(text, -1)
	case text == "" && q.group != "":
		l.set.Warn("question has no reference; that of its group is used", q.At.Path())
		names = []string{q.group}
	case text == "":
		l.set.Warn("question names no memory", q.At.Path())
		return nil, false
	}
	if q.group != "" && !slices.Equal(names, []string{q.group}) {
		l.set.Warn("question names another memory than its group; the named one is used", q.At.Path()+" "+strconv.Quote(strings.Join(names, ", ")))
	}
	found = len(names) > 0
	for _, name := range names {
		held := b.memories[name]
		if section == Profile && held == nil {
			held = b.memories[profileID(name)]
		}
		if held == nil {
			l.set.Warn("question names a missing memory", q.At.Path()+" "+strconv.Quote(name))
			found = false
		}
		for _, id := range held {
			if !slices.Contains(turns, id) {
				turns = append(turns, id)
			}
		}
	}
	return turns, found
}

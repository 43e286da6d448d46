// Package amem implements A-Mem: every turn becomes a note with keywords, a sentence
// of context and tags. A new note is shown to the model together with the most
// similar notes; the model links it with some of them and may change their
// descriptions. For a question, the model gives keywords, the nearest notes are
// found, and the notes linked with these follow them.
//
// It follows the authors' code at commit d81fb22, including its oddities: notes
// with a new description are found by the old one until all are embedded again,
// and links are numbers that nothing checks. docs/methods.md lists the
// differences.
package amem

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	embeds "recallbench/internal/door/embed"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/index"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

//go:embed prompts
var files embed.FS

// Schemas of replies.
var (
	//go:embed prompts/note.json
	noteSchema string
	//go:embed prompts/evolve.json
	evolveSchema string
)

// Spec describes the method. Its options are those of the authors' code, except for the
// reader, which all methods share.
var Spec = &methods.Spec{
	Name:    "a-mem",
	Doc:     "write a note for each turn, link similar notes, and follow links from the notes found",
	Source:  "A-Mem, the baseline of the xMemory paper; code at WujiangXu/A-mem d81fb22",
	Options: building.Options{Construction: building.Replies{MaxTokens: 1000}, Reader: reader.InSlots()},
	Prompts: prompt.Join(prompt.Embedded(files), reader.Prompts()),
	Kept: func(_ methods.Env, options any) *methods.Kept {
		return building.KeptOf(options.(building.Options).Construction, describe, evolve)
	},
	New: newMethod,
}

// The calls, at the temperature of the authors' code.
var (
	describe = building.Call{Role: "note", Temperature: 0.7, Schema: noteSchema, Empty: describeData{}}
	evolve   = building.Call{Role: "evolve", Temperature: 0.7, Schema: evolveSchema, Empty: evolveData{Neighbours: []neighbourData{{}}}}
	keywords = building.Call{Role: "keywords", Temperature: 0.7, Schema: building.KeywordsSchema, Empty: keywordsData{}}
)

// The data of the templates.
type (
	describeData struct{ Content string }
	evolveData   struct {
		Content, Context string
		Keywords         words
		Neighbours       []neighbourData
	}
	neighbourData struct {
		Index                  int
		Time, Content, Context string
		Keywords, Tags         words
	}
	keywordsData struct{ Question string }
)

// Parameters of the authors' code.
const (
	images     = transcript.Captions
	neighbours = 5   // most similar notes shown with a new one
	evolutions = 100 // until all notes are embedded again
	most       = 10  // notes that are found, not counting linked ones
)

type method struct {
	building.Method

	every int // evolutions after which all notes are embedded again
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(building.Options)
	common, err := building.New("a-mem", env, o.Reader, o.Construction, describe, evolve, keywords)
	return &method{common, evolutions}, err
}

// Build makes the memory of a conversation.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	b := &builder{memory: memory{method: m}, messages: building.Messages(s, images), contents: contents(s)}
	var err error
	if b.model, b.space, err = m.Begin(ctx, b.messages); err != nil {
		return nil, err
	}
	for i := range b.messages {
		if err := b.add(ctx, i); err != nil {
			return nil, err
		}
	}
	return &b.memory, nil
}

// A memory is a list of linked notes.
type memory struct {
	*method

	space              embeds.Embedder
	notes              []note
	index              index.Growing // of the notes
	evolved, rewritten int
}

// Items implements [methods.Storing]: the notes, each with what was made of it.
func (m *memory) Items() (items []string, known bool) {
	for i := range m.notes {
		items = append(items, m.notes[i].document())
	}
	return items, true
}

// Structure implements [methods.Structured]: the number of notes, of notes with an
// evolution, of links that lead to a note and of those that do not, and of replaced
// descriptions.
func (m *memory) Structure() map[string]float64 {
	links, astray := 0, 0
	for i := range m.notes {
		for _, to := range m.notes[i].links {
			if m.leads(to) {
				links++
			} else {
				astray++
			}
		}
	}
	return map[string]float64{
		"notes": float64(len(m.notes)), "evolved": float64(m.evolved), "rewritten": float64(m.rewritten),
		"links": float64(links), "links-astray": float64(astray),
	}
}

// leads reports whether a note with a number exists. The authors' code stops with
// an error if the number is too large, and counts from the end if it is negative.
func (m *memory) leads(to int) bool { return to >= 0 && to < len(m.notes) }

// Answer turns the question into keywords, finds notes, and asks the reader.
func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	query, err := m.keywords(ctx, r.Text)
	if err != nil {
		return methods.Response{}, err
	}
	trace := []methods.Step{{Name: keywords.Role, Note: query}}
	found, astray, err := m.find(ctx, query)
	if err != nil {
		return methods.Response{Trace: trace}, err
	}
	note := fmt.Sprintf("%d of %d notes", len(found), len(m.notes))
	if astray > 0 {
		note += fmt.Sprintf("; %d links lead to no note", astray)
	}
	numbers := append([]int{}, lists.Map(found, func(f finding) int { return f.at })...)
	trace = append(trace, methods.Step{Name: "notes", Note: note, Data: map[string]any{"notes": numbers}})
	blocks := m.shown(found)
	return m.Reader.Answer(ctx, r, reader.Blocks(blocks, "\n"), blocks, trace...)
}

// keywords asks for search words. A reply in another form is the search text
// itself, as in the authors' code; without a reply, the question is.
func (m *memory) keywords(ctx context.Context, question string) (string, error) {
	reply, raw, ok, err := building.JSONOrText[building.Keywords](ctx, m.Model, keywords, keywordsData{question})
	if err != nil {
		return "", err
	}
	if ok {
		raw = reply.Keywords
	}
	return cmp.Or(building.Clean(raw, building.MaxContent), question), nil
}

// A finding is a note that the reader gets.
type finding struct {
	at    int
	score float64 // of a note that was found; 0 for a linked one
	by    int     // the note that the link starts from; -1 for none
	link  int     // which of its links it is, from 1
}

// find returns the notes nearest to a query, each followed by the notes linked
// with it, and the number of links that lead to no note.
//
// The cap counts as the authors' code does: a note is shown before it is counted, so
// ten linked notes and one more are shown. The count is shared by all notes found,
// and each of these shows one more after that.
func (m *memory) find(ctx context.Context, query string) (found []finding, astray int, err error) {
	if len(m.notes) == 0 {
		return nil, 0, nil
	}
	v, err := building.Query(ctx, m.space, query)
	if err != nil {
		return nil, 0, err
	}
	defer meter.Stage(ctx, "retrieve")()
	hits, err := m.index.Search(v, most)
	if err != nil {
		return nil, 0, err
	}
	count := 0
	for _, h := range hits {
		found = append(found, finding{at: h.Index, score: h.Score, by: -1})
		for k, to := range m.notes[h.Index].links {
			if !m.leads(to) {
				astray++
				continue
			}
			found = append(found, finding{at: to, by: h.Index, link: k + 1})
			if count >= most {
				break
			}
			count++
		}
	}
	return found, astray, nil
}

// shown lays notes out for the reader. A note shown again is a block of its own,
// but names its turn as a source only the first time.
func (m *memory) shown(found []finding) (blocks []methods.Evidence) {
	seen := make(map[int]bool)
	for _, f := range found {
		n := &m.notes[f.at]
		e := methods.Evidence{ID: fmt.Sprintf("note %d", f.at), Score: f.score}
		if f.by >= 0 {
			e.ID += fmt.Sprintf(", link %d of note %d", f.link, f.by)
		}
		if !seen[f.at] {
			e.Sources = []string{n.turn}
		}
		seen[f.at] = true
		e.Text = "- " + transcript.Text(n.line) + "\n  context: " + n.Context
		if len(n.Keywords) > 0 {
			e.Text += "; keywords: " + words(n.Keywords).String()
		}
		if len(n.Tags) > 0 {
			e.Text += "; tags: " + words(n.Tags).String()
		}
		blocks = append(blocks, e)
	}
	return blocks
}

// A note is a turn with its description and links.
type note struct {
	Note

	turn    string // its id
	line    transcript.Line
	content string // the turn as embedded and shown to models
	links   []int  // numbers of notes, as the model gave them: they may not exist
	found   string // the text by which it is currently found
}

// document is the text by which a note is found.
func (n *note) document() string {
	return "content:" + n.content + " context:" + n.Context + " keywords: " + strings.Join(n.Keywords, ", ") + " tags: " + strings.Join(n.Tags, ", ")
}

// later is the text by which a note is found once all are embedded again; the
// authors write it differently.
func (n *note) later() string {
	return n.content + " , " + n.Context + " " + strings.Join(n.Keywords, " ") + " " + strings.Join(n.Tags, " ")
}

// contents writes the turns of a conversation as the authors do, without a space
// after the name. An image counts only if the turn has its address too.
func contents(s datasets.Sample) []string {
	var all []string
	for _, session := range s.Sessions {
		for _, t := range session.Turns {
			text := t.Text
			if img := t.Image; img != nil && img.URL != "" && img.Caption != "" {
				text = strings.TrimSpace("[Image: " + img.Caption + "] " + text)
			}
			all = append(all, "Speaker "+t.Speaker+"says : "+text)
		}
	}
	return all
}

// A builder reads a conversation into a memory.
type builder struct {
	memory

	model    building.Model
	messages []building.Message
	contents []string
}

// add makes the note of message i, and the changes that it and similar ones make to one
// another.
func (b *builder) add(ctx context.Context, i int) error {
	m := b.messages[i]
	n := note{turn: m.ID, line: m.Line, content: b.contents[i]}
	var err error
	if n.Note, err = b.describe(ctx, n.content); err != nil {
		return err
	}
	evolves, err := b.evolve(ctx, &n)
	if err != nil {
		return err
	}
	b.notes = append(b.notes, n)
	if err := b.embedNotes(ctx, (*note).document, i); err != nil || !evolves {
		return err
	}
	if b.evolved++; b.evolved%b.every > 0 {
		return nil
	}
	all := make([]int, len(b.notes))
	for i := range all {
		all[i] = i
	}
	return b.embedNotes(ctx, (*note).later, all...)
}

// embedNotes puts the vectors of notes into the index, by one of their texts. A
// note already found by that text keeps its vector.
func (b *builder) embedNotes(ctx context.Context, text func(*note) string, which ...int) error {
	which = slices.DeleteFunc(which, func(i int) bool { return text(&b.notes[i]) == b.notes[i].found })
	texts := lists.Map(which, func(i int) string { return text(&b.notes[i]) })
	vectors, err := building.Vectors(ctx, b.space, texts...)
	if err != nil {
		return err
	}
	for k, i := range which {
		b.notes[i].found = texts[k]
		if i == b.index.Len() {
			err = b.index.Add(vectors[k])
		} else {
			err = b.index.Set(i, vectors[k])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Limits on a reply: more words or links than that describe nothing.
const (
	maxWords = 50
	maxLinks = 100
)

// noContext is the context of a note that has none.
const noContext = "General"

// words are separated by commas when shown.
type words []string

func (w words) String() string { return strings.Join(w, ", ") }

// Python writes words the way Python prints a list, for the authors' prompts.
func (w words) Python() string {
	quoted := make([]string, len(w))
	for i, word := range w {
		quote := "'"
		if strings.Contains(word, "'") && !strings.Contains(word, `"`) {
			quote = `"`
		}
		quoted[i] = quote + strings.NewReplacer(`\`, `\\`, quote, `\`+quote).Replace(word) + quote
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// A Note says what a message is about. The fields have the names in the authors'
// prompts.
type Note struct {
	Keywords []string `json:"keywords"` // the most important first
	Context  string   `json:"context"`
	Tags     []string `json:"tags"` // broad kinds, such as "hobby"
}

// An evolution says how a new note and similar ones change one another. The fields
// have the names in the authors' prompts.
type evolution struct {
	Evolves bool `json:"should_evolve"`
	// Actions are any of "strengthen", which sets links and tags of the note, and
	// "update_neighbor", which sets contexts and tags of the neighbours.
	Actions       []string   `json:"actions"`
	Links         []int      `json:"suggested_connections"` // indexes of notes
	Tags          []string   `json:"tags_to_update"`
	Contexts      []string   `json:"new_context_neighborhood"` // one a neighbour, in their order
	NeighbourTags [][]string `json:"new_tags_neighborhood"`    // likewise
}

// describe asks for keywords, context and tags. If the model gives none, the note
// has none, as in the authors' code.
func (b *builder) describe(ctx context.Context, content string) (Note, error) {
	n := Note{Keywords: []string{}, Context: noContext, Tags: []string{}}
	reply, ok, err := building.JSON[Note](ctx, b.model, describe, describeData{content})
	if err != nil || !ok {
		return n, err
	}
	n.Keywords, n.Tags = cleaned(reply.Keywords), cleaned(reply.Tags)
	if c := building.Clean(reply.Context, building.MaxFact); c != "" {
		n.Context = c
	}
	return n, nil
}

// evolve asks what a new note and the notes most like it change about one another, and
// changes them.
func (b *builder) evolve(ctx context.Context, n *note) (evolves bool, err error) {
	var near []index.Hit
	if len(b.notes) > 0 {
		v, err := building.Query(ctx, b.space, n.content)
		if err != nil {
			return false, err
		}
		if near, err = b.index.Search(v, neighbours); err != nil {
			return false, err
		}
	}
	data := evolveData{Content: n.content, Context: n.Context, Keywords: n.Keywords}
	for _, h := range near {
		old := &b.notes[h.Index]
		shown := neighbourData{Index: h.Index, Content: old.content, Context: old.Context, Keywords: old.Keywords, Tags: old.Tags}
		if !old.line.Time.IsZero() {
			shown.Time = transcript.Time(old.line.Time)
		}
		data.Neighbours = append(data.Neighbours, shown)
	}
	reply, ok, err := building.JSON[evolution](ctx, b.model, evolve, data)
	if err != nil || !ok || !reply.Evolves {
		return false, err
	}
	if slices.Contains(reply.Actions, "update_neighbor") {
		b.rewrite(reply, near)
	}
	for _, action := range reply.Actions {
		if action == "strengthen" {
			n.links = append(n.links, reply.Links...)
			n.links = n.links[:min(len(n.links), maxLinks)]
			n.Tags = cleaned(reply.Tags)
		}
	}
	return true, nil
}

// rewrite gives neighbours new tags and contexts, by position. A neighbour without new
// tags stays as it is; one with only tags keeps its context.
func (b *builder) rewrite(reply evolution, near []index.Hit) {
	for k, h := range near[:min(len(near), len(reply.NeighbourTags))] {
		n := &b.notes[h.Index]
		n.Tags = cleaned(reply.NeighbourTags[k])
		if k < len(reply.Contexts) {
			n.Context = building.Clean(reply.Contexts[k], building.MaxFact)
		}
		b.rewritten++
	}
}

// cleaned cleans words, and drops empty and surplus ones.
func cleaned(list []string) []string {
	out := []string{}
	for _, w := range list[:min(len(list), maxWords)] {
		if w = building.Clean(w, building.MaxTitle); w != "" {
			out = append(out, w)
		}
	}
	return slices.Clip(out)
}

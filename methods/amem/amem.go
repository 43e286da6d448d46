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

// Package linguistic has what linguistic memories share: a conversation of
// annotated utterances and an inverted index of their features.
//
// It follows sections 3.2 and 3.3 of the Semantic Anchoring paper: an entry is an
// utterance with the entities that it mentions, its dependencies as triples, and
// its discourse relations to earlier utterances.
package linguistic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Layers are the kinds of annotation that are used. Each is a row of the paper's
// ablation.
type Layers struct {
	// Coreference finds what pronouns and descriptions refer to. Without it an
	// entity is the name in the text.
	Coreference bool `yaml:"coreference"`
	// Dependencies lets entries be found by triples of the parse.
	Dependencies bool `yaml:"dependencies"`
	// Discourse tags relations to earlier turns.
	Discourse bool `yaml:"discourse"`
}

// asked are the layers requested from an annotator.
func (l Layers) asked() []annotate.Layer {
	layers := []annotate.Layer{annotate.Tokens, annotate.Entities}
	if l.Dependencies {
		layers = append(layers, annotate.Dependencies)
	}
	if l.Coreference {
		layers = append(layers, annotate.Coreference)
	}
	if l.Discourse {
		layers = append(layers, annotate.Discourse)
	}
	return layers
}

// A Method is the common part of methods: the models that they need, and the reader of
// their memories.
type Method struct {
	Reader    reader.Reader
	embed     embed.Model
	annotator *Annotator
}

// NewMethod returns the common part of the named method. It fails if the model entry
// lacks one of the models.
func NewMethod(name string, env methods.Env, l Layers, o reader.Options) (Method, error) {
	if env.Embed == nil {
		return Method{}, fmt.Errorf("the model entry has no embedder, which %s needs", name)
	}
	annotator, err := New(env, l)
	if err != nil {
		return Method{}, err
	}
	r, err := reader.New(env, o)
	return Method{r, env.Embed, annotator}, err
}

// Read annotates a conversation and embeds its utterances, their normalised texts as
// lines of a transcript; of one without any there are no vectors.
func (m Method) Read(ctx context.Context, s datasets.Sample) (h *History, vectors [][]float32, err error) {
	if h, err = m.annotator.History(ctx, s); err != nil || len(h.Entries) == 0 {
		return h, nil, err
	}
	texts := lists.Map(h.Entries, func(e Entry) string {
		e.Line.Text = e.Text
		return transcript.Text(e.Line)
	})
	if h.Space, err = m.embed.Fit(ctx, texts); err != nil {
		return h, nil, fmt.Errorf("fit the embedder to %d utterances: %w", len(texts), err)
	}
	vectors, err = building.Vectors(ctx, h.Space, texts...)
	return h, vectors, err
}

// An Annotator makes histories with some layers.
type Annotator struct {
	Layers
	door annotate.Annotator
}

// New returns an annotator over the model of env. It fails if the model entry
// has none.
func New(env methods.Env, l Layers) (*Annotator, error) {
	if env.Annotate == nil {
		return nil, errors.New("the model entry has no annotator, which the memory needs")
	}
	return &Annotator{l, env.Annotate}, nil
}

// The stages that are degraded.
const (
	// Parse is where a parser gives up on a sentence of a question, or of an utterance
	// that is shown for it.
	Parse = "parse"
	// Annotate is where a session or a question is left without annotation.
	Annotate = "annotate"
)

// An Entry is an utterance of the conversation.
type Entry struct {
	Turn string // its id
	Line transcript.Line
	// Text is what was annotated: the line's text, normalised.
	Text string
	Features
}

// ID names the entry within its memory.
func (e Entry) ID() string { return "utterance " + e.Turn }

// Lines are the utterances as a reader sees them.
func (h *History) Lines() []string {
	return lists.Map(h.Entries, func(e Entry) string { return transcript.Text(e.Line) })
}

// A History is a conversation with its annotations. It is safe for concurrent
// use.
type History struct {
	*Annotator
	Space   embed.Embedder // of the entries; nil if they are not embedded
	Entries []Entry
	// Known are the entities of the whole conversation; empty without coreference.
	Known    []annotate.Known
	speakers []annotate.Name
	sizes    map[string]int   // mentions of an entity by its key
	postings map[string][]int // entries by the keys of their features, in order
}

// History annotates a conversation, one session after another.
func (a *Annotator) History(ctx context.Context, s datasets.Sample) (*History, error) {
	defer meter.Stage(ctx, "annotate")()
	h := &History{Annotator: a, sizes: make(map[string]int), postings: make(map[string][]int)}
	h.speakers = lists.Map(s.Speakers, func(name string) annotate.Name { return annotate.Name{Text: name, Type: "PERSON"} })
	for _, session := range s.Sessions {
		if err := h.add(ctx, session); err != nil {
			return nil, err
		}
	}
	for i, e := range h.Entries {
		for _, key := range lists.AddNew(nil, e.keys()...) {
			h.postings[key] = append(h.postings[key], i)
		}
		for _, entity := range e.Entities {
			for _, name := range entity.Names {
				h.sizes[named+name]++
			}
		}
	}
	for _, k := range h.Known {
		h.sizes[identified+k.ID] = k.Mentions
	}
	return h, nil
}

// add annotates a session.
func (h *History) add(ctx context.Context, session datasets.Session) error {
	first := len(h.Entries)
	utterances := make([]annotate.Utterance, len(session.Turns))
	for i, turn := range session.Turns {
		e := Entry{Turn: turn.ID, Line: transcript.Captions.Line(turn)}
		e.Text = Normalise(e.Line.Text)
		utterances[i] = annotate.Utterance{ID: turn.ID, Speaker: turn.Speaker, Text: e.Text}
		h.Entries = append(h.Entries, e)
	}
	if len(utterances) == 0 {
		return nil
	}
	doc, err := h.annotate(ctx, utterances)
	if err != nil {
		return fmt.Errorf("annotate session %s: %w", session.ID, err)
	}
	for i, f := range h.features(doc, utterances) {
		h.Entries[first+i].Features = f
	}
	if h.Coreference {
		h.Known = doc.Recall(utterances, h.Known)
	}
	return nil
}

// annotate asks for the annotations in use. If the reply of a model or a server
// is unusable, utterances are left without features, and that is noted: they
// are still found by their vectors.
func (h *History) annotate(ctx context.Context, utterances []annotate.Utterance) (annotate.Document, error) {
	doc, err := h.door.Annotate(ctx, annotate.Request{Layers: h.asked(), Utterances: utterances, Known: h.Known, Names: h.speakers})
	if kind := fault.KindOf(err); kind == fault.BadReply || kind == fault.Refused || kind == fault.Empty {
		meter.Degrade(ctx, Annotate)
		return annotate.Document{}, nil
	}
	return doc, err
}

// Question annotates a question that is asked after the conversation.
func (h *History) Question(ctx context.Context, text string) (Features, error) {
	defer meter.Stage(ctx, "annotate")()
	utterances := []annotate.Utterance{{ID: "question", Text: Normalise(text)}}
	doc, err := h.annotate(ctx, utterances)
	if err != nil {
		return Features{}, fmt.Errorf("annotate the question: %w", err)
	}
	return h.features(doc, utterances)[0], nil
}

// Shown notes if a parser gave up on the question or on what is shown for it,
// so that an error can be attributed to that.
func (h *History) Shown(ctx context.Context, question Features, entries []int) {
	unparsed := question.Unparsed
	for _, i := range entries {
		unparsed += h.Entries[i].Unparsed
	}
	if unparsed > 0 {
		meter.Degrade(ctx, Parse)
	}
}

// Size is the number of mentions of an entity in the conversation: of its
// cluster or, if it has none, of its names; at least 1.
func (h *History) Size(e Entity) int {
	n := h.sizes[identified+e.ID]
	if n == 0 || e.ID == "" {
		for _, name := range e.Names {
			n += h.sizes[named+name]
		}
	}
	return max(1, n)
}

// The kinds of keys of the index: entities by coreference id and by name, triples as
// "head:label:child", and discourse relations by sense (appendix A.5).
const (
	identified = "id:"
	named      = "name:"
	dependent  = "dep:"
	discourse  = "disc:"
)

// keys are those under which an utterance is found.
func (f Features) keys() (keys []string) {
	for _, e := range f.Entities {
		keys = append(keys, e.keys()...)
	}
	for _, t := range f.Triples {
		keys = append(keys, dependent+t.Key())
	}
	for _, sense := range f.Senses {
		keys = append(keys, discourse+sense)
	}
	return keys
}

func (e *Entity) keys() (keys []string) {
	if e.ID != "" {
		keys = append(keys, identified+e.ID)
	}
	for _, name := range e.Names {
		keys = append(keys, named+name)
	}
	return keys
}

// With returns the entries that mention an entity, in order.
func (h *History) With(e Entity) []int {
	var entries []int
	for _, key := range e.keys() {
		entries = append(entries, h.postings[key]...)
	}
	slices.Sort(entries)
	return slices.Compact(entries)
}

// A Match is how well an entry matches a question, in each respect from 0 to 1.
type Match struct{ Entities, Discourse, Dependencies float64 }

// Match looks up the features of a question, and returns the entries that match in any
// respect:
//
//   - entities: the share of its entities that an entry mentions, each with the
//     weight of its size, which is the number of mentions of it (section 3.4: the
//     size of its coreference cluster);
//   - discourse: the Jaccard coefficient of the two sets of relations;
//   - dependencies: the share of its triples that an entry has.
func (h *History) Match(q Features, weight func(size int) float64) map[int]Match {
	all := make(map[int]Match)
	add := func(entries []int, m Match) {
		for _, i := range entries {
			all[i] = Match{all[i].Entities + m.Entities, all[i].Discourse, all[i].Dependencies + m.Dependencies}
		}
	}
	total := 0.0
	for _, e := range q.Entities {
		total += weight(h.Size(e))
	}
	for _, e := range q.Entities {
		add(h.With(e), Match{Entities: weight(h.Size(e)) / total})
	}
	for _, t := range q.Triples {
		add(h.postings[dependent+t.Key()], Match{Dependencies: 1 / float64(len(q.Triples))})
	}
	for _, sense := range q.Senses {
		for _, i := range h.postings[discourse+sense] {
			all[i] = Match{all[i].Entities, building.Jaccard(q.Senses, h.Entries[i].Senses), all[i].Dependencies}
		}
	}
	return all
}

// Features are the annotations of an utterance. None is listed twice.
type Features struct {
	Entities []Entity // in the order of mention
	Triples  []Triple
	// Senses are the discourse relations to what was said before, such as
	// Comparison.Contrast.
	Senses []string
	// Unparsed is the number of sentences that the parser gave up on.
	Unparsed int
}

// An Entity is one that an utterance mentions.
type Entity struct {
	ID   string // the coreference cluster's; empty without coreference
	Name string // canonical
	Type string // such as PERSON; empty if unknown
	// Names are the names by which the utterance itself calls it, in the form
	// for comparison: see [fold]. Empty if it is only mentioned by a pronoun or
	// a description.
	Names []string
}

// A Triple is an edge of a dependency parse, by lemmas.
type Triple struct{ Head, Label, Child string }

// Key is its key in the index: "confirm:nsubj:john".
func (t Triple) Key() string { return t.Head + ":" + t.Label + ":" + t.Child }

// bare are labels of function words: nearly every sentence has them, so they
// distinguish nothing.
var bare = map[string]bool{"punct": true, "det": true, "case": true, "aux": true, "cop": true, "mark": true, "cc": true, "root": true, "expl": true}

// triples returns the edges of a sentence between content words.
func triples(s annotate.Sentence) []Triple {
	var found []Triple
	for _, d := range s.Dependencies {
		if d.Head < 0 || bare[d.Label] {
			continue
		}
		t := Triple{strings.ToLower(s.Tokens[d.Head].Lemma), d.Label, strings.ToLower(s.Tokens[d.Dependent].Lemma)}
		if t.Head != "" && t.Child != "" {
			found = lists.AddNew(found, t)
		}
	}
	return found
}

// articles stand before names and are not part of them.
var articles = []string{"the ", "a ", "an "}

// fold returns a name in the form for comparison: lowercase, white space folded,
// without an article.
func fold(name string) string {
	name = strings.ToLower(strings.Join(strings.Fields(name), " "))
	for _, a := range articles {
		if rest, ok := strings.CutPrefix(name, a); ok && rest != "" {
			return rest
		}
	}
	return name
}

// features splits a document by utterance.
func (a *Annotator) features(doc annotate.Document, utterances []annotate.Utterance) []Features {
	all := make([]Features, len(utterances))
	for _, s := range doc.Sentences {
		f := &all[s.Utterance]
		if s.Unparsed {
			f.Unparsed++
		}
		if a.Dependencies {
			f.Triples = lists.AddNew(f.Triples, triples(s)...)
		}
	}
	if a.Coreference {
		clusters(doc, utterances, all)
	} else {
		names(doc, utterances, all)
	}
	for _, r := range doc.Relations {
		f := &all[doc.Sentences[r.To].Utterance]
		within := r.From >= 0 && doc.Sentences[r.From].Utterance == doc.Sentences[r.To].Utterance
		if !within {
			f.Senses = lists.AddNew(f.Senses, r.Sense)
		}
	}
	return all
}

// clusters adds the entities of coreference clusters.
func clusters(doc annotate.Document, utterances []annotate.Utterance, all []Features) {
	type at struct{ utterance, sentence, token, entity int }
	var order []at
	entities := make([]Entity, 0, len(doc.Clusters))
	for _, c := range doc.Clusters {
		places := make(map[int]int) // of the entity by utterance
		for _, m := range c.Mentions {
			u := doc.Sentences[m.Sentence].Utterance
			i, ok := places[u]
			if !ok {
				i = len(entities)
				places[u] = i
				entities = append(entities, Entity{ID: c.ID, Name: c.Name, Type: c.Type})
				order = append(order, at{u, m.Sentence, m.Start, i})
			}
			if m.Kind == annotate.Named {
				entities[i].call(doc.Text(utterances, m))
			}
		}
	}
	slices.SortStableFunc(order, func(a, b at) int { return cmp.Or(a.sentence-b.sentence, a.token-b.token) })
	for _, o := range order {
		all[o.utterance].Entities = append(all[o.utterance].Entities, entities[o.entity])
	}
}

// names adds named entities, each by its name in the text.
func names(doc annotate.Document, utterances []annotate.Utterance, all []Features) {
	for i, s := range doc.Sentences {
		f := &all[s.Utterance]
		for _, e := range s.Entities {
			name := doc.Text(utterances, annotate.Mention{Sentence: i, Span: e.Span})
			if slices.ContainsFunc(f.Entities, func(other Entity) bool { return slices.Contains(other.Names, fold(name)) }) {
				continue
			}
			entity := Entity{Name: name, Type: e.Type}
			entity.call(name)
			f.Entities = append(f.Entities, entity)
		}
	}
}

func (e *Entity) call(name string) {
	if name = fold(name); name != "" {
		e.Names = lists.AddNew(e.Names, name)
	}
}

var markup = regexp.MustCompile(`</?[A-Za-z][^<>]{0,200}>`)

// Normalise removes markup from a text and folds its white space, as in the
// paper's appendix A.1; invalid UTF-8 becomes a replacement character.
func Normalise(text string) string {
	return strings.Join(strings.Fields(markup.ReplaceAllString(strings.ToValidUTF8(text, "\uFFFD"), " ")), " ")
}

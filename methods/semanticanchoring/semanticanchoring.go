// Package semanticanchoring implements the memory of the Semantic Anchoring
// paper: utterances are stored with their vectors and with the annotations of a
// parser, a coreference resolver and a discourse tagger, and are found by both.
//
// A question is annotated like the conversation. Candidates come from the
// nearest vectors and from an inverted index of entities, dependencies and
// discourse relations; a weighted score of the parts ranks them (algorithm 1).
package semanticanchoring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sourcegraph/conc"

	"recallbench/datasets"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/internal/engine/structure"
	"recallbench/methods"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/linguistic"
	"recallbench/methods/internal/reader"
	"recallbench/methods/internal/transcript"
)

// Spec describes the method.
var Spec = &methods.Spec{
	Name:    "semantic-anchoring",
	Doc:     "index utterances by vectors, entities, dependencies and discourse relations",
	Source:  "Semantic Anchoring paper, section 3 and appendix A",
	Options: Defaults(),
	Prompts: reader.Prompts(),
	Grid:    grid,
	New:     newMethod,
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	o := options.(Options)
	common, err := linguistic.NewMethod("semantic-anchoring", env, o.Layers, o.Reader)
	return &method{Options: o, Method: common, seed: env.Seed}, err
}

type method struct {
	Options
	linguistic.Method
	seed uint64
}

// Build annotates the conversation and indexes it twice.
func (m *method) Build(ctx context.Context, s datasets.Sample) (methods.Memory, error) {
	history, vectors, err := m.Read(ctx, s)
	if err != nil {
		return nil, err
	}
	defer meter.Stage(ctx, "index")()
	dense, err := m.indexOf(vectors)
	return &memory{m, history, vectors, dense}, err
}

type memory struct {
	*method
	history *linguistic.History
	vectors [][]float32 // of the entries
	dense   searcher
}

// Structure counts entries and entities.
func (m *memory) Structure() map[string]float64 {
	unparsed := 0
	for _, e := range m.history.Entries {
		unparsed += e.Unparsed
	}
	return map[string]float64{
		"entries": float64(len(m.history.Entries)), "entities": float64(len(m.history.Known)), "unparsed": float64(unparsed),
	}
}

// Show implements [methods.Shown]: the entities, the turns with their discourse
// relations and triples, and which turn mentions which entity.
func (m *memory) Show() structure.Structure {
	s := structure.Structure{Kind: structure.Graph}
	known := make(map[string]bool)
	var turns []structure.Node
	for _, e := range m.history.Entries {
		turn := structure.Node{ID: "turn " + e.Turn, Type: "turn", Label: e.Turn}
		if len(e.Senses) > 0 {
			turn.Fields = append(turn.Fields, append([]string{"discourse"}, e.Senses...))
		}
		if len(e.Triples) > 0 {
			triples := []string{"triples"}
			for _, t := range e.Triples {
				triples = append(triples, t.Key())
			}
			turn.Fields = append(turn.Fields, triples)
		}
		turns = append(turns, turn)
		for _, entity := range e.Entities {
			id := "entity " + cmp.Or(entity.ID, entity.Name)
			if !known[id] {
				known[id] = true
				s.Nodes = append(s.Nodes, structure.Node{ID: id, Type: cmp.Or(entity.Type, "entity"), Label: entity.Name})
			}
			if link := (structure.Link{From: id, To: turn.ID, Kind: "mentioned"}); !slices.Contains(s.Links[max(0, len(s.Links)-len(e.Entities)):], link) {
				s.Links = append(s.Links, link)
			}
		}
	}
	s.Nodes = append(s.Nodes, turns...)
	return s
}

// Items implements [methods.Storing]: the utterances.
func (m *memory) Items() (items []string, known bool) { return m.history.Lines(), true }

// With returns the memory with other weights.
func (m *memory) With(options any) methods.Memory {
	method := *m.method
	method.Options = options.(Options)
	other := *m
	other.method = &method
	return &other
}

// Answer retrieves the best entries and asks the reader.
func (m *memory) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	found, question, err := m.search(ctx, r.Text)
	if err != nil {
		return methods.Response{}, err
	}
	blocks := make([]methods.Evidence, len(found))
	shown := make([]int, len(found))
	for i, c := range found {
		e := m.history.Entries[c.entry]
		blocks[i] = methods.Evidence{ID: e.ID(), Sources: []string{e.Turn}, Score: c.score, Text: serialise(e)}
		shown[i] = c.entry
	}
	m.history.Shown(ctx, question, shown)
	return m.Method.Reader.Answer(ctx, r, reader.Blocks(blocks, "\n\n"), blocks, m.step(question, found))
}

// search finds the k best entries for a question (algorithm 1). The two indexes
// are searched at the same time.
func (m *memory) search(ctx context.Context, text string) ([]candidate, linguistic.Features, error) {
	if len(m.vectors) == 0 {
		return nil, linguistic.Features{}, nil
	}
	var vector []float32
	var nearby map[int]float64
	var question linguistic.Features
	var matches map[int]linguistic.Match
	var denseErr, symbolErr error
	var both conc.WaitGroup
	both.Go(func() { vector, nearby, denseErr = m.nearby(ctx, text) })
	both.Go(func() {
		if question, symbolErr = m.history.Question(ctx, text); symbolErr == nil {
			defer meter.Stage(ctx, "symbolic")()
			matches = m.history.Match(question, m.EntityWeight.of)
		}
	})
	both.Wait()
	if err := errors.Join(denseErr, symbolErr); err != nil {
		return nil, question, fmt.Errorf("search: %w", err)
	}
	defer meter.Stage(ctx, "fusion")()
	all := candidates(nearby, matches, func(entry int) float64 { return embed.Cosine(vector, m.vectors[entry]) })
	return m.Weights.best(all, m.K), question, nil
}

// step records what was found in a question, and the parts of the scores.
func (m *memory) step(q linguistic.Features, found []candidate) methods.Step {
	entities, triples, scores := []string{}, []string{}, []map[string]any{}
	for _, e := range q.Entities {
		name := e.Name
		if e.ID != "" {
			name = e.ID + " " + name
		}
		entities = append(entities, name)
	}
	for _, t := range q.Triples {
		triples = append(triples, t.Key())
	}
	for _, c := range found {
		scores = append(scores, map[string]any{
			"turn": m.history.Entries[c.entry].Turn, "score": round(c.score), "similarity": round(c.similarity),
			"entities": round(c.Entities), "discourse": round(c.Discourse), "dependencies": round(c.Dependencies),
		})
	}
	return methods.Step{Name: "anchors", Data: map[string]any{
		"entities": entities, "triples": triples, "discourse": slices.Concat([]string{}, q.Senses), "scores": scores,
	}}
}

func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// Options are the method's options. docs/methods.md says where each value comes
// from.
type Options struct {
	// K is the number of entries that the reader gets.
	K int `yaml:"k"`
	// Weights of the parts of an entry's score. A run with tuning finds its own.
	Weights Weights `yaml:"weights"`
	// EntityWeight says how the question's entities are weighted against each other.
	EntityWeight EntityWeight `yaml:"entity_weight"`
	// Layers are the kinds of annotation that are used.
	Layers linguistic.Layers `yaml:"layers"`
	// Dense says how vectors are searched.
	Dense Dense `yaml:"dense"`
	// Reader has the reader's options.
	Reader reader.Options `yaml:"reader"`
}

// Weights are the weights of the parts of a score. The paper's three sum to 1.
type Weights struct {
	// Similarity is the weight of the cosine.
	Similarity float64 `yaml:"similarity"`
	// Entities is the weight of the share of the question's entities that an
	// entry mentions.
	Entities float64 `yaml:"entities"`
	// Discourse is the weight of shared discourse relations.
	Discourse float64 `yaml:"discourse"`
	// Dependencies is the weight of the share of the question's triples that an
	// entry has, a term which the paper does not have: there triples only
	// contribute candidates.
	Dependencies float64 `yaml:"dependencies"`
}

// EntityWeight says how an entity is weighted.
type EntityWeight string

// The weights of entities, by how often they are mentioned.
const (
	BySize  EntityWeight = "size"    // in proportion: section 3.4
	Inverse EntityWeight = "inverse" // rarer entities weigh more
)

// Values lists the weights.
func (EntityWeight) Values() []string { return []string{string(BySize), string(Inverse)} }

// of returns the weight of an entity with size mentions, at least 1.
func (w EntityWeight) of(size int) float64 {
	if w == Inverse {
		return 1 / float64(size)
	}
	return float64(size)
}

// Dense says how vectors are searched.
type Dense struct {
	// Index is exact or hnsw, or auto: exact below the number of entries from
	// which a graph is faster.
	Index DenseIndex `yaml:"index"`
}

// DenseIndex is a kind of index of vectors.
type DenseIndex string

// The kinds of indexes.
const (
	Auto  DenseIndex = "auto"
	Exact DenseIndex = "exact"
	HNSW  DenseIndex = "hnsw"
)

// Values lists the kinds.
func (DenseIndex) Values() []string { return []string{string(Auto), string(Exact), string(HNSW)} }

// The paper gives neither n, k nor weights.
const nearest = 50 // candidates from the dense index

// Defaults are the paper's if it gives a value.
func Defaults() Options {
	return Options{
		K:            10,
		Weights:      Weights{Similarity: 0.6, Entities: 0.3, Discourse: 0.1},
		EntityWeight: BySize,
		Layers:       linguistic.Layers{Coreference: true, Dependencies: true, Discourse: true},
		Dense:        Dense{Index: Auto},
		Reader:       reader.Defaults(),
	}
}

// Validate reports values out of range.
func (o Options) Validate() error {
	var faults fault.List
	faults.Want(o.K >= 1, "k is %d, want at least 1", o.K)
	weight := func(name string, x float64) {
		faults.Want(x >= 0 && !math.IsInf(x, 0), "weights.%s is %v, want a number of at least 0", name, x)
	}
	weight("similarity", o.Weights.Similarity)
	weight("entities", o.Weights.Entities)
	weight("discourse", o.Weights.Discourse)
	weight("dependencies", o.Weights.Dependencies)
	faults.Want(o.Weights != Weights{}, "all weights are 0, want at least one above 0")
	return errors.Join(faults...)
}

// grid returns the weights to choose from. The paper sweeps 0.40, 0.50 ... 0.90
// and requires three weights that sum to 1, which no three of these do. Here the
// weight of similarity takes those values, and entities and discourse share the
// rest in steps of 0.1, 0 allowed. Without discourse relations entities get all
// of it.
func grid(options any) []any {
	o := options.(Options)
	var points []any
	for similarity := 4; similarity <= 9; similarity++ {
		rest := 10 - similarity
		for discourse := range rest + 1 {
			if discourse > 0 && !o.Layers.Discourse {
				break
			}
			p := o
			p.Weights.Similarity, p.Weights.Entities, p.Weights.Discourse = tenths(similarity), tenths(rest-discourse), tenths(discourse)
			points = append(points, p)
		}
	}
	return points
}

func tenths(n int) float64 { return float64(n) / 10 }

// A searcher returns the k best entries by cosine, best first.
type searcher interface {
	Search(query []float32, k int) ([]index.Hit, error)
}

// indexOf indexes vectors as the options say.
func (m *method) indexOf(vectors [][]float32) (searcher, error) {
	if m.Dense.Index == HNSW || m.Dense.Index == Auto && len(vectors) >= index.ExactBelow {
		return index.BuildHNSW(vectors, m.seed)
	}
	return index.NewDense(vectors)
}

// nearby returns the vector of a question, and the cosines of the nearest entries.
func (m *memory) nearby(ctx context.Context, text string) (vector []float32, found map[int]float64, err error) {
	if vector, err = building.Query(ctx, m.history.Space, text); err != nil {
		return nil, nil, err
	}
	defer meter.Stage(ctx, "dense")()
	hits, err := m.dense.Search(vector, nearest)
	found = make(map[int]float64, len(hits))
	for _, h := range hits {
		found[h.Index] = h.Score
	}
	return vector, found, err
}

// A candidate is an entry with the parts of its score, each in [0, 1] except
// for the cosine, which is in [-1, 1].
type candidate struct {
	linguistic.Match
	entry             int
	similarity, score float64
}

// candidates merges what the two indexes found (algorithm 1, step 4).
func candidates(dense map[int]float64, matches map[int]linguistic.Match, cosine func(entry int) float64) []candidate {
	entries := slices.Collect(maps.Keys(matches))
	for i := range dense {
		if _, ok := matches[i]; !ok {
			entries = append(entries, i)
		}
	}
	all := make([]candidate, len(entries))
	for k, i := range entries {
		similarity, ok := dense[i]
		if !ok {
			similarity = cosine(i)
		}
		all[k] = candidate{entry: i, similarity: similarity, Match: matches[i]}
	}
	return all
}

// best scores candidates and returns the k best, best first; of equal ones the
// later entry comes first, because the latest statement is the current one.
func (w Weights) best(all []candidate, k int) []candidate {
	all = slices.Clone(all)
	for i, c := range all {
		all[i].score = w.Similarity*c.similarity + w.Entities*c.Entities + w.Discourse*c.Discourse + w.Dependencies*c.Dependencies
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.entry, a.entry))
	})
	return all[:min(k, len(all))]
}

// Limits on what is shown of an entry in addition to its text.
const (
	mostLines    = 2 // entities, then discourse, then dependencies
	mostEntities = 4
	mostTriples  = 4
)

// serialise writes an entry in the manner of appendix A.7: its annotations, and
// the utterance.
//
//	[ENTITY: Asha Rao | CorefID=E5 | NER=PERSON]
//	[DISCOURSE: Comparison.Contrast]
//	[UTTERANCE @ 14 March 2024 09:10] Ben: "She would rather come on Friday."
//
// Dependencies follow the utterance if there is a line left for them. Entities of
// one entry share a line.
func serialise(e linguistic.Entry) string {
	var before, after []string
	if line := entities(e); line != "" {
		before = append(before, line)
	}
	if len(e.Senses) > 0 {
		before = append(before, "[DISCOURSE: "+strings.Join(e.Senses, ", ")+"]")
	}
	if line := triples(e); line != "" && len(before) < mostLines {
		after = append(after, line)
	}
	return strings.Join(slices.Concat(before, []string{utterance(e)}, after), "\n")
}

func utterance(e linguistic.Entry) string {
	var b strings.Builder
	b.WriteString("[UTTERANCE")
	if !e.Line.Time.IsZero() {
		b.WriteString(" @ " + transcript.Time(e.Line.Time))
	}
	b.WriteString("] ")
	if e.Line.Speaker != "" {
		b.WriteString(e.Line.Speaker + ": ")
	}
	b.WriteString(`"` + e.Line.Text + `"`)
	return b.String()
}

// entities writes the entities that are shown.
func entities(e linguistic.Entry) string {
	var parts []string
	for _, entity := range named(e) {
		part := "ENTITY: " + bracketless.Replace(entity.Name)
		if entity.ID != "" {
			part += " | CorefID=" + entity.ID
		}
		if entity.Type != "" {
			part += " | NER=" + entity.Type
		}
		parts = append(parts, "["+part+"]")
	}
	return strings.Join(parts, " ")
}

// named returns the first entities that have a name. Those that the utterance
// calls otherwise come first, because there the name is new information. The
// speaker stands before the utterance anyway.
func named(e linguistic.Entry) []linguistic.Entity {
	var news, called []linguistic.Entity
	for _, entity := range e.Entities {
		switch {
		case entity.Name == "" || entity.Name == e.Line.Speaker || utf8.RuneCountInString(entity.Name) > maxName:
		case len(entity.Names) == 0:
			news = append(news, entity)
		default:
			called = append(called, entity)
		}
	}
	all := slices.Concat(news, called)
	return all[:min(len(all), mostEntities)]
}

// maxName is the length in characters from which a name is ignored: an
// annotator's mistake is not repeated to the reader.
const maxName = 80

func triples(e linguistic.Entry) string {
	var parts []string
	for _, t := range e.Triples[:min(len(e.Triples), mostTriples)] {
		if utf8.RuneCountInString(t.Key()) <= maxName {
			parts = append(parts, "("+bracketless.Replace(t.Head+"-"+t.Label+"-"+t.Child)+")")
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "[DEPS: " + strings.Join(parts, ", ") + "]"
}

// bracketless keeps a text from closing the brackets around it.
var bracketless = strings.NewReplacer("[", "(", "]", ")", "|", "/", "\n", " ")

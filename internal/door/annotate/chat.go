package annotate

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
)

// RoleAnnotate is the role of the calls of [FromChat].
const RoleAnnotate = "annotate"

// ChatLayers lists the layers that [FromChat] gives.
func ChatLayers() []Layer { return []Layer{Entities, Dependencies, Coreference, Discourse} }

// parsedAtOnce is the number of sentences of one call for dependencies, whose
// reply has a line for each word.
const parsedAtOnce = 20

// FromChat returns an annotator that asks a chat model for some layers of the
// sentences and tokens of another annotator, which gives the other layers: one call
// for each layer, for dependencies one for 20 sentences, at temperature 0.
//
// What the model says has to fit: each name and mention is quoted as its sentence
// has it, each word has one head. A reply that does not is asked for once more, see
// [llm.CheckedJSON]; after a second one the request fails as a bad reply, save for
// dependencies: their sentences are then unparsed.
func FromChat(g llm.Generator, base Annotator, layers []Layer) Annotator {
	return &chat{g, base, layers}
}

type chat struct {
	generator llm.Generator
	base      Annotator
	layers    []Layer
}

// Annotate implements [Annotator].
func (c *chat) Annotate(ctx context.Context, r Request) (Document, error) {
	rest := r
	rest.Layers = []Layer{Tokens}
	var asked []Layer
	for _, l := range r.Layers {
		if slices.Contains(c.layers, l) {
			asked = append(asked, l)
		} else {
			rest.Layers = append(rest.Layers, l)
		}
	}
	doc, err := c.base.Annotate(ctx, rest)
	if err != nil || len(doc.Sentences) == 0 {
		return doc, err
	}
	doc.Sentences = slices.DeleteFunc(doc.Sentences, func(s Sentence) bool { return len(s.Tokens) == 0 })
	for _, l := range asked {
		var err error
		switch l {
		case Entities:
			err = c.entities(ctx, &doc, r)
		case Dependencies:
			err = c.dependencies(ctx, &doc, r)
		case Coreference:
			err = c.coreference(ctx, &doc, r)
		case Discourse:
			err = c.discourse(ctx, &doc, r)
		case Tokens: // are there
		}
		if err != nil {
			if fault.KindOf(err) == fault.Schema {
				err = fault.New(fault.BadReply, "%s: %v", l, err)
			}
			return Document{}, err
		}
	}
	return doc, nil
}

// ask asks for a layer of the sentences from first on.
func ask[T any](ctx context.Context, c *chat, l Layer, r Request, doc *Document, first, end int, check func(T) error) (T, error) {
	var b strings.Builder
	if l == Coreference && len(r.Known) > 0 {
		b.WriteString("Known:\n")
		for _, k := range r.Known {
			b.WriteString(k.line())
		}
		b.WriteString("\n")
	}
	b.WriteString("Sentences:\n")
	for i := first; i < end; i++ {
		s := doc.Sentences[i]
		u := r.Utterances[s.Utterance]
		fmt.Fprintf(&b, "%d. %s:", i-first+1, strings.Join(strings.Fields(u.Speaker), " "))
		for k, t := range s.Tokens {
			switch {
			case l == Dependencies:
				fmt.Fprintf(&b, " %s[%d]", t.Text, k+1)
			case k == 0 || s.Tokens[k-1].End < t.Start:
				b.WriteString(" " + t.Text)
			default:
				b.WriteString(t.Text)
			}
		}
		b.WriteByte('\n')
	}
	prompt, format := chatPrompt(l)
	v, _, err := llm.CheckedJSON(ctx, c.generator, llm.Request{
		Role:     RoleAnnotate,
		Messages: []llm.Message{{Role: llm.System, Content: prompt}, {Role: llm.User, Content: b.String()}},
		Params:   llm.Params{Temperature: new(0.0)},
		Format:   format,
		Prefix:   len(prompt),
	}, check)
	return v, err
}

// line describes what is known to a model.
func (k Known) line() string {
	parts := []string{k.ID + ": " + strings.Join(strings.Fields(k.Name), " ")}
	if k.Type != "" {
		parts = append(parts, k.Type)
	}
	if k.Speaker {
		parts = append(parts, "a speaker")
	}
	for _, a := range slices.Concat(k.Aliases, k.Heads) {
		parts = append(parts, strings.Join(strings.Fields(a), " "))
	}
	return strings.Join(parts, "; ") + "\n"
}

// The replies.
type (
	chatEntities struct {
		Entities []struct {
			Sentence int    `json:"sentence"`
			Quote    string `json:"quote"`
			Type     string `json:"type"`
		} `json:"entities"`
	}
	chatTrees struct {
		Words []struct {
			Sentence int    `json:"sentence"`
			Word     int    `json:"word"`
			Head     int    `json:"head"`
			Label    string `json:"label"`
		} `json:"words"`
	}
	chatClusters struct {
		Entities []struct {
			Known    string `json:"known"`
			Name     string `json:"name"`
			Type     string `json:"type"`
			Gender   string `json:"gender"`
			Plural   bool   `json:"plural"`
			Mentions []struct {
				Sentence int    `json:"sentence"`
				Quote    string `json:"quote"`
				Kind     string `json:"kind"`
			} `json:"mentions"`
		} `json:"entities"`
	}
	chatRelations struct {
		Relations []struct {
			From  int    `json:"from"`
			To    int    `json:"to"`
			Sense string `json:"sense"`
			Cue   string `json:"cue"`
		} `json:"relations"`
	}
)

func (c *chat) entities(ctx context.Context, doc *Document, r Request) error {
	found := make([][]Entity, len(doc.Sentences))
	_, err := ask(ctx, c, Entities, r, doc, 0, len(doc.Sentences), func(v chatEntities) error {
		clear(found)
		q := newQuotes(doc)
		for _, e := range v.Entities {
			span, err := q.find(e.Sentence, e.Quote)
			if err != nil {
				return err
			}
			found[e.Sentence-1] = append(found[e.Sentence-1], Entity{span, e.Type})
		}
		for i := range found {
			slices.SortFunc(found[i], func(a, b Entity) int { return a.Start - b.Start })
			for k := 1; k < len(found[i]); k++ {
				if found[i][k].Start < found[i][k-1].End {
					return fmt.Errorf("two entities of sentence %d overlap", i+1)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range found {
		doc.Sentences[i].Entities = found[i]
	}
	return nil
}

func (c *chat) dependencies(ctx context.Context, doc *Document, r Request) error {
	for first := 0; first < len(doc.Sentences); first += parsedAtOnce {
		end := min(first+parsedAtOnce, len(doc.Sentences))
		found := make([][]Dependency, end-first)
		_, err := ask(ctx, c, Dependencies, r, doc, first, end, func(v chatTrees) error {
			clear(found)
			for _, w := range v.Words {
				if w.Sentence < 1 || w.Sentence > len(found) {
					return fmt.Errorf("there is no sentence %d", w.Sentence)
				}
				n := len(doc.Sentences[first+w.Sentence-1].Tokens)
				if w.Word < 1 || w.Word > n || w.Head < 0 || w.Head > n || w.Head == w.Word {
					return fmt.Errorf("word %d of sentence %d has the head %d; the sentence has %d words", w.Word, w.Sentence, w.Head, n)
				}
				found[w.Sentence-1] = append(found[w.Sentence-1], Dependency{w.Head - 1, w.Word - 1, strings.ToLower(w.Label)})
			}
			for i, deps := range found {
				slices.SortFunc(deps, func(a, b Dependency) int { return a.Dependent - b.Dependent })
				for k := 1; k < len(deps); k++ {
					if deps[k].Dependent == deps[k-1].Dependent {
						return fmt.Errorf("word %d of sentence %d has two heads", deps[k].Dependent+1, i+1)
					}
				}
			}
			return nil
		})
		if err != nil && fault.KindOf(err) != fault.Schema {
			return err
		}
		for i := range found {
			s := &doc.Sentences[first+i]
			if err == nil {
				s.Dependencies = found[i]
			}
			s.Unparsed = len(s.Dependencies) == 0
		}
	}
	return nil
}

func (c *chat) coreference(ctx context.Context, doc *Document, r Request) error {
	var clusters []Cluster
	_, err := ask(ctx, c, Coreference, r, doc, 0, len(doc.Sentences), func(v chatClusters) error {
		clusters = nil
		fresh := Fresh(r.Known)
		seen := make(map[string]bool)
		q := newQuotes(doc)
		for _, e := range v.Entities {
			known := slices.IndexFunc(r.Known, func(k Known) bool { return k.ID == e.Known })
			c := Cluster{ID: e.Known, Name: e.Name, Type: e.Type, Gender: Gender(e.Gender), Plural: e.Plural}
			switch {
			case e.Known == "":
				c.ID = "E" + strconv.Itoa(fresh)
				fresh++
			case known < 0:
				return fmt.Errorf("%q is none of the known entities", e.Known)
			case seen[e.Known]:
				return fmt.Errorf("%s is listed twice", e.Known)
			default:
				c.Speaker = r.Known[known].Speaker
			}
			seen[e.Known] = true
			for _, m := range e.Mentions {
				span, err := q.find(m.Sentence, m.Quote)
				if err != nil {
					return err
				}
				c.Mentions = append(c.Mentions, Mention{m.Sentence - 1, span, MentionKind(m.Kind)})
			}
			slices.SortFunc(c.Mentions, Mention.compare)
			clusters = append(clusters, c)
		}
		return nil
	})
	for i := range clusters {
		if slices.ContainsFunc(r.Utterances, func(u Utterance) bool { return u.Speaker == clusters[i].Name }) {
			clusters[i].Speaker = true
		}
	}
	doc.Clusters = clusters
	return err
}

func (c *chat) discourse(ctx context.Context, doc *Document, r Request) error {
	_, err := ask(ctx, c, Discourse, r, doc, 0, len(doc.Sentences), func(v chatRelations) error {
		doc.Relations = nil
		for _, rel := range v.Relations {
			if rel.From < 0 || rel.From > len(doc.Sentences) || rel.To < 1 || rel.To > len(doc.Sentences) || rel.From > rel.To {
				return fmt.Errorf("a relation from sentence %d to %d; there are %d, and the first argument comes first", rel.From, rel.To, len(doc.Sentences))
			}
			doc.Relations = append(doc.Relations, Relation{rel.From - 1, rel.To - 1, rel.Sense, rel.Cue})
		}
		return nil
	})
	return err
}

package calls

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/annotate"
	"recallbench/internal/door/embed"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/nli"
)

// A door is what the recorded doors have in common.
type door struct {
	*Recorder
	id  identity
	err error // why the identity has no key
}

func (r *Recorder) door(id Identity) *door {
	full, err := newIdentity(id)
	return &door{r, full, err}
}

// bypassed reports whether a door stays as it is: where nothing is recorded, and where it is
// missing, unless recordings replace it.
func (r *Recorder) bypassed(missing bool) bool { return r.mode == Off || missing && r.mode != Replay }

// askList answers a request of a list, whose items are calls of their own. Call asks the
// inner door for the items that are not recorded, and makes their replies; an error of it is
// one of the reply.
func askList[T any](ctx context.Context, d *door, list []T, of func(identity, T) *Call, call func(context.Context, []T) ([]Reply, error)) ([]*item, error) {
	if d.err != nil {
		return nil, fault.New(fault.Rejected, "%v", d.err)
	}
	items := make([]*item, len(list))
	for i, asked := range list {
		c := of(d.id, asked)
		key, err := c.key(d.id)
		if err != nil {
			return nil, fault.New(fault.Rejected, "a request that cannot be recorded: %v", err)
		}
		items[i] = &item{index: i, call: c, key: key}
	}
	b := batch{d, func(ctx context.Context, some []*item) ([]Reply, error) {
		return call(ctx, lists.Map(some, func(it *item) T { return list[it.index] }))
	}}
	return items, b.answer(ctx, items)
}

// Generator wraps a generator; in the mode [Replay] g may be nil, in the others
// a nil door stays nil.
func (r *Recorder) Generator(id Identity, g llm.Generator) llm.Generator {
	if r.bypassed(g == nil) {
		return g
	}
	d := r.door(id)
	return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		items, err := askList(ctx, d, []llm.Request{r}, chat, func(ctx context.Context, _ []llm.Request) ([]Reply, error) {
			reply, err := g.Generate(ctx, r)
			return []Reply{{Chat: reply}}, err
		})
		if err != nil {
			return llm.Reply{}, err
		}
		reply := items[0].answer.Chat
		reply.Reused, reply.Recorded = items[0].reused, items[0].answer.Time
		if whole(reply) {
			reply.Call = items[0].key.ID()
		}
		return reply, nil
	})
}

// StandIn wraps the generator of the stand-in: if [Recorder.RecordStandIn] is
// set and the mode writes, each call is recorded, for transcripts. Recordings
// never answer in its place, and replies have no recording date.
func (r *Recorder) StandIn(id Identity, g llm.Generator) llm.Generator {
	if r == nil || !r.standIn || r.mode == Off || r.mode == Replay {
		return g
	}
	recorded := newRecorder(r.store, Record).Generator(id, g)
	return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		reply, err := recorded.Generate(ctx, r)
		reply.Reused, reply.Recorded = false, time.Time{}
		return reply, err
	})
}

// whole reports whether a reply is one to be recorded. A client makes an error
// of one that was cut off; of replies there are those without text that call no
// tool either, and those that a filter ended.
func whole(r llm.Reply) bool { return r.Written() != "" && r.Finish != "content_filter" }

// Embedder wraps an embedder; in the mode [Replay] e may be nil, in the others
// a nil door stays nil. Each text is a recording of its own, so that a text is
// paid for once, whatever texts it is embedded with.
//
// The tokens of a call are distributed over its texts in proportion to their
// length in bytes. A vector that is not as long as the others of its identity
// is an error; dim is the length that is asked for, or 0.
func (r *Recorder) Embedder(id Identity, dim int, e embed.Embedder) embed.Embedder {
	if r.bypassed(e == nil) {
		return e
	}
	rec := &embedder{door: r.door(id), inner: e}
	if dim == 0 && r.mode != Record {
		dim = r.store.dimension(rec.id)
	}
	rec.dim.Store(int64(dim))
	return rec
}

// An embedder is a recorded embed.Embedder.
type embedder struct {
	*door
	inner embed.Embedder
	dim   atomic.Int64 // of all vectors; 0 while it is not known
}

// Dim implements embed.Embedder.
func (e *embedder) Dim() int { return int(e.dim.Load()) }

// Embed implements embed.Embedder.
func (e *embedder) Embed(ctx context.Context, r embed.Request) (reply embed.Reply, err error) {
	of := func(id identity, text string) *Call { return embedding(id, r.Kind, text) }
	items, err := askList(ctx, e.door, r.Texts, of, func(ctx context.Context, texts []string) ([]Reply, error) {
		reply, err := e.inner.Embed(ctx, embed.Request{Kind: r.Kind, Texts: texts})
		if err != nil {
			return nil, err
		}
		return e.replies(reply, texts)
	})
	if err != nil {
		return embed.Reply{}, err
	}
	for _, it := range items {
		if err := e.check(it.answer.Vector); err != nil {
			return embed.Reply{}, err
		}
		reply.Vectors = append(reply.Vectors, it.answer.Vector)
		reply.Tokens += it.answer.Tokens
		if it.reused {
			reply.Reused++
			reply.ReusedTokens += it.answer.Tokens
		}
	}
	return reply, nil
}

// replies returns what is recorded of each text.
func (e *embedder) replies(reply embed.Reply, texts []string) ([]Reply, error) {
	if len(reply.Vectors) != len(texts) {
		return nil, fault.New(fault.BadReply, "%d vectors for %d texts", len(reply.Vectors), len(texts))
	}
	replies := make([]Reply, len(texts))
	for i, tokens := range share(reply.Tokens, texts) {
		if err := e.check(reply.Vectors[i]); err != nil {
			return nil, err
		}
		replies[i] = Reply{Vector: reply.Vectors[i], Tokens: tokens}
	}
	return replies, nil
}

// check checks a vector; the first sets the length of the others.
func (e *embedder) check(v []float32) error {
	if len(v) == 0 {
		return fault.New(fault.BadReply, "a vector of %s without elements", e.id.Model)
	}
	if !e.dim.CompareAndSwap(0, int64(len(v))) && e.Dim() != len(v) {
		return fault.New(fault.BadReply, "a vector of %s has dimension %d, want %d", e.id.Model, len(v), e.Dim())
	}
	for i, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return fault.New(fault.BadReply, "element %d of a vector of %s is %v", i, e.id.Model, x)
		}
	}
	return nil
}

// share shares out tokens over texts in proportion to their length in bytes, so that the
// sum stays.
func share(tokens int, texts []string) []int {
	shares := make([]int, len(texts))
	left := 0 // bytes
	for _, t := range texts {
		left += len(t)
	}
	for i, t := range texts {
		shares[i] = tokens
		if left > 0 {
			shares[i] = (tokens*len(t) + left/2) / left
		}
		tokens, left = tokens-shares[i], left-len(t)
	}
	return shares
}

// Scorer wraps an entailment scorer; in the mode [Replay] s may be nil, in the
// others a nil door stays nil. Each pair is a recording of its own.
func (r *Recorder) Scorer(id Identity, s nli.Scorer) nli.Scorer {
	if r.bypassed(s == nil) {
		return s
	}
	d := r.door(id)
	return nli.ScorerFunc(func(ctx context.Context, pairs []nli.Pair) ([]float64, error) {
		items, err := askList(ctx, d, pairs, entailment, func(ctx context.Context, pairs []nli.Pair) ([]Reply, error) {
			scores, err := s.Entail(ctx, pairs)
			if err != nil {
				return nil, err
			}
			if len(scores) != len(pairs) {
				return nil, fault.New(fault.BadReply, "%d scores for %d pairs", len(scores), len(pairs))
			}
			replies := make([]Reply, len(scores))
			for i, p := range scores {
				if !(0 <= p && p <= 1) {
					return nil, fault.New(fault.BadReply, "a score of %v, want a probability", p)
				}
				replies[i].Score = p
			}
			return replies, nil
		})
		if err != nil {
			return nil, err
		}
		return lists.Map(items, func(it *item) float64 { return it.answer.Score }), nil
	})
}

// Annotator wraps an annotator; in the mode [Replay] a may be nil, in the others a
// nil door stays nil. Each request is a recording. What does not fit it is an error.
func (r *Recorder) Annotator(id Identity, a annotate.Annotator) annotate.Annotator {
	if r.bypassed(a == nil) {
		return a
	}
	d := r.door(id)
	return annotate.AnnotatorFunc(func(ctx context.Context, r annotate.Request) (doc annotate.Document, err error) {
		if len(r.Utterances) == 0 {
			return doc, nil
		}
		items, err := askList(ctx, d, []annotate.Request{r}, annotation, func(ctx context.Context, _ []annotate.Request) ([]Reply, error) {
			doc, err := a.Annotate(ctx, r)
			if err == nil {
				err = misfit("", doc, r)
			}
			if err != nil {
				return nil, err
			}
			data, err := marshal(doc)
			return []Reply{{Annotation: data}}, err
		})
		if err != nil {
			return doc, err
		}
		what := "the recorded annotation " + annotation(d.id, r).describe(d.id) + ": "
		if err := json.Unmarshal(items[0].answer.Annotation, &doc); err != nil {
			return annotate.Document{}, fault.New(fault.BadReply, "%s%v", what, err)
		}
		if err := misfit(what, doc, r); err != nil {
			return annotate.Document{}, err
		}
		return doc, nil
	})
}

// misfit is the fault of a document that is none of a request.
func misfit(what string, doc annotate.Document, r annotate.Request) error {
	if err := doc.Check(r); err != nil {
		return fault.New(fault.BadReply, "%s%s", what, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return nil
}

// annotation returns the call that a request makes. Ids of utterances change no
// annotation.
func annotation(id identity, r annotate.Request) *Call {
	var layers []string
	for _, l := range annotate.Layers() {
		if slices.Contains(r.Layers, l) {
			layers = append(layers, string(l))
		}
	}
	c := &Call{Kind: Annotate, Identity: id.Identity, Texts: []Text{{"layers", cmp.Or(strings.Join(layers, ","), string(annotate.Tokens))}}}
	add := func(role string, v any) {
		data, _ := marshal(v) // texts and numbers have a form
		c.Texts = append(c.Texts, Text{role, string(data)})
	}
	for _, k := range r.Known {
		add("known", k)
	}
	for _, n := range r.Names {
		add("name", n)
	}
	for _, u := range r.Utterances {
		if u.Speaker != "" {
			c.Texts = append(c.Texts, Text{"speaker", u.Speaker})
		}
		c.Texts = append(c.Texts, Text{"text", u.Text})
	}
	return c
}

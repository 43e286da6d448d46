package calls

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"recallbench/internal/door/annotate"
	"recallbench/internal/door/fault"
)

// Annotator wraps an annotator; in the mode [Replay] a may be nil, in the others a
// door that is nil stays nil.
//
// A request is one recording. Only where nothing but tokens and dependencies is
// asked for, and nothing is known, each utterance has one of its own: a parser
// looks at no other. An annotation with a sentence at which the parser failed is
// not recorded, since that says nothing of the sentence.
func (r *Recorder) Annotator(id Identity, a annotate.Annotator) annotate.Annotator {
	if r.mode == Off || a == nil && r.mode != Replay {
		return a
	}
	return &annotator{r.door(id), a}
}

// An annotator is a recorded annotate.Annotator.
type annotator struct {
	door
	inner annotate.Annotator
}

// Annotate implements annotate.Annotator.
func (a *annotator) Annotate(ctx context.Context, r annotate.Request) (annotate.Document, error) {
	if len(r.Utterances) == 0 {
		return annotate.Document{}, nil
	}
	parts := []annotate.Request{r}
	if alone(r) {
		parts = nil
		for i := range r.Utterances {
			parts = append(parts, annotate.Request{Layers: r.Layers, Utterances: r.Utterances[i : i+1]})
		}
	}
	all := make([]*Call, len(parts))
	for i, p := range parts {
		var err error
		if all[i], err = annotation(a.id, p); err != nil {
			return annotate.Document{}, fault.New(fault.Rejected, "a request that cannot be recorded: %v", err)
		}
	}
	answers, _, err := a.do(ctx, all, func(ctx context.Context, items []int) ([]Reply, []bool, error) {
		some := make([]annotate.Request, len(items))
		for n, i := range items {
			some[n] = parts[i]
		}
		return a.call(ctx, some)
	})
	if err != nil {
		return annotate.Document{}, err
	}
	var whole annotate.Document
	for i, answer := range answers {
		var doc annotate.Document
		if err := json.Unmarshal(answer.Annotation, &doc); err != nil {
			return annotate.Document{}, fault.New(fault.BadReply, "the recorded annotation %s: %v", all[i].describe(a.id), err)
		}
		if err := doc.Check(parts[i]); err != nil {
			return annotate.Document{}, fault.New(fault.BadReply, "the recorded annotation %s: %s", all[i].describe(a.id), strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		if !alone(r) {
			return doc, nil
		}
		for _, s := range doc.Sentences {
			s.Utterance = i
			whole.Sentences = append(whole.Sentences, s)
		}
	}
	return whole, nil
}

// alone reports whether each utterance of a request is annotated by itself.
func alone(r annotate.Request) bool {
	return len(r.Known) == 0 && len(r.Names) == 0 && !slices.ContainsFunc(r.Layers, func(l annotate.Layer) bool {
		return l != annotate.Tokens && l != annotate.Dependencies
	})
}

// call annotates what is not recorded: one request, or utterances that are
// annotated by themselves, as one.
func (a *annotator) call(ctx context.Context, parts []annotate.Request) ([]Reply, []bool, error) {
	whole := parts[0]
	if len(parts) > 1 {
		whole.Utterances = nil
		for _, p := range parts {
			whole.Utterances = append(whole.Utterances, p.Utterances...)
		}
	}
	doc, err := a.inner.Annotate(ctx, whole)
	if err != nil {
		return nil, nil, err
	}
	if err := doc.Check(whole); err != nil {
		return nil, nil, fault.New(fault.BadReply, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	docs := []annotate.Document{doc}
	if len(parts) > 1 {
		docs = make([]annotate.Document, len(parts))
		for _, s := range doc.Sentences {
			i := s.Utterance
			s.Utterance = 0
			docs[i].Sentences = append(docs[i].Sentences, s)
		}
	}
	replies, keep := make([]Reply, len(parts)), make([]bool, len(parts))
	for i, d := range docs {
		keep[i] = !slices.ContainsFunc(d.Sentences, func(s annotate.Sentence) bool { return s.Failed })
		if replies[i].Annotation, err = marshal(d); err != nil {
			return nil, nil, err
		}
	}
	return replies, keep, nil
}

// annotation returns the call that a request makes. Ids of utterances change no
// annotation.
func annotation(id identity, r annotate.Request) (*Call, error) {
	var layers []string
	for _, l := range annotate.Layers() {
		if slices.Contains(r.Layers, l) {
			layers = append(layers, string(l))
		}
	}
	c := &Call{Kind: Annotate, Identity: id.Identity, Texts: []Text{{"layers", cmp.Or(strings.Join(layers, ","), string(annotate.Tokens))}}}
	add := func(role string, v any) error {
		data, err := marshal(v)
		c.Texts = append(c.Texts, Text{role, string(data)})
		return err
	}
	for _, k := range r.Known {
		if err := add("known", k); err != nil {
			return nil, err
		}
	}
	for _, n := range r.Names {
		if err := add("name", n); err != nil {
			return nil, err
		}
	}
	for _, u := range r.Utterances {
		if u.Speaker != "" {
			c.Texts = append(c.Texts, Text{"speaker", u.Speaker})
		}
		c.Texts = append(c.Texts, Text{"text", u.Text})
	}
	return c, nil
}

// Annotated is the first text of a call for annotation.
func (c *Call) Annotated() string {
	for _, t := range c.Texts {
		if t.Role == "text" {
			return t.Content
		}
	}
	return ""
}

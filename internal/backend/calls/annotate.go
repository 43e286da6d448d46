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
// nil door stays nil. Each request is a recording.
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
func (a *annotator) Annotate(ctx context.Context, r annotate.Request) (doc annotate.Document, err error) {
	if len(r.Utterances) == 0 {
		return doc, nil
	}
	call, err := annotation(a.id, r)
	if err != nil {
		return doc, fault.New(fault.Rejected, "a request that cannot be recorded: %v", err)
	}
	check := func(what string) error {
		if err := doc.Check(r); err != nil {
			return fault.New(fault.BadReply, "%s%s", what, strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		return nil
	}
	answers, _, err := a.do(ctx, []*Call{call}, func(ctx context.Context, _ []int) ([]Reply, []bool, error) {
		if doc, err = a.inner.Annotate(ctx, r); err != nil {
			return nil, nil, err
		}
		if err := check(""); err != nil {
			return nil, nil, err
		}
		data, err := marshal(doc)
		return []Reply{{Annotation: data}}, []bool{true}, err
	})
	if err != nil {
		return annotate.Document{}, err
	}
	doc = annotate.Document{}
	if err := json.Unmarshal(answers[0].Annotation, &doc); err != nil {
		return annotate.Document{}, fault.New(fault.BadReply, "the recorded annotation %s: %v", call.describe(a.id), err)
	}
	if err := check("the recorded annotation " + call.describe(a.id) + ": "); err != nil {
		return annotate.Document{}, err
	}
	return doc, nil
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

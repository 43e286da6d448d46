package annotators

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"

	"recallbench/internal/door/annotate"
)

// A composite has each layer from its backend.
type composite struct {
	by       map[annotate.Layer]Backend
	backends map[Backend]annotate.Annotator
	closers  []func() error
	log      *slog.Logger
	dropped  atomic.Int64 // mentions, entities, dependencies and relations that align with no token
	kept     atomic.Int64
}

// Annotate implements [annotate.Annotator]. Each backend is asked once for those
// of its layers that are asked for, that of the tokens always.
func (c *composite) Annotate(ctx context.Context, r annotate.Request) (annotate.Document, error) {
	base := c.by[annotate.Tokens]
	asked := make(map[Backend][]annotate.Layer)
	for _, l := range annotate.Layers() {
		if slices.Contains(r.Layers, l) && l != annotate.Tokens {
			b, ok := c.by[l]
			if !ok {
				return annotate.Document{}, fmt.Errorf("no backend for the layer %q", l)
			}
			asked[b] = append(asked[b], l)
		}
	}
	own := r
	own.Layers = append([]annotate.Layer{annotate.Tokens}, asked[base]...)
	doc, err := c.backends[base].Annotate(ctx, own)
	if err != nil {
		return annotate.Document{}, fmt.Errorf("%s: %w", base, err)
	}
	for _, b := range []Backend{Rules, LinkGrammar, CoreNLP, LLM} {
		layers := asked[b]
		if b == base || len(layers) == 0 {
			continue
		}
		other := r
		other.Layers = layers
		a := newAligner(&doc, other.Utterances)
		if b == LinkGrammar {
			other, a = a.sentences(other)
		}
		from, err := c.backends[b].Annotate(ctx, other)
		if err != nil {
			return annotate.Document{}, fmt.Errorf("%s: %w", b, err)
		}
		kept, dropped := a.carry(from, layers)
		c.kept.Add(int64(kept))
		c.dropped.Add(int64(dropped))
	}
	return doc, nil
}

// close ends what was started, and says what was left out.
func (c *composite) close() error {
	if n := c.dropped.Load(); n > 0 && c.log != nil {
		c.log.Info("annotations that align with no token of the tokens layer were left out", "left_out", n, "carried_over", c.kept.Load())
	}
	var faults []error
	for _, f := range c.closers {
		faults = append(faults, f())
	}
	c.closers = nil
	return errors.Join(faults...)
}

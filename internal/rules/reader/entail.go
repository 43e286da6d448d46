package reader

import (
	"context"
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"recallbench/internal/door/nli"
	"recallbench/internal/engine/semxpath"
)

//go:embed concepts.txt
var conceptText string

// everyday is the lexicon of everyday English. It is read when it is first
// needed, because most commands need none.
var everyday = sync.OnceValues(func() (*lexicon, error) { return readLexicon("concepts.txt", conceptText) })

// EntailmentName names the scorer with its lexicon, so that a result tells when
// the words have changed.
func EntailmentName() string {
	return "concepts-" + strconv.FormatUint(hash(conceptText)>>32, 16)
}

// An Entailer scores how far a text meets a condition by rules of English:
// literal mentions, synonyms, and the concepts of a lexicon. It implements
// [nli.Scorer] and is safe for concurrent use.
//
// docs/offline.md has the formula.
type Entailer struct {
	lexicon *lexicon
	forms   *forms

	mu         sync.RWMutex
	young, old map[string]*premise
	bytes      int // of the texts in young
	conditions map[string]*condition
}

// pairsTogether is how many pairs are scored one after another. More are shared
// out among the processors.
const pairsTogether = 512

// maxConditions bounds the analysed conditions that are kept.
const maxConditions = 4096

// NewEntailer returns an Entailer with empty caches.
func NewEntailer() (*Entailer, error) {
	l, err := everyday()
	if err != nil {
		return nil, err
	}
	return &Entailer{
		lexicon:    l,
		forms:      newForms(),
		young:      make(map[string]*premise),
		conditions: make(map[string]*condition),
	}, nil
}

// Entail implements [nli.Scorer]: how far each premise meets the condition that
// its hypothesis states, in [0, 1]. It is a heuristic score, not a probability.
func (e *Entailer) Entail(ctx context.Context, pairs []nli.Pair) ([]float64, error) {
	scores := make([]float64, len(pairs))
	var group sync.WaitGroup
	for start := 0; start < len(pairs); start += pairsTogether {
		end := min(start+pairsTogether, len(pairs))
		group.Go(func() {
			if ctx.Err() != nil {
				return
			}
			for i, p := range pairs[start:end] {
				scores[start+i] = e.condition(unframed(p.Hypothesis)).score(e.lexicon, e.premise(p.Premise))
			}
		})
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return scores, nil
}

// Score implements [semxpath.Scorer]: it is what the rules for structured
// memories judge nodes by.
func (e *Entailer) Score(ctx context.Context, pairs []semxpath.Pair) ([]float64, error) {
	scores := make([]float64, len(pairs))
	for i, p := range pairs {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		scores[i] = e.condition(p.Condition).score(e.lexicon, e.premise(p.Text))
	}
	return scores, nil
}

// premise returns the analysis of a text. Two analyses of a text are equal, so
// it does not matter whose is kept.
func (e *Entailer) premise(text string) *premise {
	if len(text) > maxLine {
		text = text[:maxLine]
	}
	e.mu.RLock()
	p, ok := e.young[text]
	if !ok {
		p, ok = e.old[text]
	}
	e.mu.RUnlock()
	if ok {
		return p
	}
	p = e.analyse(text)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.bytes+len(text) > cacheBytes {
		e.old, e.young, e.bytes = e.young, make(map[string]*premise), 0
	}
	e.young[strings.Clone(text)] = p
	e.bytes += len(text)
	return p
}

// condition returns the analysis of a condition.
func (e *Entailer) condition(text string) *condition {
	if len(text) > maxLine {
		text = text[:maxLine]
	}
	e.mu.RLock()
	c, ok := e.conditions[text]
	e.mu.RUnlock()
	if ok {
		return c
	}
	c = e.parseCondition(text)
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.conditions) >= maxConditions {
		clear(e.conditions)
	}
	e.conditions[strings.Clone(text)] = c
	return c
}

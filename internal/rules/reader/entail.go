package reader

import (
	"context"
	_ "embed"
	"strconv"
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
	lexicon    *lexicon
	premises   memo[string, *premise]
	conditions memo[string, *condition]
	forms      memo[string, form]
}

// NewEntailer returns an Entailer that has read nothing.
func NewEntailer() (*Entailer, error) {
	l, err := everyday()
	return &Entailer{lexicon: l}, err
}

// Entail implements [nli.Scorer]: how far each premise meets the condition that
// its hypothesis states, in [0, 1]. It is a heuristic score, not a probability.
func (e *Entailer) Entail(ctx context.Context, pairs []nli.Pair) ([]float64, error) {
	states := make([]semxpath.Pair, len(pairs))
	for i, p := range pairs {
		states[i] = semxpath.Pair{Text: p.Premise, Condition: unframed(p.Hypothesis)}
	}
	return e.Score(ctx, states)
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

// premise returns the analysis of a text.
func (e *Entailer) premise(text string) *premise {
	text = text[:min(len(text), maxLine)]
	return e.premises.of(text, len(text), func() *premise { return e.analyse(text) })
}

// condition returns the analysis of a condition.
func (e *Entailer) condition(text string) *condition {
	text = text[:min(len(text), maxLine)]
	return e.conditions.of(text, len(text), func() *condition { return e.parseCondition(text) })
}

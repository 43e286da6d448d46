package tree

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"recallbench/internal/door/llm"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/treetask"
)

// Rules answers the tasks of structured memories. It is safe for concurrent
// use where its scorer is.
type Rules struct {
	scorer semxpath.Scorer
}

// New returns rules that score conditions in words with a scorer; nil counts
// shared words.
func New(scorer semxpath.Scorer) *Rules { return &Rules{scorer} }

// Kinds lists the kinds of tasks that there are rules for.
func Kinds() []string {
	return []string{
		treetask.ResolveTask{}.Kind(), treetask.QueryTask{}.Kind(), treetask.HandleTask{}.Kind(),
		treetask.MemoryTask{}.Kind(), llm.ScoreTask{}.Kind(),
	}
}

// Reply answers a task: JSON of the reply that
// the task names, or the bare query of an [treetask.QueryTask]. The notes say which
// rules were at work. ok is false for tasks of other kinds.
func (r *Rules) Reply(ctx context.Context, task llm.Task) (text string, notes []string, ok bool, err error) {
	switch t := task.(type) {
	case treetask.ResolveTask:
		reply, notes := resolve(t)
		return encode(reply, notes)
	case treetask.QueryTask:
		reply, notes := query(t)
		return reply, notes, true, nil
	case treetask.HandleTask:
		reply, notes := r.handle(ctx, t)
		return encode(reply, notes)
	case treetask.MemoryTask:
		reply, notes, err := r.memory(ctx, t)
		if err != nil {
			return "", nil, true, err
		}
		return encode(reply, notes)
	case llm.ScoreTask:
		scores, err := r.relevance(ctx, t.Texts, t.Condition)
		if err != nil {
			return "", nil, true, err
		}
		return encode(llm.Scores{Scores: scores}, nil)
	}
	return "", nil, false, nil
}

func encode(v any, notes []string) (string, []string, bool, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", nil, true, fmt.Errorf("encode the reply: %w", err)
	}
	return string(data), notes, true, nil
}

// relevance scores texts against a condition.
func (r *Rules) relevance(ctx context.Context, texts []string, condition string) ([]float64, error) {
	scores := make([]float64, len(texts))
	if r.scorer != nil {
		pairs := make([]semxpath.Pair, len(texts))
		for i, t := range texts {
			pairs[i] = semxpath.Pair{Text: t, Condition: condition}
		}
		got, err := r.scorer.Score(ctx, pairs)
		if err != nil {
			return nil, err
		}
		if len(got) != len(texts) {
			return nil, fmt.Errorf("the scorer gave %d scores for %d texts", len(got), len(texts))
		}
		return got, nil
	}
	for i, t := range texts {
		scores[i] = overlap(t, condition)
	}
	return scores, nil
}

// overlap is the share of the content words of a condition that a text has.
func overlap(text, condition string) float64 {
	have := stemsOf(strings.ToValidUTF8(text, " "))
	n, hit := 0, 0
	for _, w := range scan(condition) {
		if content(w) {
			n++
			if have[w.stem] {
				hit++
			}
		}
	}
	if n == 0 {
		return 0
	}
	return float64(hit) / float64(n)
}

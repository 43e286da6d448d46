package memory

import (
	"context"
	"encoding/json"
	"fmt"

	"recallbench/internal/door/llm"
)

// Rules answers the tasks by which memories are built. It is safe for
// concurrent use where its analyser is.
type Rules struct {
	analyser Analyser
}

// New returns rules that read texts with an analyser.
func New(a Analyser) *Rules { return &Rules{a} }

// Kinds lists the kinds of tasks that there are rules for.
func Kinds() []string {
	return []string{
		llm.BoundaryTask{}.Kind(), llm.SegmentsTask{}.Kind(), llm.EpisodeTask{}.Kind(), llm.PredictTask{}.Kind(),
		llm.StatementsTask{}.Kind(), llm.SummaryTask{}.Kind(),
		llm.NoteTask{}.Kind(), llm.EvolveTask{}.Kind(), llm.KeywordsTask{}.Kind(),
		llm.ThemesTask{}.Kind(), llm.PortraitTask{}.Kind(),
		llm.FactsTask{}.Kind(), llm.ReviseTask{}.Kind(),
	}
}

// Reply answers a task: JSON of the reply that
// the task names, or plain text where it asks for that. The notes say which
// rules were at work. ok is false for tasks of other kinds.
func (r *Rules) Reply(ctx context.Context, task llm.Task) (text string, notes []string, ok bool, err error) {
	switch t := task.(type) {
	case llm.BoundaryTask:
		b, err := r.boundary(t)
		return encode(b, []string{b.Why}, err)
	case llm.SegmentsTask:
		s, err := r.segments(t)
		return encode(s, []string{"cut where a message begins something new"}, err)
	case llm.EpisodeTask:
		e, notes, err := r.episode(ctx, t)
		return encode(e, notes, err)
	case llm.PredictTask:
		return predict(t), []string{"what is known, restated"}, true, nil
	case llm.StatementsTask:
		s, notes, err := r.statements(ctx, t)
		return encode(s, notes, err)
	case llm.SummaryTask:
		text, notes, err := r.summary(ctx, t)
		return text, notes, true, err
	case llm.NoteTask:
		n, err := r.note(t)
		return encode(n, []string{"the first words that inform, and the first sentence"}, err)
	case llm.EvolveTask:
		return encode(evolve(t).Of(t.Step), []string{"linked with the notes that are close"}, nil)
	case llm.KeywordsTask:
		k, err := r.keywords(t)
		return encode(k, []string{"the words that inform"}, err)
	case llm.ThemesTask:
		themes, err := r.themes(ctx, t)
		return encode(themes, []string{"one theme, named by the commonest phrases"}, err)
	case llm.PortraitTask:
		p, notes, err := r.portrait(ctx, t)
		return encode(p, notes, err)
	case llm.FactsTask:
		f, notes, err := r.facts(ctx, t)
		return encode(f, notes, err)
	case llm.ReviseTask:
		v, notes, err := r.revise(t)
		return encode(v, notes, err)
	}
	return "", nil, false, nil
}

func encode(v any, notes []string, err error) (string, []string, bool, error) {
	if err != nil {
		return "", nil, true, err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return "", nil, true, fmt.Errorf("encode the reply: %w", err)
	}
	return string(data), notes, true, nil
}

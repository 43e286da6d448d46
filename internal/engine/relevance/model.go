package relevance

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/sourcegraph/conc/pool"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
	"recallbench/internal/engine/semxpath"
)

//go:embed prompts
var files embed.FS

// Prompts returns the template "score" of [Model]. A method that offers that
// scorer has it among its prompts.
func Prompts() prompt.Texts {
	return prompt.Embedded(files)
}

// RoleScore is the role of the calls of [Model].
const RoleScore = "scorer"

// callsAtOnce is how many calls [Model] has in flight. Rate limits apply below
// it.
const callsAtOnce = 8

// scorePrompt is the name of the template.
const scorePrompt = "score"

// scoreData is what the template is rendered with.
type scoreData struct {
	Condition string
	Texts     []numberedText
}

type numberedText struct {
	Number int
	Text   string
}

// Model scores by asking a language model how well texts meet a condition, up to
// batch texts at a time for each condition. It fails if the model entry has no
// language model or the prompt does not render. A reply without a score for each text
// is asked for once more, see [llm.JSON].
func Model(g llm.Generator, prompts *prompt.Set, batch int) (semxpath.Scorer, error) {
	if g == nil {
		return nil, errors.New("the model entry has no language model, which the scorer needs")
	}
	m := &model{g, prompts, batch}
	if _, err := m.request("condition", []string{"text"}); err != nil {
		return nil, err
	}
	return m, nil
}

type model struct {
	generator llm.Generator
	prompts   *prompt.Set
	batch     int
}

// Score implements [semxpath.Scorer]. The first call that fails ends it.
func (m *model) Score(ctx context.Context, pairs []semxpath.Pair) ([]float64, error) {
	scores := make([]float64, len(pairs))
	p := pool.New().WithMaxGoroutines(callsAtOnce).WithContext(ctx).WithCancelOnError().WithFirstError()
	for _, condition := range values(pairs, conditionOf) {
		var of []int
		for i, pair := range pairs {
			if pair.Condition == condition {
				of = append(of, i)
			}
		}
		for batch := range slices.Chunk(of, m.batch) {
			p.Go(func(ctx context.Context) error { return m.ask(ctx, condition, pairs, batch, scores) })
		}
	}
	if err := p.Wait(); err != nil {
		return nil, fmt.Errorf("relevance: %w", err)
	}
	return scores, nil
}

// ask scores the texts of some pairs of one condition.
func (m *model) ask(ctx context.Context, condition string, pairs []semxpath.Pair, batch []int, scores []float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	texts := lists.Map(batch, func(j int) string { return pairs[j].Text })
	request, err := m.request(condition, texts)
	if err != nil {
		return err
	}
	reply, _, err := llm.JSON[scored](ctx, m.generator, request)
	if err != nil {
		return fmt.Errorf("scores of %d texts for %q: %w", len(texts), condition, err)
	}
	for i, j := range batch {
		scores[j] = reply.Scores[i]
	}
	return nil
}

func (m *model) request(condition string, texts []string) (llm.Request, error) {
	data := scoreData{Condition: condition}
	for i, t := range texts {
		data.Texts = append(data.Texts, numberedText{i + 1, t})
	}
	messages, err := m.prompts.Render(scorePrompt, data)
	if err != nil {
		return llm.Request{}, err
	}
	const schema = `{"type": "object", "properties": {"scores": {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 1}, "minItems": %[1]d, "maxItems": %[1]d}}, "required": ["scores"], "additionalProperties": false}`
	return llm.Request{
		Role:     RoleScore,
		Messages: messages,
		Params:   llm.Params{Temperature: new(0.0)},
		Format:   &llm.Format{Name: "scores", Schema: json.RawMessage(fmt.Sprintf(schema, len(texts)))},
	}, nil
}

// scored is the reply: one for each text in order, in [0, 1].
type scored struct {
	Scores []float64 `json:"scores"`
}

// Package judge asks a language model whether answers are right.
//
// Everything that it shows the model, question, gold and answer, is text of
// others and may hold orders to a judge. Templates get such texts as JSON
// strings, which nothing inside can end, and the built-in one says what stands
// in them is material. A reply has to fit a schema.
package judge

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
)

//go:embed judge.tmpl
var files embed.FS

const (
	// Role is the role of a judge's calls.
	Role = "judge"
	// Prompt is the path of the template in a folder of a user's own prompts.
	Prompt = "judge/judge.tmpl"
	// name is that of the folder, and of the template.
	name = "judge"
	// maxTokens bounds a reply: a reason of one sentence and a verdict.
	maxTokens = 512
)

// A Judge asks one model with one prompt. It is safe for concurrent use.
type Judge struct {
	model   llm.Generator
	prompts *prompt.Set
}

// New returns a judge. Override is a folder that may hold [Prompt] in place of
// the built-in template; nil for none. A prompt that does not render, or that
// shows the model no answer, is an error.
func New(g llm.Generator, override fs.FS) (*Judge, error) {
	if g == nil {
		return nil, errors.New("the model entry brings no language model, which a judge needs")
	}
	prompts, err := prompt.Load(name, files, override)
	if err != nil {
		return nil, err
	}
	j := &Judge{g, prompts}
	const question, answer = "which question", "which answer"
	r, err := j.request(llm.JudgeTask{
		Question: question, Gold: "gold", Must: [][]string{{"one", "another"}}, Not: []string{"not"}, Answer: answer,
	})
	if err != nil {
		return nil, err
	}
	var shown strings.Builder
	for _, m := range r.Messages {
		shown.WriteString(m.Content)
	}
	if !strings.Contains(shown.String(), question) || !strings.Contains(shown.String(), answer) {
		return nil, fmt.Errorf("prompts: %s shows the model not both {{.Question}} and {{.Answer}}", Prompt)
	}
	return j, nil
}

// Hash is the SHA-256 of the prompt, in hex.
func (j *Judge) Hash() string { return j.prompts.Hash() }

// Ask asks whether the answer of a task is right. A reply that does not fit is
// asked for once more, see [llm.JSON].
func (j *Judge) Ask(ctx context.Context, task llm.JudgeTask) (llm.Judgement, error) {
	r, err := j.request(task)
	if err != nil {
		return llm.Judgement{}, err
	}
	judgement, _, err := llm.JSON[llm.Judgement](ctx, j.model, r)
	return judgement, err
}

func (j *Judge) request(task llm.JudgeTask) (llm.Request, error) {
	messages, err := j.prompts.Render(name, show(task))
	if err != nil {
		return llm.Request{}, err
	}
	return llm.Request{
		Role:     Role,
		Messages: messages,
		Task:     task,
		Params:   llm.Params{Temperature: new(0.0), MaxTokens: maxTokens},
		Format:   &llm.Format{Name: "judgement", Schema: schema},
	}, nil
}

var schema = json.RawMessage(`{"type": "object", "properties": {"why": {"type": "string"}, "correct": {"type": "boolean"}}, "required": ["why", "correct"], "additionalProperties": false}`)

// shown is what the template is rendered with: the texts of a task, each as a
// JSON string, and Gold empty where there is none.
type shown struct {
	Question, Gold, Answer string
	Must, Not              []string // of Must, each with its wordings in one line
	Facts                  bool     // there is some Must or Not
}

func show(task llm.JudgeTask) shown {
	s := shown{Question: quoted(task.Question), Answer: quoted(task.Answer), Facts: len(task.Must)+len(task.Not) > 0}
	if task.Gold != "" {
		s.Gold = quoted(task.Gold)
	}
	for _, wordings := range task.Must {
		all := make([]string, len(wordings))
		for i, w := range wordings {
			all[i] = quoted(w)
		}
		s.Must = append(s.Must, strings.Join(all, " or "))
	}
	for _, text := range task.Not {
		s.Not = append(s.Not, quoted(text))
	}
	return s
}

// quoted writes a text as a JSON string in one line.
func quoted(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // for people, and models, to read
	if err := enc.Encode(text); err != nil {
		return `""` // not reached: every string encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

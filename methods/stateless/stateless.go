// Package stateless implements the baseline without a memory: the model sees
// only the question. It shows how much of a score needs no recall.
package stateless

import (
	"context"
	"embed"

	"recallbench/datasets"
	"recallbench/internal/door/prompt"
	"recallbench/methods"
	"recallbench/methods/internal/reader"
)

//go:embed prompts
var files embed.FS

// Spec describes the method.
var Spec = &methods.Spec{
	Name:    "stateless",
	Doc:     "answer from the question alone",
	Source:  "baseline of the Semantic Anchoring paper, section 4",
	Options: reader.Alone{Reader: reader.Defaults()},
	Ingests: methods.Anything,
	Prompts: prompt.Embedded(files),
	New:     newMethod,
}

func newMethod(env methods.Env, options any) (methods.Method, error) {
	r, err := reader.New(env, options.(reader.Alone).Reader)
	if err != nil {
		return nil, err
	}
	return method{r}, nil
}

type method struct{ reader reader.Reader }

func (m method) Build(context.Context, datasets.Sample) (methods.Memory, error) { return m, nil }

func (m method) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	return m.reader.Answer(ctx, r, reader.Context{}, nil)
}

package standin

import (
	"context"

	"recallbench/internal/backend"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
)

// NoneName is the name of the backend without a model.
const NoneName = "none"

// NoneSpec is the backend of runs that only retrieve: readers reply nothing, so answers
// are empty, and a method that calls a model for anything else fails. Embeddings and
// entailment are those of the stand-in.
var NoneSpec = &backend.Spec{
	Name:     NoneName,
	NoModel:  true,
	Doc:      "no model: methods retrieve, answers are empty, and other model calls fail",
	Options:  Spec.Options,
	Open:     opener(NoneName, llm.GeneratorFunc(silent)),
	Identity: identity,
	Check:    check,
	Records:  Spec.Records,
}

func silent(ctx context.Context, r llm.Request) (llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return llm.Reply{}, err
	}
	if r.Role != "reader" {
		return llm.Reply{}, &fault.Error{
			Kind: fault.NoModel, Message: "the method calls a model (" + r.Role + "), but the run has none",
			Remedy: "name a model with --model, or leave the method out",
		}
	}
	return llm.Reply{Finish: "stop", Model: NoneName}, nil
}

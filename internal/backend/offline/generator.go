package offline

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"recallbench/internal/door/llm"
	"recallbench/internal/rules/memory"
	"recallbench/internal/rules/reader"
	"recallbench/internal/rules/tree"
)

// A generator gives each task to the rules that know its kind.
type generator struct {
	reader   *reader.Reader
	trees    *tree.Rules
	memories *memory.Rules
}

// newGenerator returns a generator with empty caches. The rules for structured
// memories score conditions by entailment.
func newGenerator(e *reader.Entailer) *generator {
	a := reader.NewAnalyser()
	return &generator{reader: reader.New(a), trees: tree.New(e), memories: memory.New(a)}
}

// Generate implements [llm.Generator]. A task of a kind without rules is an
// error.
func (g *generator) Generate(ctx context.Context, req llm.Request) (llm.Reply, error) {
	if err := ctx.Err(); err != nil {
		return llm.Reply{}, err
	}
	task, err := pointed(req.Task)
	switch {
	case err != nil:
		return llm.Reply{}, fmt.Errorf("offline: the task of the %s request is nil, %w", req.Role, err)
	case task == nil:
		return llm.Reply{}, fmt.Errorf("offline: the %s request carries no task; the offline backend reads tasks, not messages", req.Role)
	}
	reply, known := g.reader.Reply(task)
	if !known {
		reply.Text, reply.Notes, known, err = g.trees.Reply(ctx, task)
	}
	if !known {
		reply.Text, reply.Notes, known, err = g.memories.Reply(ctx, task)
	}
	switch {
	case !known:
		return llm.Reply{}, fmt.Errorf("offline: no rules for tasks of kind %q; have %q", task.Kind(), kinds())
	case err != nil:
		return llm.Reply{}, fmt.Errorf("offline: %w", err)
	}
	reply.Finish, reply.Model = "stop", "offline"
	return reply, nil
}

// pointed returns the task that a pointer points at, and any other task as it
// is. A nil pointer is an error that says of what.
func pointed(t llm.Task) (llm.Task, error) {
	v := reflect.ValueOf(t)
	if v.Kind() != reflect.Pointer {
		return t, nil
	}
	if v.IsNil() {
		return nil, fmt.Errorf("want an %s", v.Type().Elem())
	}
	task, _ := reflect.TypeAssert[llm.Task](v.Elem()) // its methods are the value's
	return task, nil
}

// kinds lists the kinds of tasks that there are rules for.
func kinds() []string { return slices.Concat(reader.Kinds(), tree.Kinds(), memory.Kinds()) }

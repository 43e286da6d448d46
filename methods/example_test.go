package methods_test

import (
	"context"
	"fmt"

	"recallbench/datasets"
	"recallbench/methods"
)

// The lastTurn method answers with the last turn of the conversation.
type lastTurn struct{}

func (lastTurn) Build(_ context.Context, s datasets.Sample) (methods.Memory, error) {
	turns := s.Sessions[len(s.Sessions)-1].Turns
	return memory{turns[len(turns)-1]}, nil
}

type memory struct{ turn datasets.Turn }

func (m memory) Answer(context.Context, datasets.Request) (methods.Response, error) {
	return methods.Response{Text: m.turn.Text, Evidence: []methods.Evidence{{ID: m.turn.ID, Sources: []string{m.turn.ID}, Text: m.turn.Text}}}, nil
}

// A method is a value; a memory is built once for each sample and then asked.
func ExampleSpec() {
	spec := &methods.Spec{
		Name: "last-turn",
		Doc:  "answer with the last turn",
		New:  func(methods.Env, any) (methods.Method, error) { return lastTurn{}, nil },
	}
	method, err := spec.New(methods.Env{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	m, err := method.Build(ctx, datasets.Sample{Sessions: []datasets.Session{{Turns: []datasets.Turn{
		{ID: "D1:1", Speaker: "Mia", Text: "I am back."}, {ID: "D1:2", Speaker: "Mia", Text: "Lisbon was lovely."},
	}}}})
	if err != nil {
		fmt.Println(err)
		return
	}

	r, err := m.Answer(ctx, datasets.Request{Text: "How was Lisbon?"})
	fmt.Println(r.Text, r.Evidence[0].Sources, err)
	// Output: Lisbon was lovely. [D1:2] <nil>
}

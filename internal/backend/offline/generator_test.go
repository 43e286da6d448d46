package offline

import (
	"context"
	"strings"
	"testing"

	"recallbench/internal/door/llm"
)

type otherTask struct{}

func (otherTask) Kind() string { return "rhyme" }

func TestTasks(t *testing.T) {
	r := testGenerator(t)
	for _, test := range []struct {
		task llm.Task
		want string
	}{
		{otherTask{}, `"rhyme"`},
		{nil, "no task"},
		{(*llm.AnswerTask)(nil), "nil"},
	} {
		_, err := r.Generate(t.Context(), llm.Request{Role: "reader", Task: test.task})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: got %v, want %s", test.task, err, test.want)
		}
	}
	if _, err := r.Generate(t.Context(), llm.Request{Task: &llm.AnswerTask{Question: "Who?"}}); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Generate(ctx, llm.Request{Task: llm.AnswerTask{}}); err == nil {
		t.Error("a cancelled context was not noticed")
	}
}

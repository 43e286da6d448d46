package reader_test

import (
	"testing"

	"recallbench/datasets"
	"recallbench/methods/internal/reader"
)

func TestQuestion(t *testing.T) {
	open := datasets.Request{Text: "What does Mia drink?"}
	if got := reader.Question(open); got != open.Text {
		t.Errorf("an open question reads %q", got)
	}
	open.Options = []datasets.Option{{Key: "a", Text: "tea"}, {Key: "b", Text: "milk"}}
	want := `What does Mia drink?

Options:
(a) tea
(b) milk
Answer with the key of the right option in parentheses, and nothing else.`
	if got := reader.Question(open); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

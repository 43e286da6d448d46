package runners

import (
	"testing"

	"recallbench/internal/door/llm"
	"recallbench/internal/result/record"
)

func TestTextTokens(t *testing.T) {
	usage := map[string]map[string]llm.Usage{
		"query": {"reader": {Input: 100, Output: 10}, "embed": {Input: 7}},
		"judge": {"judge": {Input: 1000}},
	}
	for _, tt := range []struct {
		text map[string]int
		want int
	}{
		{nil, 110},
		{map[string]int{"reader": 90, "prober": 30}, 120},
	} {
		if got := textTokens(record.Record{Usage: usage, Text: tt.text}); got != tt.want {
			t.Errorf("with %v: %d tokens, want %d", tt.text, got, tt.want)
		}
	}
}

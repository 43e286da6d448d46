package interchange_test

import (
	"strings"
	"testing"

	"recallbench/internal/publish/interchange"
	"recallbench/internal/testkit/try"
)

// Python writes numbers that JSON does not have.
func TestConstants(t *testing.T) {
	in := `{"0": [{"question": "is \"NaN NaN", "response": "-Infinity \\", "f1_score": NaN, "score":-Infinity, "answer": Infinity},
{"question": "x", "response": NaN, "response_time": -1.5}]}`
	file := try.Get(interchange.ReadFrom(t.Context(), "mem0", "f", strings.NewReader(in)))(t)
	if a := file.Answers; len(a) != 2 || a[0].Gold.Question != `is "NaN NaN` || a[0].Record.Answer != `-Infinity \` || a[1].Record.Error == nil || a[1].Line != 2 {
		t.Errorf("answers are %+v", a)
	}
	for _, bad := range []string{`[{"question": "x", "response": Nan}]`, `[{"question": "x", "response": -Inf}]`} {
		if _, err := interchange.ReadFrom(t.Context(), "mem0", "f", strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "invalid character") {
			t.Errorf("%s: error is %v", bad, err)
		}
	}
}

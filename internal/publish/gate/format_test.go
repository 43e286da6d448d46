package gate_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recallbench/internal/publish/gate"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// hostile is a label with what each of the formats would take for its own.
const hostile = "rag|<b>&\"'`*\x1b[31m\x00\u202e\xff%0A\r\n::error::x ##[error]y ]]>{{7}}"

// hostileResult is a regression of a method with such a label, beside one of each
// other verdict.
func hostileResult(t *testing.T) *gate.Result {
	t.Helper()
	methods := []string{hostile, "same", "better", "wavering", "gone"}
	values := map[string]func(method, column string, i int) *float64{
		hostile: moved(1, -0.03, 0.1), "same": plain, "better": moved(1, 0.05, 0.1), "wavering": moved(3, -0.01, 0.3),
	}
	run := fake{id: "new", methods: methods[:4], value: func(method, column string, i int) *float64 { return values[method](method, column, i) }}
	base := fake{id: "base", methods: methods, value: plain, note: "a `note` | of\nsomebody"}.subject()
	rules := try.Get(gate.Parse("gate.yaml", []byte("rules: [{name: 'F1: holds, at 100%', columns: [f1], margin: 1}, {columns: [f1], categories: [temporal], margin: 9}]\n")))(t)
	r := try.Get(gate.Check(rules, run.subject(), &base, options()))(t)
	return r
}

func TestFormats(t *testing.T) {
	r := hostileResult(t)
	for _, format := range gate.Formats() {
		var b strings.Builder
		try.Do(t, r.Write(&b, format, true))
		golden.Check(t, "hostile."+format, b.String())
	}
	if err := r.Write(io.Discard, "html", true); err == nil || !strings.Contains(err.Error(), `unknown format "html"; have text, markdown, json, junit`) {
		t.Errorf("html: %v", err)
	}
}

// Whatever labels, names and texts are, the XML is well formed and has no character
// that XML 1.0 forbids, the JSON can be read, and no line of the text is a command.
func TestHostileText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Just(hostile), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
		r := &gate.Result{Counts: map[gate.Verdict]int{gate.Regression: 1}, Notes: []string{text.Draw(t, "note")}, Run: gate.Side{Name: text.Draw(t, "run")}}
		o := gate.Outcome{
			Rule: text.Draw(t, "rule"), Dataset: text.Draw(t, "dataset"), Method: text.Draw(t, "method"), Column: text.Draw(t, "column"),
			Category: text.Draw(t, "category"), Verdict: gate.Regression, Fails: rapid.Bool().Draw(t, "fails"), Why: text.Draw(t, "why"),
		}
		r.Outcomes = append(r.Outcomes, o)
		var b bytes.Buffer
		try.Do(t, r.Write(&b, "junit", true))
		dec := xml.NewDecoder(&b) // strict: it refuses what XML 1.0 forbids
		for {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%v in %q", err, b.String())
			}
		}
		b.Reset()
		if err := r.Write(&b, "json", true); err != nil || !json.Valid(b.Bytes()) {
			t.Fatalf("%v in %q", err, b.String())
		}
		b.Reset()
		try.Do(t, r.Write(&b, "text", true))
		for line := range strings.Lines(b.String()) {
			if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
				t.Fatalf("a runner would take the line for a command: %q", line)
			}
		}
	})
}

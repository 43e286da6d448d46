package gate_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"recallbench/internal/publish/gate"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

// check holds a run against a baseline by rules in YAML, or by the default ones.
func check(t *testing.T, rules string, run, base fake) *gate.Result {
	t.Helper()
	return try.Get(tryCheck(rules, run, &base))(t)
}

func tryCheck(rules string, run fake, base *fake) (*gate.Result, error) {
	parsed := gate.Default()
	if rules != "" {
		var err error
		if parsed, err = gate.Parse("gate.yaml", []byte(rules)); err != nil {
			return nil, err
		}
	}
	run.id = "new"
	if base == nil {
		return gate.Check(parsed, run.subject(), nil, options())
	}
	base.id = "base"
	was := base.subject()
	return gate.Check(parsed, run.subject(), &was, options())
}

func text(t *testing.T, r *gate.Result) string {
	t.Helper()
	var b strings.Builder
	try.Do(t, r.Write(&b, "text", false))
	return b.String()
}

// A regression of 3 points of F1 on 500 paired questions fails the gate, and noise
// of the same size alone does not, however often it is drawn: about ten conversations
// or a hundred, and about one where the rules test requests.
func TestPlantedRegression(t *testing.T) {
	draws := longtest.N(8, 100)
	byRequest := "unit: request\n" + gate.DefaultText()
	for _, c := range []struct {
		samples int
		rules   string
	}{{1, byRequest}, {10, ""}, {100, ""}} {
		caught, passed := 0, 0
		base := fake{value: plain, samples: c.samples}
		for seed := range uint64(draws) {
			if check(t, c.rules, fake{value: moved(seed, -0.03, 0.15), samples: c.samples}, base).Failed {
				caught++
			}
			if !check(t, c.rules, fake{value: moved(seed, 0, 0.15), samples: c.samples}, base).Failed {
				passed++
			}
		}
		t.Logf("%d conversations: of %d draws, %d regressions of 3 points were caught and %d of none passed", c.samples, draws, caught, passed)
		if caught < draws-max(1, draws/10) || passed < draws-max(2, draws/10) {
			t.Errorf("%d conversations: of %d draws, %d regressions of 3 points were caught and %d of none passed", c.samples, draws, caught, passed)
		}
	}
}

// masked returns plain with F1 moved by category: down in temporal, up in multi-hop.
func masked(seed uint64, points float64) func(method, column string, i int) *float64 {
	noise := moved(seed, 0, 0.15)
	return func(method, column string, i int) *float64 {
		x := noise(method, column, i)
		if column == "f1" {
			*x += points / 100 * float64(1-2*(i/10%2))
		}
		return x
	}
}

// blocks gives every conversation questions of both categories.
func blocks(i int) int { return 1 + i/10%2 }

// A category that falls by 8 points fails the gate though another hides it.
func TestMaskedFall(t *testing.T) {
	const draws = 8
	split := func(f fake) fake {
		f.category = blocks
		return f
	}
	for _, samples := range []int{5, 10} {
		base, caught := split(fake{value: plain, samples: samples}), 0
		for seed := range uint64(draws) {
			r := check(t, "", split(fake{value: masked(seed, 8), samples: samples}), base)
			named := slices.ContainsFunc(r.Outcomes, func(o gate.Outcome) bool {
				return o.Verdict == gate.Regression && o.Category == "temporal"
			})
			if r.Failed && named {
				caught++
			}
			if seed == 0 {
				golden.Check(t, fmt.Sprintf("masked-%d.txt", samples), text(t, r))
			}
		}
		if caught < draws-1 {
			t.Errorf("%d conversations: %d of %d falls in a category were caught", samples, caught, draws)
		}
	}
	whole := split(fake{value: masked(0, 8)})
	if r := check(t, "by_category: false\n"+strings.Replace(gate.DefaultText(), "by_category: true\n", "", 1), whole, split(fake{value: plain})); r.Failed {
		t.Errorf("a gate that does not look into categories fails:\n%s", text(t, r))
	}
}

// Gates of runs that do not differ fail in at most 5 of 100 cases, over all requests
// and categories together.
func TestLevelOfGate(t *testing.T) {
	n := longtest.N(20, 2000)
	for _, samples := range []int{3, 5, 10} {
		failed, found := 0, 0
		base := fake{value: plain, samples: samples, metrics: []string{"f1", "recall"}, n: 240}
		for seed := range uint64(n) {
			noise := moved(seed, 0, 0.15)
			run := base
			run.value = func(method, column string, i int) *float64 {
				if column == "recall" {
					i += 1000
				}
				return new(*plain(method, column, i%1000) + *noise(method, "f1", i) - *plain(method, "f1", i))
			}
			base := base
			base.value = plain
			r := check(t, "fail_on: [regression]\n"+strings.SplitAfterN(gate.DefaultText(), "\n", 2)[1], run, base)
			if r.Failed {
				failed++
			}
			if r.Counts[gate.Regression]+r.Counts[gate.Improvement] > 0 {
				found++
			}
		}
		t.Logf("%d conversations: %.1f %% fail, %.1f %% have a regression or an improvement", samples, 100*float64(failed)/float64(n), 100*float64(found)/float64(n))
		if bound := 0.05 + 3.29*math.Sqrt(0.05*0.95/float64(n)); float64(found)/float64(n) > bound {
			t.Errorf("%d conversations: of %d gates of equal runs %d found something, and %d failed", samples, n, found, failed)
		}
	}
}

// one is plain with one answer that is worse.
func one(method, column string, i int) *float64 {
	if x := plain(method, column, i); i != 1 || column != "f1" {
		return x
	}
	return new(0.0)
}

// Each verdict, as it is printed.
func TestVerdicts(t *testing.T) {
	margin := func(m string) string { return "rules: [{columns: [f1], margin: " + m + "}]\n" }
	limits := "rules: [{columns: [f1], min: 45}, {columns: [tokens], max: 900}, {columns: [f1], min: 10, max: 90}]\n"
	var many []string
	for i := range 26 {
		many = append(many, "m"+strconv.Itoa(i))
	}
	several := fake{value: plain, methods: []string{"rag", "graph"}}
	for _, tt := range []struct {
		name, rules string
		run, base   fake
		want        map[gate.Verdict]int
		failed      bool
	}{
		{"regression", margin("1"), fake{value: moved(1, -0.03, 0.1)}, fake{value: plain, note: "the first | one"}, map[gate.Verdict]int{gate.Regression: 1}, true},
		{"soft, not shown", margin("0"), fake{value: moved(3, -0.01, 0.3)}, fake{value: plain}, map[gate.Verdict]int{gate.Soft: 1}, false},
		{"soft, within the margin", margin("5"), fake{value: moved(1, -0.03, 0.1)}, fake{value: plain}, map[gate.Verdict]int{gate.Soft: 1}, false},
		{"stable", margin("0"), fake{value: plain}, fake{value: plain}, map[gate.Verdict]int{gate.Stable: 1}, false},
		{"improvement", margin("0"), fake{value: moved(1, 0.03, 0.1)}, fake{value: plain}, map[gate.Verdict]int{gate.Improvement: 1}, false},
		{"few but alike", margin("0"), fake{value: plain, n: 12}, fake{value: plain, n: 12}, map[gate.Verdict]int{gate.Stable: 1}, false},
		{"too few", margin("0"), fake{value: moved(1, -0.03, 0.1), n: 12}, fake{value: plain, n: 12}, map[gate.Verdict]int{gate.Insufficient: 1}, true},
		{"soft fails", "fail_on: [soft]\n" + margin("5"), fake{value: moved(1, -0.03, 0.1)}, fake{value: plain}, map[gate.Verdict]int{gate.Soft: 1}, true},
		{"only a warning", "rules: [{columns: [f1], margin: 1, warn: true}]\n", fake{value: moved(1, -0.03, 0.1)}, fake{value: plain}, map[gate.Verdict]int{gate.Regression: 1}, false},
		{"limits", limits, several, fake{value: plain}, map[gate.Verdict]int{gate.Regression: 4, gate.Stable: 4}, true},
		{"categories", "rules: [{columns: [f1], categories: [temporal, '1'], margin: 0}]\n", fake{value: moved(1, -0.05, 0.1)}, fake{value: plain}, map[gate.Verdict]int{gate.Regression: 2}, true},
		{"no such row", "rules: [{columns: [f1], methods: ['*', graph], margin: 0}]\n", several, fake{value: plain}, map[gate.Verdict]int{gate.Stable: 1, gate.Insufficient: 1}, true},
		{"new method of a named dataset", "rules: [{columns: [f1], datasets: [locomo], models: [mini], margin: 0}]\n", several, fake{value: plain}, map[gate.Verdict]int{gate.Stable: 1}, false},
		{"row is gone", margin("0"), fake{value: plain}, several, map[gate.Verdict]int{gate.Stable: 1, gate.Insufficient: 1}, true},
		{"column is gone", "", fake{value: plain, metrics: []string{"tokens"}}, fake{value: plain}, map[gate.Verdict]int{gate.Stable: 1, gate.Insufficient: 1}, true},
		{"unfinished", margin("0"), fake{value: plain, change: func(h *record.Header) { h.Status, h.Cells[0].Planned = record.Interrupted, 900 }}, fake{value: plain}, map[gate.Verdict]int{gate.Insufficient: 1}, true},
		{"no value", margin("0"), fake{value: func(string, string, int) *float64 { return nil }}, fake{value: plain}, map[gate.Verdict]int{gate.Insufficient: 1}, true},
		{"adjusted", "correct: holm\nby_category: false\n" + margin("0"), fake{value: moved(4, -0.01, 0.1), methods: several.methods}, several, map[gate.Verdict]int{gate.Soft: 2}, false},
		{"category named twice", "rules: [{columns: [f1], margin: 0}, {columns: [f1], categories: [temporal], margin: 0}]\n", fake{value: masked(0, 8), category: blocks}, fake{value: plain, category: blocks}, map[gate.Verdict]int{gate.Regression: 1, gate.Stable: 1}, true},
		{"not adjusted", "correct: none\n" + margin("0"), fake{value: moved(4, -0.01, 0.1), methods: several.methods}, several, map[gate.Verdict]int{gate.Regression: 2}, true},
		{"few conversations", margin("0"), fake{value: moved(1, -0.03, 0.05), samples: 5}, fake{value: plain, samples: 5}, map[gate.Verdict]int{gate.Regression: 1}, true},
		{"few conversations, not shown", margin("0"), fake{value: moved(3, -0.01, 0.3), samples: 3}, fake{value: plain, samples: 3}, map[gate.Verdict]int{gate.Soft: 1}, false},
		{"one of three conversations", margin("0"), fake{value: one, samples: 3}, fake{value: plain, samples: 3}, map[gate.Verdict]int{gate.Soft: 1}, false},
		{"two conversations", margin("0"), fake{value: moved(1, -0.03, 0.1), samples: 2}, fake{value: plain, samples: 2}, map[gate.Verdict]int{gate.Insufficient: 1}, true},
		{"two conversations, accepted", "accept_two: true\n" + margin("0"), fake{value: moved(1, -0.03, 0.05), samples: 2}, fake{value: plain, samples: 2}, map[gate.Verdict]int{gate.Regression: 1}, true},
		{"one conversation", margin("0"), fake{value: moved(1, -0.03, 0.1), samples: 1}, fake{value: plain, samples: 1}, map[gate.Verdict]int{gate.Insufficient: 1}, true},
		{"one conversation, by request", "unit: request\n" + margin("0"), fake{value: moved(1, -0.03, 0.1), samples: 1}, fake{value: plain, samples: 1}, map[gate.Verdict]int{gate.Regression: 1}, true},
		{"few conversations for many tests", "correct: holm\nby_category: false\n" + margin("0"), fake{value: moved(1, -0.03, 0.01), methods: several.methods, samples: 6}, fake{value: plain, methods: several.methods, samples: 6}, map[gate.Verdict]int{gate.Insufficient: 2}, true},
		{"many tests", "rules: [{columns: [f1], margin: 0}]\n", fake{value: moved(1, -0.03, 0.1), methods: many}, fake{value: plain, methods: many}, map[gate.Verdict]int{gate.Regression: 26}, true},
		{"not a mean over requests", "rules: [{columns: [hits], margin: 1}]\n", fake{value: moved(1, 0, 0), metrics: []string{"hits"}}, fake{value: plain, metrics: []string{"hits"}}, map[gate.Verdict]int{gate.Stable: 1}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := check(t, tt.rules, tt.run, tt.base)
			if diff := cmp.Diff(tt.want, r.Counts); diff != "" || r.Failed != tt.failed {
				t.Errorf("failed is %v, want %v; verdicts (-want +got):\n%s", r.Failed, tt.failed, diff)
			}
			golden.Check(t, "verdicts/"+strings.NewReplacer(" ", "-", ",", "").Replace(tt.name)+".txt", text(t, r))
		})
	}
}

// What run and baseline do not share is named, and where their numbers are then
// not about the same, nothing is said of them unless the rules allow it.
func TestUnlike(t *testing.T) {
	const rules = "allow: []\nrules: [{columns: [f1], margin: 5}, {columns: [tokens], ratio: 1.1}]\n"
	for _, tt := range []struct {
		change func(*record.Header)
		want   map[gate.Verdict]int
		says   string
	}{
		{func(h *record.Header) { h.Datasets[0].SHA256 = strings.Repeat("b", 64) }, map[gate.Verdict]int{gate.Insufficient: 2}, "data: aaaaaaaaaaaa in the baseline, bbbbbbbbbbbb in the run"},
		{func(h *record.Header) { h.Datasets[0].Settings = nil }, map[gate.Verdict]int{gate.Insufficient: 2}, "settings: category5=drop in the baseline, none in the run"},
		{func(h *record.Header) { h.Models[0].Reader = "mini-2" }, map[gate.Verdict]int{gate.Insufficient: 2}, "reader: mini-1 in the baseline, mini-2 in the run"},
		{func(h *record.Header) { h.Cells[0].Options = map[string]any{"k": 20.0} }, map[gate.Verdict]int{gate.Insufficient: 2}, "k: 5 in the baseline, 20 in the run"},
		{func(h *record.Header) { h.Models[0].Tokens = "llama3" }, map[gate.Verdict]int{gate.Insufficient: 1, gate.Stable: 1}, "tokenizer: o200k in the baseline, llama3 in the run"},
		{func(h *record.Header) { h.Cells[0].Prompts = "other" }, map[gate.Verdict]int{gate.Stable: 2}, "rag on locomo differs in prompts: none in the baseline, other in the run"},
		{func(h *record.Header) { h.Cells[0].Seed = 7 }, map[gate.Verdict]int{gate.Stable: 2}, "rag on locomo differs in seed: 1 in the baseline, 7 in the run"},
		{func(h *record.Header) { h.Cells[0].Options["size"] = "long" }, map[gate.Verdict]int{gate.Stable: 2}, `rag on locomo differs in option size: none in the baseline, "long" in the run`},
	} {
		r := check(t, rules, fake{value: plain, change: tt.change}, fake{value: plain})
		if diff := cmp.Diff(tt.want, r.Counts); diff != "" || !strings.Contains(text(t, r), tt.says) {
			t.Errorf("%q: verdicts (-want +got):\n%s%s", tt.says, diff, text(t, r))
		}
	}
	// A baseline keeps the last part of a path.
	at := func(path string) fake {
		return fake{value: plain, change: func(h *record.Header) {
			h.Datasets[0].Settings["file"], h.Models[0].Settings["embedder"], h.Cells[0].Options["scores"] = path, path, path
		}}
	}
	if r := check(t, rules, at("/srv/a/x.jsonl"), at("x.jsonl")); r.Failed || len(r.Differences)+len(r.Notes) > 0 {
		t.Errorf("a path differs from its last part:\n%s", text(t, r))
	}
	r := check(t, strings.TrimPrefix(rules, "allow: []\n"), fake{value: plain, change: func(h *record.Header) {
		h.Models[0].Reader, h.Cells[0].Options = "mini-2", map[string]any{"k": 20.0}
	}}, fake{value: plain})
	if out := text(t, r); r.Failed || r.Counts[gate.Stable] != 2 || !strings.Contains(out, "rag on locomo differs in k: 5 in the baseline, 20 in the run; the rules allow it") {
		t.Errorf("what is allowed fails, or is not named:\n%s", out)
	}
}

// Errors, latency and cost are held by what they are, without a test.
func TestQuantities(t *testing.T) {
	const rules = `
rules:
  - {columns: [errors], margin: 1}
  - {columns: [errors], categories: ["*"], max: 3}
  - {columns: [latency-p95], ratio: 1.5}
  - {columns: [latency-mean, latency-median], max: 100}
  - {columns: [cost], ratio: 1.1}
`
	slow := func(ms float64, usd *float64) map[string]record.Spent {
		return map[string]record.Spent{"rag": {Latency: &record.Latency{Mean: ms, Median: ms, P95: 2 * ms}, Cost: usd}}
	}
	base := fake{value: plain, spent: slow(50, new(0.001))}
	worse := fake{value: plain, spent: slow(120, nil), failed: func(_ string, i int) bool { return i%20 == 0 }}
	r := check(t, rules, worse, base)
	golden.Check(t, "quantities.txt", text(t, r))
	want := map[gate.Verdict]int{gate.Regression: 5, gate.Insufficient: 1, gate.Stable: 1}
	try.Equal(t, "verdicts", want, r.Counts)
	if r := check(t, rules, base, base); r.Failed || r.Counts[gate.Stable] != 7 {
		t.Errorf("the baseline fails its own gate:\n%s", text(t, r))
	}
}

// What falls with length fails a gate where a rule names it, and not by the pattern *.
func TestFallsWithLength(t *testing.T) {
	both := []string{"f1", "bleu"}
	longer := fake{metrics: both, value: func(method, column string, i int) *float64 {
		x := plain(method, column, i)
		if column == "bleu" {
			*x -= 0.1
		}
		return x
	}}
	nothing := func(method, column string, i int) *float64 {
		if column == "f1" {
			return nil // such as the choice of an option where there are none
		}
		return plain(method, column, i)
	}
	if r := check(t, "", fake{metrics: append(both, "recall"), value: nothing}, fake{metrics: append(both, "recall"), value: nothing}); r.Failed {
		t.Errorf("a column without a value fails: %v", r.Counts)
	}
	for columns, want := range map[string]bool{`"*"`: false, `"*", bleu`: true, `"b*"`: true} {
		if r := check(t, "rules: [{columns: ["+columns+"], better: higher, margin: 0}]\n", longer, fake{metrics: both, value: plain}); r.Failed != want {
			t.Errorf("columns %s: failed %v, want %v", columns, r.Failed, want)
		}
	}
}

// Without a baseline, rules may bound the means alone.
func TestNoBaseline(t *testing.T) {
	r, err := tryCheck("rules: [{columns: ['*'], better: higher, min: 39}]\n", fake{value: plain}, nil)
	if err != nil || r.Failed || len(r.Outcomes) != 1 || r.Baseline != nil {
		t.Fatalf("%+v, %v", r, err)
	}
	_, err = tryCheck("", fake{value: plain}, nil)
	if err == nil || !strings.Contains(err.Error(), "default rules:6:5: rules[0]: margin of * needs a baseline; give --baseline") {
		t.Errorf("a margin without a baseline: %v", err)
	}
	shard := fake{value: plain, change: func(h *record.Header) { h.Shard = &record.Shard{Index: 2, Of: 4} }}
	if _, err = tryCheck("", shard, &fake{value: plain}); err == nil || !strings.Contains(err.Error(), "runs-new is shard 2 of 4, and a gate needs all of them") {
		t.Errorf("a shard: %v", err)
	}
}

// A mean that is the bound itself is within it, whatever rounding made of its digits.
func TestLimitIsWithin(t *testing.T) {
	share := func(n int) fake {
		return fake{n: 100, value: func(string, string, int) *float64 { return new(float64(n) / 100) }, failed: func(_ string, i int) bool { return i < n }}
	}
	for n := range 100 {
		rules := fmt.Sprintf("rules: [{columns: [f1], min: %d, max: %[1]d}, {columns: [errors], max: %[1]d}]\n", n)
		if r, err := tryCheck(rules, share(n), nil); err != nil || r.Failed {
			t.Errorf("%d: %+v, %v", n, r, err)
		}
	}
	if r, err := tryCheck("rules: [{columns: [errors], max: 6.999}]\n", share(7), nil); err != nil || !r.Failed {
		t.Errorf("7 is within 6.999: %v", err)
	}
}

// The seeds of a run share a row: a regression is one of the means over them.
func TestSeeds(t *testing.T) {
	seeds := func(h *record.Header) {
		h.Seeds = []uint64{1, 2}
		second := h.Cells[0]
		second.ID, second.Seed = "second", 2
		h.Cells = append(h.Cells, second)
	}
	r := check(t, "rules: [{columns: [f1], margin: 1}, {columns: [errors], max: 1}]\n", fake{value: moved(1, -0.03, 0.1), change: seeds}, fake{value: plain, change: seeds})
	if len(r.Outcomes) != 2 || r.Outcomes[0].Verdict != gate.Regression || r.Outcomes[0].Pairs != 500 || r.Outcomes[1].Verdict != gate.Stable {
		t.Errorf("%+v", r.Outcomes)
	}
}

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
	return try.Get(gate.Check(rules, run.subject(), &base, options()))(t)
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

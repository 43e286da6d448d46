package price_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recallbench/internal/backend/price"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

// The prices and what a call of each model costs, so that a change of either
// is seen.
func TestCosts(t *testing.T) {
	table := price.Builtin()
	u := llm.Usage{Calls: 1, Input: 20_000, Cached: 16_384, Output: 150, Reasoning: 100}
	var b strings.Builder
	fmt.Fprintf(&b, "prices of %s\n20,000 tokens of input, 16,384 of them cached, and 150 of output cost\n\n", table.Date())
	for _, name := range table.Models() {
		r, ok := table.Find(name)
		if !ok {
			t.Errorf("%s is listed and not found", name)
		}
		fmt.Fprintf(&b, "%-24s %6v %6v %6v  $%.8f\n", name, r.Input, r.Cached, r.Output, r.Cost(u))
	}
	golden.Check(t, "costs.txt", b.String())
}

func TestCost(t *testing.T) {
	r := price.Rates{Input: 2, Cached: 0.5, Output: 8}
	for _, tt := range []struct {
		name string
		u    llm.Usage
		want float64
	}{
		{"nothing", llm.Usage{}, 0},
		{"input", llm.Usage{Input: 1_000_000}, 2},
		{"output", llm.Usage{Output: 1_000_000, Reasoning: 900_000}, 8},
		{"all", llm.Usage{Input: 1_000_000, Cached: 400_000, Output: 100_000}, 0.6*2 + 0.4*0.5 + 0.1*8},
		{"more cached than read", llm.Usage{Input: 100, Cached: 1000}, 100 * 0.5 / 1e6},
		{"negative", llm.Usage{Input: -1, Cached: -5, Output: -3}, 0},
		{"negative cache", llm.Usage{Input: 1_000_000, Cached: -5}, 2},
	} {
		if got := r.Cost(tt.u); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestFind(t *testing.T) {
	for _, tt := range []struct{ model, as string }{
		{"gpt-4o", "gpt-4o"},
		{"gpt-4o-2024-08-06", "gpt-4o"},
		{"gpt-4o-20240806", "gpt-4o"},
		{"gpt-4.1-mini-2025-04-14", "gpt-4.1-mini"},
		{"gpt-5-mini-2025-08-07", "gpt-5-mini"},
		{"gpt-4o-audio-preview", ""},
		{"gpt-4o-audio-preview-2024-10-01", ""},
		{"gpt-4o-2024-13-06", ""},
		{"gpt-4o-2024-08-06-2024-08-06", ""},
		{"gpt-4o-2024", ""},
		{"gpt-4o-", ""},
		{"GPT-4o", ""},
		{"-2024-08-06", ""},
		{"2024-08-06", ""},
		{"", ""},
	} {
		got, ok := price.Builtin().Find(tt.model)
		want, _ := price.Builtin().Find(tt.as)
		if ok != (tt.as != "") || got != want {
			t.Errorf("%q: %v, %t; want the price of %q", tt.model, got, ok, tt.as)
		}
	}
}

func TestValidate(t *testing.T) {
	err := price.Listing{Input: new(-1.0), Cached: new(math.NaN()), Output: new(math.Inf(1))}.Validate()
	want := "input is -1, want a price of at least 0\ncached is NaN, want a price of at least 0\noutput is +Inf, want a price of at least 0"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	table := price.Builtin()
	for _, name := range table.Models() {
		if r, _ := table.Find(name); r.Input <= 0 || r.Cached > r.Input || r.Output != 0 && r.Output < r.Input {
			t.Errorf("%s: prices %v cannot be", name, r)
		}
	}
	if _, err := time.Parse(time.DateOnly, table.Date()); err != nil {
		t.Error(err)
	}
}

func load(t *testing.T, text string) (*price.Table, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prices.yaml")
	try.Do(t, os.WriteFile(path, []byte(text), 0o600))
	table, err := price.Load(path)
	if err != nil {
		return nil, fmt.Errorf("%s", strings.ReplaceAll(err.Error(), path, "prices.yaml"))
	}
	return table, nil
}

func TestLoad(t *testing.T) {
	table := try.Get(load(t, "date: 2027-01-02\nmodels:\n  gpt-4o: {input: 1, output: 2}\n  local: {input: 0, output: 0}\n"))(t)
	for model, want := range map[string]price.Rates{
		"gpt-4o":            {Input: 1, Cached: 1, Output: 2},
		"gpt-4o-2024-08-06": {Input: 1, Cached: 1, Output: 2},
		"gpt-4o-mini":       {Input: 0.15, Cached: 0.075, Output: 0.6},
		"local":             {},
	} {
		if got, ok := table.Find(model); !ok || got != want {
			t.Errorf("%s: %v, %t; want %v", model, got, ok, want)
		}
	}
	if table.Date() != "2027-01-02" {
		t.Errorf("date %s", table.Date())
	}
	if got, _ := price.Builtin().Find("gpt-4o"); got.Input != 2.5 {
		t.Errorf("the built-in table changed: %v", got)
	}
}

func TestLoadFaults(t *testing.T) {
	_, err := load(t, "date: soon\nmodels:\n  a: {input: -1, output: 2}\n  b: {inpt: 1, output: .inf}\n  c: {input: two, output: 1}\n  d: 3\ncurrency: EUR\n")
	if err == nil {
		t.Fatal("no error")
	}
	golden.Check(t, "faults.txt", err.Error()+"\n")
	if _, err := price.Load(filepath.Join(t.TempDir(), "none.yaml")); err == nil || !strings.HasPrefix(err.Error(), "price table: open ") {
		t.Errorf("error %v of a missing file", err)
	}
}

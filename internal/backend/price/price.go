// Package price gives the prices of calls.
//
// The program includes prices with a date, prices.yaml, and a user's own file
// of the same layout can override them. A model that is in neither has no
// price: its cost is unknown, not 0.
package price

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"sync"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/internal/files/strictyaml"
)

// Rates are the prices of a model, in dollars per million tokens.
type Rates struct {
	// Input is the price of tokens read.
	Input float64 `yaml:"input"`
	// Cached is the price of tokens read from the provider's cache.
	Cached float64 `yaml:"cached"`
	// Output is the price of tokens written, including reasoning.
	Output float64 `yaml:"output"`
}

// Cost returns the cost of the usage in dollars:
//
//	((input - cached) * Input + cached * Cached + output * Output) / 1e6
//
// Cached tokens are part of the input, so at most the input counts as cached;
// negative counts are 0.
func (r Rates) Cost(u llm.Usage) float64 {
	input, output := max(u.Input, 0), max(u.Output, 0)
	cached := min(max(u.Cached, 0), input)
	return (float64(input-cached)*r.Input + float64(cached)*r.Cached + float64(output)*r.Output) / 1e6
}

// A Listing is the price of a model as written in a file, in dollars per
// million tokens; nil means left out. By default cached tokens cost the same as
// others.
type Listing struct {
	Input  *float64 `yaml:"input"`
	Cached *float64 `yaml:"cached,omitempty"`
	Output *float64 `yaml:"output"`
}

// Validate reports what is wrong with a listing. An output price is required,
// so that a chat model is not taken for one that writes for free.
func (l Listing) Validate() error {
	if l == (Listing{}) {
		return errors.New("want the prices input and output, in dollars per million tokens")
	}
	var faults []error
	for _, f := range []struct {
		name     string
		price    *float64
		required bool
	}{{"input", l.Input, true}, {"cached", l.Cached, false}, {"output", l.Output, true}} {
		switch {
		case f.price == nil && f.required:
			faults = append(faults, fmt.Errorf("%s is missing, want dollars per million tokens", f.name))
		case f.price != nil && (!(*f.price >= 0) || math.IsInf(*f.price, 1)):
			faults = append(faults, fmt.Errorf("%s is %v, want a price of at least 0", f.name, *f.price))
		}
	}
	return errors.Join(faults...)
}

// Rates returns the prices; cached tokens cost the same as others unless the
// listing says otherwise.
func (l Listing) Rates() (r Rates) {
	nothing := new(float64) // what is missing, which Validate reports
	r.Input, r.Output = *cmp.Or(l.Input, nothing), *cmp.Or(l.Output, nothing)
	r.Cached = *cmp.Or(l.Cached, &r.Input)
	return r
}

// A Table holds the prices of models by name. It does not change.
type Table struct {
	date   day
	models map[string]Rates
}

// A day is a date without a time.
type day string

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *day) UnmarshalText(text []byte) error {
	if _, err := time.Parse(time.DateOnly, string(text)); err != nil {
		return errors.New("want a day such as 2026-03-21")
	}
	*d = day(text)
	return nil
}

//go:embed prices.yaml
var prices []byte

var builtin = sync.OnceValue(func() *Table {
	t, err := parse("prices.yaml", prices)
	if err != nil {
		panic(err) // a test reads it
	}
	return t
})

// Builtin returns the price table of the program.
func Builtin() *Table { return builtin() }

// Load returns the built-in table overridden by the prices of a file, with its date if it
// has one. All faults of the file are reported at once, as a *[strictyaml.Error].
func Load(path string) (*Table, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("price table: %w", err)
	}
	own, err := parse(path, data)
	if err != nil {
		return nil, err
	}
	sum := &Table{date: cmp.Or(own.date, builtin().date), models: maps.Clone(builtin().models)}
	maps.Copy(sum.models, own.models)
	return sum, nil
}

func parse(name string, data []byte) (*Table, error) {
	doc, err := strictyaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	var f struct {
		Date   day                `yaml:"date"` // from which the prices are
		Models map[string]Listing `yaml:"models"`
	}
	doc.Root().Decode(&f)
	if err := doc.Err(); err != nil {
		return nil, err
	}
	t := &Table{date: f.Date, models: make(map[string]Rates, len(f.Models))}
	for name, l := range f.Models {
		t.models[name] = l.Rates()
	}
	return t, nil
}

// Find returns the rates of a model; ok is false if they are unknown. A dated
// snapshot of a listed model, such as gpt-4.1-mini-2025-04-14, has the model's
// price unless it is listed itself. Nothing else is inferred from a name:
// gpt-4o-audio-preview is another model than gpt-4o.
func (t *Table) Find(model string) (r Rates, ok bool) {
	if r, ok = t.models[model]; ok {
		return r, true
	}
	r, ok = t.models[undated(model)]
	return r, ok
}

// undated returns a model's name without the date at its end, as in
// -2025-04-14 or -20250414; empty if there is none.
func undated(model string) string {
	for _, layout := range []string{"-" + time.DateOnly, "-20060102"} {
		if i := len(model) - len(layout); i > 0 {
			if _, err := time.Parse(layout, model[i:]); err == nil {
				return model[:i]
			}
		}
	}
	return ""
}

// Date returns the date of the prices, such as 2026-03-21: that of the user's
// file if it has one, else that of the built-in table.
func (t *Table) Date() string { return string(t.date) }

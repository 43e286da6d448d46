package price

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

//go:embed prices.yaml
var prices []byte

// A Table holds the prices of models by name. It does not change.
type Table struct {
	date   string
	models map[string]Rates
}

var builtin = sync.OnceValue(func() *Table {
	t, err := parse("prices.yaml", prices)
	if err != nil {
		panic(err) // a test reads it
	}
	return t
})

// Builtin returns the price table that comes with the program.
func Builtin() *Table { return builtin() }

// over returns the table with the prices of another one over it. The date is
// that of the other one, where it has one.
func (t *Table) over(other *Table) *Table {
	sum := &Table{date: t.date, models: maps.Clone(t.models)}
	if other.date != "" {
		sum.date = other.date
	}
	maps.Copy(sum.models, other.models)
	return sum
}

// Find returns the rates of a model; ok is false where they are unknown. A
// dated snapshot of a listed model, such as gpt-4.1-mini-2025-04-14, has the
// model's price unless it is listed itself. Nothing else about a name is
// guessed: gpt-4o-audio-preview is another model than gpt-4o.
func (t *Table) Find(model string) (r Rates, ok bool) {
	if r, ok = t.models[model]; ok {
		return r, true
	}
	r, ok = t.models[undated(model)]
	return r, ok
}

// undated returns a model's name without the date at its end, as in
// -2025-04-14 or -20250414; empty where there is none.
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

// Models lists the names of the models, sorted.
func (t *Table) Models() []string { return slices.Sorted(maps.Keys(t.models)) }

// Date returns the day from which the prices are, such as 2026-03-21: that of
// the user's file where it has one, else that of the built-in table.
func (t *Table) Date() string { return t.date }

// SHA256 identifies the table: tables with the same date and prices, whatever
// files they come from, have the same sum, in hexadecimal.
func (t *Table) SHA256() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q\n", t.date)
	for _, name := range t.Models() {
		r := t.models[name]
		fmt.Fprintf(&b, "%q %v %v %v\n", name, r.Input, r.Cached, r.Output)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])
}

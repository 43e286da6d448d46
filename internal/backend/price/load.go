package price

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"recallbench/internal/files/strictyaml"
)

// A file is a price table as it is written.
type file struct {
	// Date is the day from which the prices are.
	Date day `yaml:"date"`
	// Models are the prices by the name of the model.
	Models map[string]Listing `yaml:"models"`
}

// A Listing is the price of a model as it is written, in dollars for a million
// tokens; nil was left out. Cached tokens cost what others do unless it says
// otherwise.
type Listing struct {
	Input  *float64 `yaml:"input"`
	Cached *float64 `yaml:"cached,omitempty"`
	Output *float64 `yaml:"output"`
}

// Validate reports what is wrong with a listing. An output is asked for, so
// that a chat model is not taken for one that writes for nothing.
func (l Listing) Validate() error {
	if l == (Listing{}) {
		return errors.New("want the prices input and output, in dollars for a million tokens")
	}
	return errors.Join(given("input", l.Input, true), given("cached", l.Cached, false), given("output", l.Output, true))
}

func given(field string, price *float64, needed bool) error {
	switch {
	case price != nil:
		return check(field, *price)
	case needed:
		return fmt.Errorf("%s is missing, want dollars for a million tokens", field)
	default:
		return nil
	}
}

// Rates returns the prices; cached tokens cost what others do unless the
// listing says otherwise.
func (l Listing) Rates() Rates {
	var r Rates
	if l.Input != nil {
		r.Input, r.Cached = *l.Input, *l.Input
	}
	if l.Cached != nil {
		r.Cached = *l.Cached
	}
	if l.Output != nil {
		r.Output = *l.Output
	}
	return r
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

// Load returns the built-in table with the prices of a file over it. Of the
// file all faults are reported at once, as a *[strictyaml.Error].
func Load(path string) (*Table, error) {
	data, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("price table: %w", err)
	}
	own, err := parse(path, data)
	if err != nil {
		return nil, err
	}
	return Builtin().over(own), nil
}

// read reads a file, of a hostile one only so much that it is refused.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, strictyaml.MaxBytes+1))
}

func parse(name string, data []byte) (*Table, error) {
	doc, err := strictyaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	var f file
	doc.Root().Decode(&f)
	if err := doc.Err(); err != nil {
		return nil, err
	}
	t := &Table{date: string(f.Date), models: make(map[string]Rates, len(f.Models))}
	for name, l := range f.Models {
		t.models[name] = l.Rates()
	}
	return t, nil
}

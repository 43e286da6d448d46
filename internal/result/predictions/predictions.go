// Package predictions scores answers that come from elsewhere: a file with a
// JSON object on each line.
//
//		{"id": "conv-26/3", "category": 2, "prediction": "In May", "gold": "7 May 2023"}
//
//	  - id, a string or a number: unique in the file, whatever its type.
//	  - category, a string or a number: the dataset's id of the kind of question,
//	    or a name of it that a vocabulary knows. f1@locomo scores LoCoMo's
//	    categories 1, 3 and 5 by rules of their own, and no other than 1 to 5.
//	  - prediction, a string; "" where there is no answer.
//	  - gold, a string, a number, or null where the right answer is that the
//	    conversation does not say.
//	  - abstain, optional: true says the same as a gold of null, which the text
//	    in gold then does not matter for.
//
// Other fields are ignored, and so are empty lines, a byte order mark and
// Windows line ends. Only metrics of answers can be had: a prediction has
// neither evidence nor usage.
package predictions

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"recallbench/internal/files/category"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsonout"
	"recallbench/metrics"
)

// MaxLine is the length of the longest line that is read, in bytes.
const MaxLine = 16 << 20

// A Summary says what a file scored.
type Summary struct {
	Columns    []metrics.Column // of all metrics, in their order
	Overall    Group
	Categories []Group // by category, in ascending order
}

// A Group is a set of predictions.
type Group struct {
	Category string // empty for all
	Lines    int
	Means    []Mean // one for each column
}

// A Mean is the mean of a column, over the N predictions where it is defined.
type Mean struct {
	metrics.Value
	N int
}

// Score reads predictions from r, scores them with the metrics, and writes a
// JSON object for each to w, in their order: id and category as they were,
// and a number for each column of each metric, or null where it is undefined.
// Numbers read back as the same float64.
//
// The vocabulary says what names of categories stand for; nil where the file has
// numbers. A name without one, and a category that a metric has no rule for while
// it goes by category, are faults.
//
// A fault is an error that begins with the name and the line; all faults of
// the file come as one error, the first [datafile.MaxFaults] in words. If
// there is one, nothing is written.
func Score(ctx context.Context, r io.Reader, name string, specs []*metrics.Spec, v *category.Vocabulary, w io.Writer) (Summary, error) {
	if err := refuse(specs); err != nil {
		return Summary{}, err
	}
	s := newScorer(specs)
	p := parser{faults: datafile.Faults{File: name}, lines: make(map[string]int), specs: specs, vocabulary: v, known: make(map[string]string)}
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, 64<<10), MaxLine)
	for scanner.Scan() {
		p.line++
		if p.line%256 == 1 && ctx.Err() != nil {
			return Summary{}, ctx.Err()
		}
		data := scanner.Bytes()
		if p.line == 1 {
			data = datafile.TrimBOM(data)
		}
		if len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		if pred, ok := p.parse(data); ok && p.faults.Err() == nil {
			s.add(pred)
		}
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		p.faults.Addf(p.line+1, "the line is longer than %d MiB; the lines after it were not read", MaxLine>>20)
	case err != nil:
		return Summary{}, fmt.Errorf("%s:%d: %w", name, p.line+1, err)
	}
	p.refuseUnknown()
	if err := p.faults.Err(); err != nil {
		return Summary{}, err
	}
	if s.all.lines == 0 {
		return Summary{}, fmt.Errorf(`%s: there is no prediction; want lines such as {"id": "1", "category": 1, "prediction": "Paris", "gold": "Paris"}`, name)
	}
	if _, err := w.Write(s.out); err != nil {
		return Summary{}, fmt.Errorf("writing the scores of %s: %w", name, err)
	}
	return s.summary(), nil
}

// refuse returns an error for metrics that look at more than the answer.
func refuse(specs []*metrics.Spec) error {
	var faults []error
	for _, s := range specs {
		if s.Of != metrics.Answer {
			faults = append(faults, fmt.Errorf("metric %q looks at %s, which predictions do not have; leave it out, or score a run folder", s.Name, s.Of))
		}
	}
	return errors.Join(faults...)
}

// A scorer collects the scores of a file.
type scorer struct {
	specs   []*metrics.Spec
	columns []metrics.Column
	keys    [][]byte // `,"name":` of each column
	values  []metrics.Value
	out     []byte

	all        group
	categories map[string]*group
}

type group struct {
	lines int
	tally *metrics.Tally
}

func newScorer(specs []*metrics.Spec) *scorer {
	s := &scorer{specs: specs, categories: make(map[string]*group)}
	for _, spec := range specs {
		s.columns = append(s.columns, spec.Columns...)
	}
	for _, c := range s.columns {
		s.keys = append(s.keys, append(appendString([]byte{','}, c.Name), ':'))
	}
	s.all.tally = metrics.NewTally(s.columns)
	return s
}

func (s *scorer) add(p prediction) {
	s.values = s.values[:0]
	for _, spec := range s.specs {
		s.values = append(s.values, spec.Score(p.item)...)
	}
	s.out = append(append(s.out, `{"id":`...), p.id...)
	s.out = append(append(s.out, `,"category":`...), p.category...)
	for i, v := range s.values {
		s.out = append(s.out, s.keys[i]...)
		if v.Defined {
			s.out = strconv.AppendFloat(s.out, v.X, 'g', -1, 64)
		} else {
			s.out = append(s.out, "null"...)
		}
	}
	s.out = append(s.out, "}\n"...)
	g := s.categories[p.item.Category]
	if g == nil {
		g = &group{tally: metrics.NewTally(s.columns)}
		s.categories[p.item.Category] = g
	}
	for _, g := range []*group{&s.all, g} {
		g.lines++
		g.tally.Add(s.values)
	}
}

func (s *scorer) summary() Summary {
	sum := Summary{Columns: s.columns, Overall: s.all.result("", len(s.columns))}
	for _, c := range slices.Sorted(maps.Keys(s.categories)) {
		sum.Categories = append(sum.Categories, s.categories[c].result(c, len(s.columns)))
	}
	return sum
}

func (g *group) result(category string, columns int) Group {
	r := Group{Category: category, Lines: g.lines}
	for i := range columns {
		mean, n := g.tally.Mean(i)
		r.Means = append(r.Means, Mean{mean, n})
	}
	return r
}

// appendString appends s as a JSON string.
func appendString(dst []byte, s string) []byte {
	var b bytes.Buffer
	enc := jsonout.NewEncoder(&b)
	_ = enc.Encode(s) // a string cannot fail
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}

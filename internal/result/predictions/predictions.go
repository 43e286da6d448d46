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
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/files/category"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/files/jsontree"
	"recallbench/metrics"
)

// MaxLine is the length of the longest line that is read, in bytes.
const MaxLine = 16 << 20

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
func Score(ctx context.Context, r io.Reader, name string, specs []*metrics.Spec, v *category.Vocabulary, w io.Writer) error {
	if err := refuse(specs); err != nil {
		return err
	}
	s := &scorer{faults: datafile.Faults{File: name}, lines: make(map[string]int), specs: specs, vocabulary: v, known: make(map[string]string)}
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 0, 64<<10), MaxLine)
	line := 0
	for scanner.Scan() {
		line++
		if err := ctx.Err(); err != nil {
			return err
		}
		data := scanner.Bytes()
		if line == 1 {
			data = datafile.TrimBOM(data)
		}
		if len(bytes.TrimSpace(data)) > 0 {
			s.score(data, line)
		}
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		s.faults.Addf(line+1, "the line is longer than %d MiB; the lines after it were not read", MaxLine>>20)
	case err != nil:
		return fmt.Errorf("%s:%d: %w", name, line+1, err)
	}
	for _, u := range s.unknown {
		lines := ""
		if u.lines > 1 {
			lines = fmt.Sprintf(" of %d lines", u.lines)
		}
		s.faults.Addf(u.line, "category %q%s %w; --categories %s says whose names they are, a FILE what each stands for",
			u.name, lines, u.reason, strings.Join(category.Names(), " or "))
	}
	if err := s.faults.Err(); err != nil {
		return err
	}
	if len(s.out) == 0 {
		return fmt.Errorf(`%s: there is no prediction; want lines such as {"id": "1", "category": 1, "prediction": "Paris", "gold": "Paris"}`, name)
	}
	if _, err := w.Write(s.out); err != nil {
		return fmt.Errorf("writing the scores of %s: %w", name, err)
	}
	return nil
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

// A scorer reads lines, and collects their scores and faults.
type scorer struct {
	faults     datafile.Faults
	lines      map[string]int // of each id
	specs      []*metrics.Spec
	vocabulary *category.Vocabulary
	known      map[string]string  // categories, and the ids that they stand for
	unknown    []*unknownCategory // in the order of the file
	out        []byte
}

// An unknownCategory is a category that the metrics cannot score by.
type unknownCategory struct {
	name        string
	line, lines int
	reason      error
}

// score adds the scores of a line, or its faults.
func (s *scorer) score(data []byte, line int) {
	if i := datafile.Invalid(data); i >= 0 {
		s.faults.Addf(line, "byte %#02x at column %d is not UTF-8; save the file as UTF-8", data[i], i+1)
		return
	}
	tree, err := jsontree.Parse(data)
	if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		s.faults.Addf(line, "column %d: %w", se.Offset+1, se)
		return
	}
	c := jsontree.Root(tree, "", s.faults.Report(data, line))
	var in struct {
		ID         jsontree.Text `json:"id" want:"filled"`
		Category   jsontree.Text `json:"category" want:"filled"`
		Prediction string        `json:"prediction" want:"required"`
		Gold       jsontree.Text `json:"gold"` // or null
		Abstain    bool          `json:"abstain"`
	}
	ok := c.Decode(&in)
	gold := tree.Get("gold")
	if gold == nil && tree.Kind == jsontree.Object {
		c.Faultf(`"gold" is missing, want a string, a number or null`)
	}
	if !ok || gold == nil {
		return
	}
	id := string(in.ID)
	if first, ok := s.lines[id]; ok {
		s.faults.Addf(line, "id %q is that of line %d too; want each once", id, first)
		return
	}
	s.lines[id] = line
	item := metrics.Item{
		Category: s.categorise(string(in.Category), line), Prediction: in.Prediction, Gold: string(in.Gold),
		Abstain: in.Abstain || gold.Kind == jsontree.Null,
	}
	if s.faults.Count() > 0 {
		return
	}
	s.out = append(append(s.out, `{"id":`...), literal(tree.Get("id"))...)
	s.out = append(append(s.out, `,"category":`...), literal(tree.Get("category"))...)
	for _, spec := range s.specs {
		for i, v := range spec.Score(item) {
			s.out = append(append(append(s.out, ','), quoted(spec.Columns[i].Name)...), ':')
			if v.Defined {
				s.out = strconv.AppendFloat(s.out, v.X, 'g', -1, 64)
			} else {
				s.out = append(s.out, "null"...)
			}
		}
	}
	s.out = append(s.out, "}\n"...)
}

// categorise returns the id that a category stands for. What is wrong with a
// category is noted once, with the number of its lines.
func (s *scorer) categorise(name string, line int) string {
	if id, ok := s.known[name]; ok {
		return id
	}
	if i := slices.IndexFunc(s.unknown, func(u *unknownCategory) bool { return u.name == name }); i >= 0 {
		s.unknown[i].lines++
		return name
	}
	id, err := metrics.Categorise(s.specs, s.vocabulary, name)
	if err != nil {
		s.unknown = append(s.unknown, &unknownCategory{name: name, line: line, lines: 1, reason: err})
		return name
	}
	s.known[name] = id
	return id
}

// literal returns a string or a number as JSON.
func literal(v *jsontree.Value) []byte {
	if v.Kind == jsontree.Number {
		return []byte(v.Text)
	}
	return quoted(v.Text)
}

// quoted returns a text as a JSON string.
func quoted(text string) []byte {
	var b bytes.Buffer
	_ = jsonout.Lines(&b, text) // a string cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

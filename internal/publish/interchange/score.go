package interchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/files/category"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/files/jsontree"
	"recallbench/metrics"
)

// ScoreLines reads answers that come from elsewhere, a JSON object on each line, scores them
// with metrics, and writes an object for each to w, in their order: id and category as they
// were, and a number for each column of each metric, or null where it is undefined. Numbers
// read back as the same float64.
//
//		{"id": "conv-26/3", "category": 2, "prediction": "In May", "gold": "7 May 2023"}
//
//	  - id, a string or a number: unique in the file, whatever its type.
//	  - category, a string or a number: the dataset's id of the kind of question, or a name of
//	    it that the vocabulary, if it is not nil, knows. f1@locomo scores LoCoMo's categories 1,
//	    3 and 5 by rules of their own, and no other than 1 to 5.
//	  - prediction, a string; "" where there is no answer.
//	  - gold, a string, a number, or null where the right answer is that the conversation does
//	    not say.
//	  - abstain, optional: true says the same as a gold of null, whatever the gold is.
//
// Other fields are ignored, and so are empty lines, a byte order mark and Windows line ends.
// Only metrics of answers can be had: a prediction has neither evidence nor usage. A category
// that a metric has no rule for while it goes by category is a fault. All faults come as one
// error, each with the name and the line; then nothing is written.
func ScoreLines(ctx context.Context, in io.Reader, name string, specs []*metrics.Spec, v *category.Vocabulary, w io.Writer) error {
	var refused []error
	for _, s := range specs {
		if s.Of != metrics.Answer {
			refused = append(refused, fmt.Errorf("metric %q needs %s, which predictions do not have; leave it out, or score a run folder", s.Name, s.Of))
		}
	}
	if err := errors.Join(refused...); err != nil {
		return err
	}
	s := &lineScorer{lines: make(map[string]int), specs: specs, vocabulary: v}
	s.ctx, s.strict = ctx, true
	s.open(name, in)
	if err := s.eachLine(s.score); err != nil {
		return err
	}
	if err := s.faults.Err(); err != nil {
		return err
	}
	if s.out.Len() == 0 {
		return fmt.Errorf(`%s: no predictions; want lines such as {"id": "1", "category": 1, "prediction": "Paris", "gold": "Paris"}`, name)
	}
	if _, err := s.out.WriteTo(w); err != nil {
		return fmt.Errorf("writing the scores of %s: %w", name, err)
	}
	return nil
}

// A lineScorer collects the scores and faults of lines.
type lineScorer struct {
	stream
	lines      map[string]int // of each id
	specs      []*metrics.Spec
	vocabulary *category.Vocabulary
	unknown    []string // categories that the metrics cannot score by
	out        bytes.Buffer
}

// score adds the scores of a line, or its faults.
func (s *lineScorer) score(c *jsontree.Cursor, line int) {
	var in struct {
		ID         jsontree.Text `json:"id" want:"filled"`
		Category   jsontree.Text `json:"category" want:"filled"`
		Prediction string        `json:"prediction" want:"required"`
		Gold       jsontree.Text `json:"gold"` // or null
		Abstain    bool          `json:"abstain"`
	}
	ok := c.Decode(&in)
	gold := c.Value.Get("gold")
	if gold == nil {
		c.Faultf(`"gold" is missing, want a string, a number or null`)
	}
	if !ok || gold == nil {
		return
	}
	if first, ok := s.lines[string(in.ID)]; ok {
		s.faults.Addf(line, "id %q is also on line %d; want each once", in.ID, first)
		return
	}
	s.lines[string(in.ID)] = line
	kind, err := metrics.Categorise(s.specs, s.vocabulary, string(in.Category))
	if err != nil {
		if name := string(in.Category); !slices.Contains(s.unknown, name) { // each is a fault once
			s.unknown = append(s.unknown, name)
			c.Faultf("category %q %v; --categories %s says whose names they are, --categories FILE defines them", name, err, strings.Join(category.Names(), " or "))
		}
		return
	}
	item := metrics.Item{Category: kind, Prediction: in.Prediction, Gold: string(in.Gold), Abstain: in.Abstain || gold.Kind == jsontree.Null}
	fmt.Fprintf(&s.out, `{"id":%s,"category":%s`, lineJSON(c.Value.Get("id")), lineJSON(c.Value.Get("category")))
	for _, spec := range s.specs {
		for i, v := range spec.Score(item) {
			number := "null"
			if v.Defined {
				number = strconv.FormatFloat(v.X, 'g', -1, 64)
			}
			fmt.Fprintf(&s.out, ",%q:%s", spec.Columns[i].Name, number)
		}
	}
	s.out.WriteString("}\n")
}

// lineJSON returns a string or a number as JSON.
func lineJSON(v *jsontree.Value) []byte {
	if v.Kind == jsontree.Number {
		return []byte(v.Text)
	}
	var b bytes.Buffer
	_ = jsonout.Lines(&b, v.Text) // a string cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

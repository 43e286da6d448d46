package htmlreport

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
)

// searched is how many characters of a text the index has, which is what a search
// finds.
const searched = 1000

// writeRequests reads the requests of all cells, writes the data elements, and the
// index at their end.
func (x *index) writeRequests(w *bufio.Writer, runs []Run) error {
	details, blocks := newChunks(w, "d"), newChunks(w, "b")
	n := 0
	for _, r := range runs {
		for _, c := range r.Header.Cells {
			if err := x.addCell(r, c, n, details, blocks); err != nil {
				return err
			}
			n++
		}
	}
	if err := details.flush(); err != nil {
		return err
	}
	if err := blocks.flush(); err != nil {
		return err
	}
	x.Details, x.Blocks = details.firsts, blocks.firsts
	data, err := json.Marshal(x)
	if err != nil {
		return err
	}
	return writeData(w, "index", data)
}

// addCell reads the requests of cell number n.
func (x *index) addCell(r Run, c record.Cell, n int, details, blocks *chunks) error {
	said, err := judgements(r.Run, c)
	if err != nil {
		return err
	}
	perSample := make(map[int]int) // requests
	for q, err := range ahead(r.Requests(c)) {
		if err != nil {
			return err
		}
		d := newDetail(q, said)
		for _, b := range q.Evidence {
			at, ok := x.blocks[b.Block.Block]
			if !ok {
				at = blocks.n
				x.blocks[b.Block.Block] = at
				if err := blocks.add(block{b.Name, b.Sources, b.Text, b.Tokens}); err != nil {
					return err
				}
			}
			d.Evidence = append(d.Evidence, evidence{at, digits(b.Score)})
		}
		if x.add(q, n) {
			d.Gold = newGold(q.Gold)
		}
		perSample[x.samples[q.Gold.Sample]]++
		if err := details.add(d); err != nil {
			return fmt.Errorf("request %s of %s: %w", q.Record.Request, q.Record.Sample, err)
		}
	}
	return x.addIngests(r.Run, c, n, perSample)
}

// add indexes a request and reports whether it is the first to its question.
func (x *index) add(q scored.Request, n int) (first bool) {
	key := question{q.Cell.Dataset, q.Gold.Sample, q.Gold.Request, q.Gold.Question, q.Gold.Answer}
	at, ok := x.questions[key]
	if !ok {
		at = len(x.questions)
		x.questions[key] = at
		s := &x.Questions
		s.Sample = append(s.Sample, number(&x.Samples, x.samples, q.Gold.Sample))
		s.Request = append(s.Request, q.Gold.Request)
		s.Category = append(s.Category, x.category(q))
		s.Question = append(s.Question, cut(q.Gold.Question))
		s.Gold = append(s.Gold, cut(q.Gold.Answer))
	}
	s := &x.Requests
	s.Question = append(s.Question, at)
	s.Cell = append(s.Cell, n)
	reached := q.Outcome(x.Judging.Column, x.Judging.Threshold)
	s.Outcome = append(s.Outcome, slices.IndexFunc(x.Outcomes, func(o outcome) bool { return o.Name == reached }))
	kind := -1
	switch {
	case q.Record.Error != nil:
		kind = number(&x.Kinds, x.kinds, q.Record.Error.Kind)
	case q.Record.Status != record.OK:
		kind = number(&x.Kinds, x.kinds, string(q.Record.Status))
	}
	s.Kind = append(s.Kind, kind)
	s.Time = append(s.Time, q.Record.Time.Total)
	s.Answer = append(s.Answer, cut(q.Record.Answer))
	for i, c := range x.Columns {
		value := math.NaN()
		if q.Score != nil && q.Score.Values[c.Name] != nil {
			value = *q.Score.Values[c.Name]
		}
		s.Scores[i] = append(s.Scores[i], value)
	}
	return !ok
}

// category is the name of a request's category, or its id where it has none.
func (x *index) category(q scored.Request) string {
	if name := x.categories[[2]string{q.Cell.Dataset, q.Gold.Category}]; name != "" {
		return name
	}
	return q.Gold.Category
}

// addIngests adds what building the memories of cell number n took, of the samples
// that were asked.
func (x *index) addIngests(r *scored.Run, c record.Cell, n int, perSample map[int]int) error {
	for line, err := range record.Lines[record.Ingest](r.Folder.Ingests(c.ID)) {
		if err != nil {
			return err
		}
		sample, ok := x.samples[line.Value.Sample]
		if !ok || len(line.Value.Usage) == 0 {
			continue
		}
		if x.Cells[n].Ingests == nil {
			x.Cells[n].Ingests = make(map[int]*ingest)
		}
		x.Cells[n].Ingests[sample] = &ingest{line.Value.Usage, perSample[sample]}
	}
	return nil
}

// number returns the place of a text in a list, which it is added to where it is
// not there.
func number(list *[]string, places map[string]int, s string) int {
	at, ok := places[s]
	if !ok {
		at = len(*list)
		places[s] = at
		*list = append(*list, s)
	}
	return at
}

// cut returns the characters of a text that the index has.
func cut(s string) string {
	if utf8.RuneCountInString(s) <= searched {
		return s
	}
	n := 0
	for i := range s {
		if n == searched {
			return s[:i]
		}
		n++
	}
	return s
}

// digits returns a number in five digits: what evidence scores show, and a third
// of the bytes.
func digits(x float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64)
	if err != nil {
		return x
	}
	return short
}

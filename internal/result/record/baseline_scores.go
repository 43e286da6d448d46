package record

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"recallbench/internal/files/spreadsheet"
)

// scoresFile is the file of a baseline's scores: CSV, because a version control
// system packs and compares lines of text well. It has the columns of a request,
// then those of labels, which begin with labelPrefix, then those of metrics, which
// begin with valuePrefix. Numbers have all their digits, so that a run does not
// differ from its own baseline; an empty entry is no value.
const (
	scoresFile  = "scores.csv"
	labelPrefix = "label:"
	valuePrefix = "value:"
)

// requestColumns are the columns that every request has.
var requestColumns = []string{"cell", "sample", "request", "category", "status"}

// writeScores writes scores in their order. They are gone through twice, first for
// the columns.
func writeScores(w io.Writer, scores iter.Seq2[Score, error]) error {
	seenLabels, seenValues := make(map[string]bool), make(map[string]bool)
	for s, err := range scores {
		if err != nil {
			return err
		}
		for name := range s.Labels {
			seenLabels[name] = true
		}
		for name := range s.Values {
			seenValues[name] = true
		}
	}
	labels, values := slices.Sorted(maps.Keys(seenLabels)), slices.Sorted(maps.Keys(seenValues))
	header := slices.Clone(requestColumns)
	for _, name := range labels {
		header = append(header, labelPrefix+name)
	}
	for _, name := range values {
		header = append(header, valuePrefix+name)
	}
	out := spreadsheet.NewWriter(w)
	write := func(fields []string) error {
		for _, f := range fields {
			// CSV readers turn its line end into another, and the request into
			// one that no run has.
			if strings.ContainsRune(f, '\r') {
				return fmt.Errorf("%q has a carriage return, which a baseline cannot keep", f)
			}
		}
		return out.Write(fields)
	}
	if err := write(header); err != nil {
		return err
	}
	for s, err := range scores {
		if err != nil {
			return err
		}
		fields := []string{s.Cell, s.Sample, s.Request, s.Category, string(s.Status)}
		for _, name := range labels {
			fields = append(fields, s.Labels[name])
		}
		for _, name := range values {
			text := ""
			if v := s.Values[name]; v != nil {
				text = strconv.FormatFloat(*v, 'g', -1, 64)
			}
			fields = append(fields, text)
		}
		if err := write(fields); err != nil {
			return err
		}
	}
	return out.Flush()
}

// readScores reads what writeScores wrote. Errors name file and line.
func readScores(path string) iter.Seq2[Score, error] {
	return func(yield func(Score, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(Score{}, err)
			return
		}
		defer f.Close()
		for s, err := range decodeScores(f) {
			if err != nil {
				err = &Fault{Kind: Unparsable, File: path, What: err.Error(), err: err, text: path + ":" + err.Error()}
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// decodeScores reads scores up to the first error, which begins with its line.
func decodeScores(in io.Reader) iter.Seq2[Score, error] {
	return func(yield func(Score, error) bool) {
		r := csv.NewReader(in)
		r.ReuseRecord = true
		fail := func(err error) {
			line, _ := r.FieldPos(0)
			yield(Score{}, fmt.Errorf("%d: %w", line, err))
		}
		first, err := r.Read()
		if err != nil {
			yield(Score{}, fmt.Errorf("1: %w", err))
			return
		}
		header := slices.Clone(first)
		if err := plainTexts(header); err != nil {
			fail(err)
			return
		}
		if err := checkColumns(header); err != nil {
			fail(err)
			return
		}
		for {
			fields, err := r.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Score{}, fmt.Errorf(" %w", err)) // it has the line
				return
			}
			if err := plainTexts(fields); err != nil {
				fail(err)
				return
			}
			s, err := scoreOf(header, fields)
			if err != nil {
				fail(err)
				return
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}

// plainTexts turns cells into the texts that were written.
func plainTexts(cells []string) error {
	for i, cell := range cells {
		if !utf8.ValidString(cell) {
			return fmt.Errorf("%q is not valid UTF-8", cell)
		}
		cells[i] = spreadsheet.Text(cell)
	}
	return nil
}

// checkColumns reports columns that no baseline has.
func checkColumns(header []string) error {
	if n := len(requestColumns); len(header) < n || !slices.Equal(header[:n], requestColumns) {
		return fmt.Errorf("the columns begin with %s, want %s", strings.Join(header[:min(len(header), len(requestColumns))], ","), strings.Join(requestColumns, ","))
	}
	for i, name := range header {
		if slices.Contains(header[:i], name) {
			return fmt.Errorf("column %q is there twice", name)
		}
		if i >= len(requestColumns) && !strings.HasPrefix(name, labelPrefix) && !strings.HasPrefix(name, valuePrefix) {
			return fmt.Errorf("column %q begins with neither %s nor %s", name, labelPrefix, valuePrefix)
		}
	}
	return nil
}

// scoreOf reads a line.
func scoreOf(header, fields []string) (Score, error) {
	s := Score{
		Cell: fields[0], Sample: fields[1], Request: fields[2],
		Category: fields[3], Status: Status(fields[4]),
		Values: make(map[string]*float64),
	}
	for i := len(requestColumns); i < len(fields); i++ {
		if name, ok := strings.CutPrefix(header[i], labelPrefix); ok {
			if fields[i] != "" {
				if s.Labels == nil {
					s.Labels = make(map[string]string)
				}
				s.Labels[name] = fields[i]
			}
			continue
		}
		name := strings.TrimPrefix(header[i], valuePrefix)
		s.Values[name] = nil
		if fields[i] == "" {
			continue
		}
		x, err := strconv.ParseFloat(fields[i], 64)
		if err != nil || x-x != 0 {
			return Score{}, fmt.Errorf("%s is %q, want a finite number", name, fields[i])
		}
		s.Values[name] = &x
	}
	return s, nil
}

package personamem

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/pyliteral"
)

var columns = []string{
	"question_id", "question_type", "topic", "user_question_or_message", "correct_answer", "all_options", "shared_context_id", "end_index_in_shared_context",
}

// A prefix is a context up to a message.
type prefix struct {
	context string
	end     int // how many messages are seen
}

// A question is a row of the file.
type question struct {
	prefix
	line    int
	request datasets.Request
	gold    datasets.Gold
}

// readQuestions reads the rows. What is wrong becomes a fault of the file.
func readQuestions(data []byte, faults *datafile.Faults) []question {
	if i := datafile.Invalid(data); i >= 0 {
		faults.Addf(datafile.Line(data, i), "byte %#02x at offset %d is not UTF-8; save the file as UTF-8", data[i], i)
		return nil
	}
	r := csv.NewReader(bytes.NewReader(datafile.TrimBOM(data)))
	head, err := r.Read()
	if err != nil {
		faults.Addf(1, "the file has no row of names: %w", err)
		return nil
	}
	places := make(map[string]int)
	for _, c := range columns {
		if places[c] = slices.Index(head, c); places[c] < 0 {
			faults.Addf(1, "the column %s is missing", c)
		}
	}
	if faults.Err() != nil {
		return nil
	}
	var all []question
	lines := make(map[string]int)
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all
		}
		if pe, ok := errors.AsType[*csv.ParseError](err); ok {
			faults.Addf(pe.Line, "column %d: %w", pe.Column, pe.Err)
			if !errors.Is(err, csv.ErrFieldCount) {
				return all // what follows cannot be told apart
			}
			continue
		}
		line, _ := r.FieldPos(0)
		id := row[places["question_id"]]
		faultf := func(format string, args ...any) { faults.Addf(line, "%s: %w", id, fmt.Errorf(format, args...)) }
		if first := lines[id]; first > 0 {
			faultf("question_id is already that of line %d", first)
		}
		lines[id] = line
		q := readQuestion(func(column string) string { return row[places[column]] }, faultf)
		q.line = line
		all = append(all, q)
	}
}

// lettered finds the key before the text of an option.
var lettered = regexp.MustCompile(`^\(([a-z])\)\s*`)

func readQuestion(field func(string) string, faultf func(string, ...any)) (q question) {
	for _, column := range []string{"question_id", "question_type", "user_question_or_message", "shared_context_id"} {
		if strings.TrimSpace(field(column)) == "" {
			faultf("%s is empty", column)
		}
	}
	q.gold = datasets.Gold{Name: field("question_id"), Category: field("question_type")}
	if topic := field("topic"); topic != "" {
		q.gold.Labels = map[string]string{"topic": topic}
	}
	q.request.Text = field("user_question_or_message")
	q.context = field("shared_context_id")
	var err error
	if q.end, err = strconv.Atoi(field("end_index_in_shared_context")); err != nil || q.end < 1 {
		faultf("end_index_in_shared_context is %q, want an integer from 1", field("end_index_in_shared_context"))
	}
	list, err := pyliteral.Parse(field("all_options"))
	switch {
	case err != nil:
		faultf("all_options is no Python literal: %w", err)
	case list.Kind != pyliteral.List || len(list.Items) < 2:
		faultf("all_options is not a list of two options or more")
	default:
		for i, item := range list.Items {
			m := lettered.FindStringSubmatch(item.Text)
			if m == nil || slices.ContainsFunc(q.request.Options, func(o datasets.Option) bool { return o.Key == m[1] }) {
				faultf(`all_options[%d] is %q, want a text that begins with a letter of its own, such as "(a)"`, i, item.Text)
				continue
			}
			q.request.Options = append(q.request.Options, datasets.Option{Key: m[1], Text: item.Text[len(m[0]):]})
		}
		q.gold.Correct = strings.Trim(strings.TrimSpace(field("correct_answer")), "()")
		if !slices.ContainsFunc(q.request.Options, func(o datasets.Option) bool { return o.Key == q.gold.Correct }) {
			faultf("correct_answer is %q, want the letter of an option, such as \"(c)\"", field("correct_answer"))
		}
	}
	return q
}

package interchange

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/result/predictions"
	"recallbench/internal/result/record"
)

// eachLine calls read for each JSON object that stands on a line of its own.
func (r *reading) eachLine(read func(c *jsontree.Cursor, line int)) error {
	scanner := bufio.NewScanner(r.in)
	scanner.Buffer(make([]byte, 0, 64<<10), predictions.MaxLine)
	n := 0
	for scanner.Scan() {
		n++
		if err := r.ctx.Err(); err != nil {
			return err
		}
		data := scanner.Bytes()
		if n == 1 {
			data = datafile.TrimBOM(data)
		}
		if len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		r.linesRead++
		if r.scores && !json.Valid(data) { // a few broken lines are left out, and counted
			r.lineFaults++
			if r.firstBroken == nil {
				r.firstBroken = fmt.Errorf("%s:%d: the line is not JSON", r.file.Name, n)
			}
			continue
		}
		c := r.tree("", data, func(int) int { return n })
		if c != nil && c.Is(jsontree.Object) {
			read(c, n)
		}
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		r.faults.Addf(n+1, "the line is longer than %d MiB; the lines after it were not read", predictions.MaxLine>>20)
	case err != nil:
		return fmt.Errorf("%s:%d: %w", r.file.Name, n+1, err)
	}
	return nil
}

// readLines reads the predictions that package predictions scores, which an export
// as jsonl holds too: a JSON object on each line. It needs prediction, or answer, and id
// or sample and request or question. Votes are true and false, of a judge elsewhere. An export has to be of one cell, as nothing tells
// the methods of others apart.
func readLines(r *reading) error {
	cell, several, first := "", false, true
	err := r.eachLine(func(c *jsontree.Cursor, line int) {
		if of := scalar(c, "cell"); first {
			cell, first = of, false
		} else if of != cell {
			several = true
			return
		}
		a := Answer{
			Line: line, Sample: scalar(c, "sample"), Request: scalar(c, "request"), Question: scalar(c, "question"),
			Category: scalar(c, "category"), Gold: scalar(c, "gold"), Evidence: ids(c, "gold_evidence"),
		}
		if a.Sample == "" || a.Request == "" {
			a.setID(scalar(c, "id"))
		}
		if a.Request == "" && a.Question == "" {
			c.Faultf("there is neither an id such as \"conv-26/q3\" nor a question to find it by")
			return
		}
		field := "prediction"
		if c.Optional(field) == nil && c.Optional("answer") != nil {
			field = "answer"
		}
		if !r.response(c, &a, field) {
			return
		}
		if v := c.Optional("votes"); v != nil && v.Is(jsontree.Array) {
			var votes []float64
			for _, vote := range v.Value.Items {
				if vote.Kind != jsontree.Bool {
					v.Faultf("a vote is %s, want true or false", vote.Kind)
					return
				}
				votes = append(votes, *valueOf(&vote))
			}
			if len(votes) > 0 {
				a.Judgements = append(a.Judgements, r.file.judgement("recorded", nil, votes, ""))
			}
		}
		if status := record.Status(scalar(c, "status")); status != "" && status != record.OK {
			a.fail(scalar(c, "error_kind"), scalar(c, "error_message"))
			a.Status = status
		}
		if c.Optional("tokens_input") != nil && c.Optional("tokens_output") != nil {
			var cached, reasoning float64
			for _, u := range objects(c, "usage") {
				if text(u, "phase") == "query" {
					cached, reasoning = cached+amountOf(u, "cached"), reasoning+amountOf(u, "reasoning")
				}
			}
			a.addUsage(amount(c, "tokens_input"), cached, amount(c, "tokens_output"), reasoning)
		}
		a.Blocks = shownBlocks(c)
		a.stages(objects(c, "stages"), amount(c, "latency_ms"))
		it := Item{Answer: a, Key: cmp.Or(strings.Trim(a.Sample+"/"+a.Request, "/"), a.Question), Cluster: a.Sample}
		it.named(c.Optional("scores"))
		r.emit(c, it)
	})
	if err == nil && several {
		err = fmt.Errorf("%s: it holds the answers of several cells, want those of one; 'bench export --method' writes one method", r.file.Name)
	}
	return err
}

// response reads the text of an answer, and reports whether the field is there. A
// null is what was written where a model gave nothing.
func (r *reading) response(c *jsontree.Cursor, a *Answer, name string) bool {
	v := c.Value.Get(name)
	switch {
	case v == nil:
		c.Faultf("%q is missing, want the answer that was given", name)
		return false
	case v.Kind == jsontree.Null:
		a.fail("empty", "the file has null in place of an answer")
		return true
	case v.Kind == jsontree.String, v.Kind == jsontree.Number:
		a.Text = v.Text
		return true
	}
	c.Faultf("%q is %s, want a string", name, v.Kind)
	return false
}

// objects returns the objects of a list.
func objects(c *jsontree.Cursor, name string) []*jsontree.Value {
	var all []*jsontree.Value
	if list := c.Value.Get(name); list != nil && list.Kind == jsontree.Array {
		for i := range list.Items {
			if list.Items[i].Kind == jsontree.Object {
				all = append(all, &list.Items[i])
			}
		}
	}
	return all
}

// shownBlocks returns the evidence that an export has written.
func shownBlocks(c *jsontree.Cursor) []Block {
	return lists.Map(objects(c, "evidence"), func(b *jsontree.Value) Block {
		return Block{Text: text(b, "text"), Name: text(b, "name"), Score: numberOf(b.Get("score")), Sources: idsOf(b.Get("sources"))}
	})
}

// stages notes the parts of an answer's time, and what is left of the whole.
func (a *Answer) stages(parts []*jsontree.Value, whole float64) {
	sum := 0.0
	for _, p := range parts {
		sum += amountOf(p, "ms")
	}
	if sum > whole { // they overlap
		a.addStage("answer", whole)
		return
	}
	for _, p := range parts {
		a.addStage(text(p, "name"), amountOf(p, "ms"))
	}
	a.addStage("answer", whole-sum)
}

// A lineCount knows the lines of what is read through it. It keeps the ends of
// those alone that nobody has passed yet, so that a large file takes no more room
// than its largest value.
type lineCount struct {
	in     io.Reader
	read   int64
	passed int     // ends of lines before those of ahead
	ahead  []int64 // offsets of ends of lines
	until  int64   // an offset at which reading ends with an error; 0 for none
}

var errTooLong = fmt.Errorf("the value is longer than %d MiB", MaxItem>>20)

func (l *lineCount) Read(p []byte) (int, error) {
	if l.until > 0 && l.read >= l.until {
		return 0, errTooLong
	}
	n, err := l.in.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			l.ahead = append(l.ahead, l.read+int64(i))
		}
	}
	l.read += int64(n)
	return n, err
}

// at returns the line of an offset, from 1; the offset is not before the last that
// was passed.
func (l *lineCount) at(offset int64) int {
	before, _ := slices.BinarySearch(l.ahead, offset)
	return 1 + l.passed + before
}

// pass releases what lies before an offset.
func (l *lineCount) pass(offset int64) {
	before, _ := slices.BinarySearch(l.ahead, offset)
	l.passed += before
	l.ahead = l.ahead[before:]
}

// A nullReader reads JSON as Python writes it: NaN, Infinity and -Infinity, which
// JSON does not have, become null. What stands in strings stays.
type nullReader struct {
	in       *bufio.Reader
	inString bool
	escaped  bool
	left     string // of what a constant became
}

func newNullReader(in io.Reader) *nullReader {
	return &nullReader{in: bufio.NewReaderSize(in, 64<<10)}
}

func (r *nullReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if r.left != "" {
			k := copy(p[n:], r.left)
			r.left = r.left[k:]
			n += k
			continue
		}
		c, err := r.in.ReadByte()
		if err != nil {
			return n, err
		}
		if !r.inString && (c == 'N' || c == 'I' || c == '-') && r.constant(c) {
			r.left = "null"
			continue
		}
		r.follow(c)
		p[n] = c
		n++
	}
	return n, nil
}

// constant takes the rest of a constant that begins with c.
func (r *nullReader) constant(c byte) bool {
	rest := map[byte]string{'N': "aN", 'I': "nfinity", '-': "Infinity"}[c]
	if next, err := r.in.Peek(len(rest)); err != nil || string(next) != rest {
		return false
	}
	_, _ = r.in.Discard(len(rest)) // it has been seen
	return true
}

// follow notes whether what comes next is in a string. No string goes on in the
// next line, so that a broken line spoils no other.
func (r *nullReader) follow(c byte) {
	switch {
	case c == '\n':
		r.inString, r.escaped = false, false
	case r.escaped:
		r.escaped = false
	case c == '\\':
		r.escaped = r.inString
	case c == '"':
		r.inString = !r.inString
	}
}

package interchange

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
)

// A mark is what files of a format have: fields of the top, such as "eval", fields of
// the value of one as "metadata.benchmark", and of the first item of any list as
// "[].status".
type mark struct {
	format string
	fields []string
}

// marks are those of all formats; the first whose fields are all there counts, those
// that ask for most first.
var marks = sync.OnceValue(func() []mark {
	all := []mark{{"predictions", []string{"predictions"}}}
	for _, name := range slices.Sorted(maps.Keys(shippedLayouts())) {
		for _, fields := range shippedLayouts()[name].Marks {
			all = append(all, mark{name, fields})
		}
	}
	slices.SortStableFunc(all, func(a, b mark) int { return len(b.fields) - len(a.fields) })
	return all
})

// detect finds the format of a file by what it holds; empty where it is none that is
// known. Of a large file it reads as far as it must.
func detect(in io.Reader) (string, error) {
	head := bufio.NewReaderSize(newNullReader(in), 64<<10)
	start, _ := head.Peek(64 << 10)
	if len(start) != len(datafile.TrimBOM(start)) {
		_, _ = head.Discard(len("\ufeff")) // it was seen
	}
	start = bytes.TrimLeft(datafile.TrimBOM(start), " \t\r\n")
	if len(start) == 0 {
		return "", errors.New("the file is empty")
	}
	if start[0] != '{' && start[0] != '[' {
		return detectTable(start), nil
	}
	d := detector{lines: &lineCount{in: head}}
	d.dec = json.NewDecoder(d.lines)
	format, err := d.top()
	if se, ok := errors.AsType[*json.SyntaxError](err); ok {
		return "", fmt.Errorf("it is not JSON: %w", se)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "", errors.New("unexpected end of JSON input; the file is cut off")
	}
	return format, err
}

// detectTable knows a table by its header: two names or more, a text.
func detectTable(start []byte) string {
	line, _, _ := bytes.Cut(start, []byte("\n"))
	if datafile.Invalid(line) >= 0 || bytes.ContainsFunc(line, func(c rune) bool { return c < ' ' && c != '\t' && c != '\r' }) {
		return ""
	}
	in := csv.NewReader(bytes.NewReader(line))
	if bytes.Contains(line, []byte("\t")) && !bytes.Contains(line, []byte(",")) {
		in.Comma = '\t'
	}
	if row, err := in.Read(); err != nil || len(row) < 2 || slices.ContainsFunc(row, func(s string) bool { return strings.TrimSpace(s) == "" }) {
		return ""
	}
	return "csv"
}

// A detector goes through the top of a value until its format is known.
type detector struct {
	dec   *json.Decoder
	lines *lineCount
	seen  []string
}

func (d *detector) token() (json.Token, error) {
	d.lines.pass(d.dec.InputOffset())
	d.lines.until = d.dec.InputOffset() + 2*MaxItem
	return d.dec.Token()
}

// top goes through the fields of the value, or the first item of a list.
func (d *detector) top() (string, error) {
	t, err := d.token()
	if err != nil {
		return "", err
	}
	if t == json.Delim('[') {
		err := d.firstItem()
		return d.format(), err
	}
	for d.dec.More() {
		name, err := d.name()
		if err != nil {
			return "", err
		}
		d.see(name)
		if format := d.format(); format != "" {
			return format, nil
		}
		if err := d.value(name); err != nil {
			return "", err
		}
		if format := d.format(); format != "" {
			return format, nil
		}
	}
	_, err = d.token()
	return "", err
}

func (d *detector) name() (string, error) {
	t, err := d.token()
	name, _ := t.(string)
	return name, err
}

// see notes a field, of the first thousands.
func (d *detector) see(names ...string) {
	if len(d.seen) < 1<<12 {
		d.seen = lists.AddNew(d.seen, names...)
	}
}

// format returns the first format whose marks were all seen.
func (d *detector) format() string {
	for _, m := range marks() {
		if !slices.ContainsFunc(m.fields, func(f string) bool { return !slices.Contains(d.seen, f) }) {
			return m.format
		}
	}
	return ""
}

// value goes through the value of a field.
func (d *detector) value(name string) error {
	t, err := d.token()
	switch {
	case err != nil:
		return err
	case t == json.Delim('['):
		if err := d.firstItem(); err != nil {
			return err
		}
		return d.leave(1)
	case t == json.Delim('{'):
		return d.keys(name+".", "[].")
	}
	return nil
}

// keys sees the names of an object whose bracket was read, behind some prefixes.
func (d *detector) keys(prefixes ...string) error {
	for d.dec.More() {
		key, err := d.name()
		if err != nil {
			return err
		}
		for _, prefix := range prefixes {
			d.see(prefix + key)
		}
		if err := d.leave(0); err != nil {
			return err
		}
	}
	_, err := d.token()
	return err
}

// firstItem sees the fields of the first item of a list whose bracket was read.
func (d *detector) firstItem() error {
	if !d.dec.More() {
		return nil
	}
	t, err := d.token()
	switch t {
	case json.Delim('['):
		return d.leave(1)
	case json.Delim('{'):
		return d.keys("[].")
	}
	return err
}

// leave passes over the next value, or the rest of one that is open so deep.
func (d *detector) leave(depth int) error {
	for {
		t, err := d.token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

package errata

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/suggest"
)

// Format is the version of the file format, the value of the header's "errata".
const Format = "recallbench-errata/1"

// maxSize is the size in bytes above which a file is refused unread, 64 MiB.
const maxSize = 64 << 20

var (
	headerFields = []string{"errata", "name", "version", "dataset", "data_sha256", "license", "source", "attribution"}
	entryFields  = []string{"id", "question", "gold", "action", "answers", "kind", "why", "evidence", "category", "by", "ref"}
	overlayName  = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)
	sha256Text   = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// ReadFile reads an overlay of the user's own: JSON lines, the first a header. All
// faults of the file come at once, with their lines.
func ReadFile(ctx context.Context, path string) (*Overlay, error) {
	data, err := datafile.Read(ctx, path, maxSize)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads an overlay as [ReadFile] does. The name stands in messages.
func Parse(name string, data []byte) (*Overlay, error) {
	if err := datafile.CheckText(name, data); err != nil {
		return nil, err
	}
	r := reader{overlay: &Overlay{file: name}}
	r.faults.File = name
	header := false
	for line := range bytes.Lines(datafile.TrimBOM(data)) {
		r.line++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		c := r.object(line)
		switch {
		case !header:
			r.header(c)
			header = true
		case c != nil:
			r.entry(c)
		}
	}
	if !header {
		r.faults.Addf(1, "the file is empty, want a header such as %s", `{"errata":"`+Format+`", …}`)
	}
	return r.finish()
}

// A reader puts an overlay together.
type reader struct {
	faults  datafile.Faults
	line    int // that is read, from 1
	overlay *Overlay
}

// object reads a line; nil after a fault.
func (r *reader) object(line []byte) *jsontree.Cursor {
	tree, err := jsontree.Parse(line)
	if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		r.faults.Addf(r.line, "column %d: %w", se.Offset+1, se)
		return nil
	}
	c := jsontree.Root(tree, "", r.faults.Report(line, r.line))
	if !c.Is(jsontree.Object) {
		return nil
	}
	return c
}

// header reads the first line.
func (r *reader) header(c *jsontree.Cursor) {
	if c == nil {
		return
	}
	o := r.overlay
	c.Only(headerFields)
	if format, ok := c.Required("errata"); ok && format != Format {
		c.Faultf("errata is %q, want %q", format, Format)
	}
	name, ok := c.Required("name")
	if ok && !overlayName.MatchString(name) {
		c.Faultf("name is %q, want at most 64 letters, digits, dots, hyphens and underscores, and neither dot nor hyphen first", name)
	}
	o.Name = name
	o.Dataset, _ = c.Required("dataset")
	o.License, _ = c.Required("license")
	o.Source, _ = c.Required("source")
	o.Version, o.Attribution = c.OptionalScalar("version"), c.OptionalText("attribution")
	if f := c.Optional("data_sha256"); f != nil {
		o.Data = f.Texts()
	}
	for _, sum := range o.Data {
		if !sha256Text.MatchString(sum) {
			c.Faultf("data_sha256 has %q, want 64 hexadecimal digits in lower case", sum)
		}
	}
}

// entry reads a line after the first.
func (r *reader) entry(c *jsontree.Cursor) {
	c.Only(entryFields)
	e := Entry{
		Gold: c.OptionalScalar("gold"), Kind: c.OptionalText("kind"), Why: c.OptionalText("why"), Category: c.OptionalScalar("category"),
		By: c.OptionalText("by"), Ref: c.OptionalText("ref"), line: r.line,
	}
	e.ID, _ = c.Required("id")
	e.Question, _ = c.Required("question")
	action, ok := c.Required("action")
	e.Action = Action(action)
	if ok && !slices.Contains(actions, e.Action) {
		c.Faultf("%s", suggest.Unknown("action", action, lists.Map(actions, func(a Action) string { return string(a) })))
		ok = false
	}
	if f := c.Optional("answers"); f != nil {
		e.Answers = f.Texts()
	}
	if f := c.Optional("evidence"); f != nil {
		e.Evidence = f.Texts()
	}
	answers := e.Action == Correct || e.Action == Also
	switch {
	case !ok:
	case answers && len(e.Answers) == 0:
		c.Faultf("the action %s has no answers, want one or more", e.Action)
	case !answers && c.Optional("answers") != nil:
		c.Faultf("the action %s takes no answers; %s and %s do", e.Action, Correct, Also)
	case e.Action == Evidence && len(e.Evidence) == 0:
		c.Faultf("the action %s has no evidence, want the ids of one or more turns", e.Action)
	}
	r.overlay.Entries = append(r.overlay.Entries, e)
}

// finish reports entries that are there twice, and hashes the others.
func (r *reader) finish() (*Overlay, error) {
	o := r.overlay
	first := make(map[string]int)
	for _, e := range o.Entries {
		if line, ok := first[e.ID]; ok && e.ID != "" {
			r.faults.Addf(e.line, "%s has an entry already, in line %d", e.ID, line)
			continue
		}
		first[e.ID] = e.line
	}
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	if len(o.Entries) == 0 {
		return nil, fmt.Errorf("%s: it has no entry", o.file)
	}
	sum := sha256.New()
	if err := jsonout.Lines(sum, o.Entries...); err != nil {
		return nil, err // of texts and lists of texts there is none
	}
	o.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return o, nil
}

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
	overlayName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)
	sha256Text  = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// A header is the first line of a file.
type header struct {
	At          *jsontree.Cursor `json:"-" want:"strict"`
	Format      string           `json:"errata" want:"filled"`
	Name        string           `json:"name" want:"filled"`
	Version     jsontree.Text    `json:"version"`
	Dataset     string           `json:"dataset" want:"filled"`
	Data        []string         `json:"data_sha256"`
	License     string           `json:"license" want:"filled"`
	Source      string           `json:"source" want:"filled"`
	Attribution string           `json:"attribution"`
}

// An erratum is a line after the first.
type erratum struct {
	At       *jsontree.Cursor `json:"-" want:"strict"`
	ID       string           `json:"id" want:"filled"`
	Question string           `json:"question"` // needed in a file of the user's own
	Gold     jsontree.Text    `json:"gold"`
	Action   string           `json:"action" want:"filled"`
	Answers  []jsontree.Text  `json:"answers"`
	Kind     string           `json:"kind"`
	Why      string           `json:"why"`
	Evidence []jsontree.Text  `json:"evidence"`
	Category jsontree.Text    `json:"category"`
	By       string           `json:"by"`
	Ref      string           `json:"ref"`
}

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
func Parse(name string, data []byte) (*Overlay, error) { return parse(name, data, true) }

// parse reads an overlay, whose entries may have to repeat the questions.
func parse(name string, data []byte, questions bool) (*Overlay, error) {
	if err := datafile.CheckText(name, data); err != nil {
		return nil, err
	}
	r := reader{overlay: &Overlay{file: name}, questions: questions}
	r.faults.File = name
	first := true
	for line := range bytes.Lines(datafile.TrimBOM(data)) {
		r.line++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		tree, err := jsontree.Parse(line)
		if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
			r.faults.Addf(r.line, "column %d: %w", se.Offset+1, se)
			continue
		}
		c := jsontree.Root(tree, "", r.faults.Report(line, r.line))
		if first {
			r.header(c)
		} else {
			r.entry(c)
		}
		first = false
	}
	if first {
		r.faults.Addf(1, "the file is empty, want a header such as %s", `{"errata":"`+Format+`", …}`)
	}
	return r.finish()
}

// A reader puts an overlay together.
type reader struct {
	faults    datafile.Faults
	line      int // that is read, from 1
	overlay   *Overlay
	questions bool
}

func (r *reader) header(c *jsontree.Cursor) {
	var h header
	if !c.Decode(&h) {
		return
	}
	if h.Format != Format {
		c.Faultf("errata is %q, want %q", h.Format, Format)
	}
	if !overlayName.MatchString(h.Name) {
		c.Faultf("name is %q, want at most 64 letters, digits, dots, hyphens and underscores, and neither dot nor hyphen first", h.Name)
	}
	for _, sum := range h.Data {
		if !sha256Text.MatchString(sum) {
			c.Faultf("data_sha256 has %q, want 64 hexadecimal digits in lower case", sum)
		}
	}
	*r.overlay = Overlay{
		Name: h.Name, Version: string(h.Version), Dataset: h.Dataset, Data: h.Data,
		License: h.License, Source: h.Source, Attribution: h.Attribution, file: r.overlay.file,
	}
}

func (r *reader) entry(c *jsontree.Cursor) {
	var e erratum
	if !c.Decode(&e) {
		return
	}
	texts := func(all []jsontree.Text) []string {
		return lists.Map(all, func(t jsontree.Text) string { return string(t) })
	}
	entry := Entry{
		ID: e.ID, Question: e.Question, Gold: string(e.Gold), Action: Action(e.Action), Answers: texts(e.Answers), Kind: e.Kind, Why: e.Why,
		Evidence: texts(e.Evidence), Category: string(e.Category), By: e.By, Ref: e.Ref, line: r.line,
	}
	answers := entry.Action == Correct || entry.Action == Also
	switch {
	case r.questions && e.Question == "":
		c.Faultf("%q is missing", "question")
	case !slices.Contains(actions, entry.Action):
		c.Faultf("%s", suggest.Unknown("action", e.Action, lists.Map(actions, func(a Action) string { return string(a) })))
	case answers && len(e.Answers) == 0:
		c.Faultf("the action %s has no answers, want one or more", e.Action)
	case !answers && len(e.Answers) > 0:
		c.Faultf("the action %s takes no answers; %s and %s do", e.Action, Correct, Also)
	case entry.Action == Evidence && len(e.Evidence) == 0:
		c.Faultf("the action %s has no evidence, want the ids of one or more turns", e.Action)
	case slices.Contains(e.Answers, "") || slices.Contains(e.Evidence, ""):
		c.Faultf("answers or evidence have an empty text")
	}
	r.overlay.Entries = append(r.overlay.Entries, entry)
}

// finish reports entries that are there twice, and hashes the others.
func (r *reader) finish() (*Overlay, error) {
	o := r.overlay
	first := make(map[string]int)
	for _, e := range o.Entries {
		if line, ok := first[e.ID]; ok {
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

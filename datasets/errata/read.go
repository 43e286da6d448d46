package errata

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"recallbench/datasets"
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

// longMemEvalIssues is what readers report about LongMemEval in issues of its
// repository; nobody has audited it.
var longMemEvalIssues = &datasets.Spec{
	Name:     "longmemeval-issues",
	Doc:      "7 questions of LongMemEval that issues of its repository dispute; reported, not audited",
	Source:   "https://github.com/xiaowu0162/LongMemEval/issues",
	License:  "Apache-2.0",
	Embedded: true,
}

// issues uses the names of questions in the release, and does not repeat their texts.
//
//go:embed longmemeval-issues.jsonl
var issues []byte

// Specs returns the named overlays, with the files to fetch. They open no dataset.
func Specs() []*datasets.Spec { return []*datasets.Spec{locomoAudit, longMemEvalIssues} }

// Names lists the named overlays.
func Names() []string { return lists.Map(Specs(), func(s *datasets.Spec) string { return s.Name }) }

// Open opens an overlay by its name, from the data folder, or by the path of a file
// of the user's own. A text with a path separator or the ending .jsonl is a path.
func Open(ctx context.Context, env datasets.Env, name string) (*Overlay, error) {
	path, parseFile := env.Resolve(name), Parse
	switch {
	case strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".jsonl"):
	case name == longMemEvalIssues.Name:
		return parse(name, issues, false)
	case name == locomoAudit.Name:
		var err error
		if path, err = env.Find("", datasets.Fetch(name), name+"/"+auditFile); err != nil {
			// This is not [fs.ErrNotExist]: an optional dataset with its data in place
			// would be skipped because its errata are missing.
			return nil, fmt.Errorf("errata %s: %v", name, err) //nolint:errorlint // see above
		}
		parseFile = parseAudit
	default:
		return nil, fmt.Errorf("%s; a file of your own ends in .jsonl", suggest.Unknown("errata", name, Names()))
	}
	data, err := datafile.Read(ctx, path, maxSize)
	if err != nil {
		return nil, err
	}
	return parseFile(path, data)
}

// OpenAll opens several overlays and reports all faults.
func OpenAll(ctx context.Context, env datasets.Env, names []string) ([]*Overlay, error) {
	var overlays []*Overlay
	var faults []error
	for _, name := range names {
		o, err := Open(ctx, env, name)
		switch {
		case err != nil:
			faults = append(faults, err)
		case slices.ContainsFunc(overlays, func(have *Overlay) bool { return have.Name == o.Name }):
			faults = append(faults, fmt.Errorf("errata %s is listed twice", o.Name))
		default:
			overlays = append(overlays, o)
		}
	}
	return overlays, errors.Join(faults...)
}

// Parse reads an overlay of the user's own: JSON lines, the first a header. All
// faults of the file are reported together, with their lines. Messages use the
// name.
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
		c := r.faults.Line(line, r.line)
		switch {
		case c == nil:
			continue
		case first:
			r.header(c)
		default:
			r.entry(c)
		}
		first = false
	}
	if first && r.faults.Count() == 0 {
		r.faults.Addf(1, "the file is empty, want a header such as %s", `{"errata":"`+Format+`", …}`)
	}
	return r.finish()
}

// A reader assembles an overlay.
type reader struct {
	faults    datafile.Faults
	line      int // that is read, from 1
	overlay   *Overlay
	questions bool
}

func (r *reader) header(c *jsontree.Cursor) {
	o := r.overlay
	if !c.Strict().Decode(o) {
		return
	}
	if o.Format != Format {
		c.Faultf("errata is %q, want %q", o.Format, Format)
	}
	if !overlayName.MatchString(o.Name) {
		c.Faultf("name is %q, want at most 64 letters, digits, dots, hyphens and underscores, and neither dot nor hyphen first", o.Name)
	}
	for _, sum := range o.Data {
		if !sha256Text.MatchString(sum) {
			c.Faultf("data_sha256 has %q, want 64 hexadecimal digits in lower case", sum)
		}
	}
}

func (r *reader) entry(c *jsontree.Cursor) {
	e := Entry{line: r.line}
	if !c.Strict().Decode(&e) {
		return
	}
	answers := e.Action == Correct || e.Action == Also
	switch {
	case r.questions && e.Question == "":
		c.Faultf("%q is missing", "question")
	case !slices.Contains(actions, e.Action):
		c.Faultf("%s", suggest.Unknown("action", string(e.Action), lists.Map(actions, func(a Action) string { return string(a) })))
	case answers && len(e.Answers) == 0:
		c.Faultf("the action %s has no answers, want one or more", e.Action)
	case !answers && len(e.Answers) > 0:
		c.Faultf("the action %s takes no answers; %s and %s do", e.Action, Correct, Also)
	case e.Action == Evidence && len(e.Evidence) == 0:
		c.Faultf("the action %s has no evidence, want the ids of one or more turns", e.Action)
	case slices.Contains(e.Answers, "") || slices.Contains(e.Evidence, ""):
		c.Faultf("answers or evidence have an empty text")
	}
	r.overlay.Entries = append(r.overlay.Entries, e)
}

// finish reports entries that are there twice, and hashes the others.
func (r *reader) finish() (*Overlay, error) {
	o := r.overlay
	first := make(map[string]int)
	for _, e := range o.Entries {
		if line, ok := first[e.ID]; ok {
			r.faults.Addf(e.line, "%s already has an entry, in line %d", e.ID, line)
			continue
		}
		first[e.ID] = e.line
	}
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	if len(o.Entries) == 0 {
		return nil, fmt.Errorf("%s: has no entry", o.file)
	}
	sum := sha256.New()
	if err := jsonout.Lines(sum, o.Entries...); err != nil {
		return nil, err // of texts and lists of texts there is none
	}
	o.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return o, nil
}

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
	read := r.header
	for line := range bytes.Lines(datafile.TrimBOM(data)) {
		r.line++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if c := r.faults.Line(line, r.line); c != nil {
			read(c)
			read = r.entry
		}
	}
	if r.overlay.Format == "" && r.faults.Count() == 0 {
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

const (
	auditCommit = "9493fb4b4af4256ed17a18e8fd0b3cfdeec29539"
	auditURL    = "https://raw.githubusercontent.com/dial481/locomo-audit/" + auditCommit
	auditFile   = "errors.json"
	auditDigest = "f298ef46263fada20688a1d672be37d4f488c6da3b19343eea55ae5c1b5fe55e"
	// auditedData is the SHA-256 of the file of LoCoMo that was audited.
	auditedData = "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"
)

// locomoAudit is the audit of LoCoMo's answer key.
var locomoAudit = &datasets.Spec{
	Name:    "locomo-audit",
	Doc:     "156 errata of LoCoMo: 99 that change scores, 57 wrong citations",
	Source:  "dial481, locomo-audit; github.com/dial481/locomo-audit",
	License: "CC-BY-NC-4.0",
	Files: []datasets.File{
		{Name: auditFile, URL: auditURL + "/" + auditFile, Size: 150552, SHA256: auditDigest},
		{
			Name: "LICENSE", URL: auditURL + "/LICENSE", Size: 19347,
			SHA256: "41003d4a74749c0220e33dd415042164b5a1093ed401f36277234f772d22d3d0", License: true,
		},
	},
}

// audited are the conversations of LoCoMo's file in its order, by which the audit
// numbers them from 0.
var audited = []string{"conv-26", "conv-30", "conv-41", "conv-42", "conv-43", "conv-44", "conv-47", "conv-48", "conv-49", "conv-50"}

// readings says how each entry of the audit with a wrong answer is applied, by its
// places in the file.
//
//go:embed audit.txt
var readings string

// An auditEntry is an entry of the audit as its file has it.
type auditEntry struct {
	At       *jsontree.Cursor `json:"-"`
	ID       string           `json:"question_id" want:"filled"`
	Question string           `json:"question" want:"filled"`
	Gold     jsontree.Text    `json:"golden_answer" want:"filled"`
	Error    string           `json:"error_type"`
	Evidence []string         `json:"correct_evidence" want:"required"`
	Why      string           `json:"reasoning"`
	Answer   string           `json:"correct_answer"` // prose
}

// parseAudit reads the audit's file. Only the pinned file is accepted: another may
// number other questions, and nobody has reviewed its answers.
func parseAudit(name string, data []byte) (*Overlay, error) {
	if sum := datafile.Sum(data); sum != auditDigest {
		return nil, fmt.Errorf("%s: has SHA-256 %s, want that of the pinned file, %s; run 'bench data fetch %s --replace'", name, sum, auditDigest, locomoAudit.Name)
	}
	r := reader{overlay: &Overlay{
		Name: locomoAudit.Name, Version: auditCommit[:7], Dataset: "locomo", Data: []string{auditedData},
		License: locomoAudit.License, Source: "https://github.com/dial481/locomo-audit", Attribution: "dial481", file: name,
	}}
	r.faults.File = name
	read := make(map[string][]string)
	for line := range strings.Lines(readings) {
		fields := strings.Fields(line)
		read[fields[0]] = fields[1:]
	}
	var all []auditEntry
	if root := r.faults.Root(data, ""); root != nil && root.Decode(&all) {
		for _, of := range all {
			e := of.entry(read)
			e.line = datafile.Line(data, of.At.Value.Offset)
			r.overlay.Entries = append(r.overlay.Entries, e)
		}
	}
	return r.finish()
}

// entry returns an entry with the parts parsed from its prose.
func (of auditEntry) entry(read map[string][]string) Entry {
	var conversation, question int
	if _, err := fmt.Sscanf(of.ID, "locomo_%d_qa%d", &conversation, &question); err != nil || conversation < 0 || conversation >= len(audited) {
		of.At.Faultf("question_id is %q, want locomo_C_qaI with C from 0 to %d", of.ID, len(audited)-1)
		return Entry{}
	}
	e := Entry{
		ID: fmt.Sprintf("%s/q%d", audited[conversation], question), Question: of.Question, Gold: string(of.Gold), Action: Evidence,
		Kind: strings.ToLower(strings.ReplaceAll(of.Error, "_", "-")), Why: of.Why, Evidence: of.Evidence,
	}
	if of.Error == "WRONG_CITATION" {
		return e // the published answer is right
	}
	fields := read[fmt.Sprintf("%d:%d", conversation, question)]
	if len(fields) == 0 {
		of.At.Faultf("%s has no known reading", of.ID)
		return e
	}
	e.Action = Action(fields[0])
	var parts []string
	for _, part := range fields[1:] {
		from, to := 0, len(of.Answer)
		if _, err := fmt.Sscanf(part, "%d-%d", &from, &to); err != nil || to > len(of.Answer) {
			from, to = 0, len(of.Answer) // all of it
		}
		parts = append(parts, of.Answer[from:to])
	}
	if answer := strings.TrimSpace(strings.Join(parts, "")); answer != "" {
		e.Answers = []string{answer}
	}
	return e
}

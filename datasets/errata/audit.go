package errata

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

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

// wrongCitation is the type of error of an entry whose published answer is right.
const wrongCitation = "WRONG_CITATION"

// A reading says what becomes of an entry of the audit. What it gives as the right
// answer is prose, and thirty times says that the question is wrong: take tells how
// an answer is cut out of it.
type reading struct {
	action Action
	take   func(string) string
	ids    string // conversation:question, by their places in the file from 0
}

// readings are this project's, of all entries that are about answers. They hold for
// the pinned file alone.
var readings = []reading{
	{Correct, strings.TrimSpace, "0:2 0:23 1:31 4:6 4:16 4:56 4:60 5:2 5:37 5:57 6:2 7:0 8:18 8:33 8:36 8:37 8:80 9:1 9:19 9:60 9:62 9:63"},
	{Correct, withoutNotes, "0:5 0:56 0:138 0:149 2:48 2:129 3:24 3:43 3:52 3:81 3:91 4:9 4:135 4:164 5:5 6:31 7:75 7:87 8:43 8:54 8:74 9:50"},
	{Correct, withoutCitations, "3:58"},
	{Correct, firstSentence, "3:61"},
	{Also, strings.TrimSpace, "0:32 0:43 0:77"},
	{Also, firstSentence, "0:66"},
	{Also, withoutCitations, "0:137"},
	{Also, beforeNote, "1:47 2:63"},
	{Also, withoutNotes, "3:5 3:68 5:4 6:65 9:29"},
	{Premise, nil, "0:26 0:94 0:135 1:57 1:63 2:68 2:69 3:73 3:119 4:74 4:86 4:136 4:165 6:11 6:37 6:61 6:88 7:116 7:123 7:174 7:179 8:24 8:102 8:103 8:144 9:72 9:88 9:137 9:147 9:151"},
	{Unanswerable, nil, "0:144 3:4 3:66 4:128 6:17 8:4"},
	{Exclude, nil, "3:34 4:166 5:18 5:41 8:106"},
}

// readingOf returns the reading of an entry by its id.
func readingOf(id string) (reading, bool) {
	for _, r := range readings {
		for of := range strings.FieldsSeq(r.ids) {
			if of == id {
				return r, true
			}
		}
	}
	return reading{}, false
}

var auditFields = []string{
	"question_id", "question", "golden_answer", "category", "error_type", "cited_evidence", "correct_evidence", "reasoning", "correct_answer",
}

var auditID = regexp.MustCompile(`^locomo_(\d+)_qa(\d+)$`)

// parseAudit reads the audit's file. It has to be the pinned one: another may number
// other questions, and its answers were read by nobody.
func parseAudit(name string, data []byte) (*Overlay, error) {
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != auditDigest {
		return nil, fmt.Errorf("%s: has SHA-256 %x, want that of the pinned file, %s; 'bench data fetch %s --replace' gets it", name, sum, auditDigest, locomoAudit.Name)
	}
	return readAudit(name, data)
}

func readAudit(name string, data []byte) (*Overlay, error) {
	r := reader{overlay: &Overlay{
		Name: locomoAudit.Name, Version: auditCommit[:7], Dataset: "locomo", Data: []string{auditedData},
		License: locomoAudit.License, Source: "https://github.com/dial481/locomo-audit", Attribution: "dial481", file: name,
	}}
	r.faults.File = name
	if root := r.faults.Root(data, ""); root != nil && root.Is(jsontree.Array) {
		for _, c := range root.Items() {
			r.line = datafile.Line(data, c.Value.Offset)
			if c.Is(jsontree.Object) {
				r.audit(c)
			}
		}
	}
	return r.finish()
}

// audit reads an entry of the audit.
func (r *reader) audit(c *jsontree.Cursor) {
	c.Only(auditFields)
	e := Entry{Kind: strings.ToLower(strings.ReplaceAll(c.OptionalText("error_type"), "_", "-")), Why: c.OptionalText("reasoning"), line: r.line}
	e.Question, _ = c.Required("question")
	e.Gold, _ = c.Required("golden_answer")
	if f := c.Field("correct_evidence", jsontree.Array); f != nil {
		e.Evidence = f.Texts()
	}
	id, ok := c.Required("question_id")
	if !ok {
		return
	}
	m := auditID.FindStringSubmatch(id)
	if m == nil {
		c.Faultf("question_id is %q, want locomo_C_qaI", id)
		return
	}
	conversation, err := strconv.Atoi(m[1])
	if err != nil || conversation >= len(audited) {
		c.Faultf("question_id is %q, want a conversation from 0 to %d", id, len(audited)-1)
		return
	}
	e.ID = audited[conversation] + "/q" + m[2]
	how, read := readingOf(m[1] + ":" + m[2])
	switch {
	case c.OptionalText("error_type") == wrongCitation:
		e.Action = Evidence
	case !read:
		c.Faultf("what becomes of %s is not known", id)
		return
	default:
		e.Action = how.action
	}
	if how.take != nil {
		answer, _ := c.Required("correct_answer")
		e.Answers = []string{how.take(answer)}
	}
	r.overlay.Entries = append(r.overlay.Entries, e)
}

var (
	note     = regexp.MustCompile(`\([^()]*\)`)
	citation = regexp.MustCompile(`\(D\d+:\d+[^()]*\)`)
)

// withoutNotes leaves out what stands in parentheses, also in those within others.
func withoutNotes(s string) string {
	for note.MatchString(s) {
		s = note.ReplaceAllString(s, "")
	}
	return tidied(s)
}

// withoutCitations leaves out the parentheses that begin with a turn's id.
func withoutCitations(s string) string { return tidied(citation.ReplaceAllString(s, "")) }

// beforeNote returns what stands before the first parenthesis.
func beforeNote(s string) string {
	before, _, _ := strings.Cut(s, " (")
	return tidied(before)
}

// sentenceEnd finds the end of a sentence that another follows.
var sentenceEnd = regexp.MustCompile(`\.\s+[A-Z]`)

// firstSentence returns the first sentence without what stands in parentheses.
func firstSentence(s string) string {
	s = withoutNotes(s)
	if at := sentenceEnd.FindStringIndex(s); at != nil {
		s = s[:at[0]]
	}
	return tidied(s)
}

var blankBefore = regexp.MustCompile(` ([.,;])`)

// tidied collapses white space, and takes off blanks before punctuation and one full
// stop at the end.
func tidied(s string) string {
	return strings.TrimSuffix(blankBefore.ReplaceAllString(spaced(s), "$1"), ".")
}

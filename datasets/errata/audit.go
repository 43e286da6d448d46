package errata

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
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

// readings says what becomes of an entry of the audit whose answer is wrong.
//
//go:embed audit.txt
var readings string

// read takes the action and the answer from the reading of an entry, known by its
// places in the file, and reports whether there is one.
func (e *Entry) read(places, prose string) bool {
	for line := range strings.Lines(readings) {
		fields := strings.Fields(line)
		if fields[0] != places {
			continue
		}
		e.Action = Action(fields[1])
		answer := ""
		for _, part := range fields[2:] {
			from, to := 0, 0
			switch _, err := fmt.Sscanf(part, "%d-%d", &from, &to); {
			case part == "all":
				answer = strings.TrimSpace(prose)
			case err != nil || to > len(prose):
				return false
			default:
				answer += prose[from:to]
			}
		}
		if answer != "" {
			e.Answers = []string{answer}
		}
		return true
	}
	return false
}

// An auditEntry is an entry of the audit as its file has it.
type auditEntry struct {
	At       *jsontree.Cursor `json:"-" want:"strict"`
	ID       string           `json:"question_id" want:"filled"`
	Question string           `json:"question" want:"filled"`
	Gold     jsontree.Text    `json:"golden_answer" want:"filled"`
	Category *jsontree.Cursor `json:"category"`
	Error    string           `json:"error_type"`
	Cited    *jsontree.Cursor `json:"cited_evidence"`
	Evidence []jsontree.Text  `json:"correct_evidence" want:"required"`
	Why      string           `json:"reasoning"`
	Answer   string           `json:"correct_answer"`
}

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
	var all []auditEntry
	if root := r.faults.Root(data, ""); root != nil && root.Decode(&all) {
		for _, of := range all {
			r.line = datafile.Line(data, of.At.Value.Offset)
			r.audit(of)
		}
	}
	return r.finish()
}

// audit reads an entry of the audit.
func (r *reader) audit(of auditEntry) {
	e := Entry{
		Question: of.Question, Gold: string(of.Gold), Kind: strings.ToLower(strings.ReplaceAll(of.Error, "_", "-")), Why: of.Why, line: r.line,
		Evidence: lists.Map(of.Evidence, func(id jsontree.Text) string { return string(id) }),
	}
	var conversation, question int
	if _, err := fmt.Sscanf(of.ID, "locomo_%d_qa%d", &conversation, &question); err != nil || conversation < 0 || conversation >= len(audited) {
		of.At.Faultf("question_id is %q, want locomo_C_qaI with C from 0 to %d", of.ID, len(audited)-1)
		return
	}
	e.ID = fmt.Sprintf("%s/q%d", audited[conversation], question)
	if of.Error == wrongCitation {
		e.Action = Evidence
	} else if !e.read(fmt.Sprintf("%d:%d", conversation, question), of.Answer) {
		of.At.Faultf("what becomes of %s is not known", of.ID)
		return
	}
	r.overlay.Entries = append(r.overlay.Entries, e)
}

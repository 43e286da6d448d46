package errata

import (
	_ "embed"
	"fmt"
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
	if of.Error == wrongCitation {
		return e
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

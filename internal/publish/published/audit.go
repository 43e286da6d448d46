package published

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"
	"sync"
)

// A Kind says what a check recomputes.
type Kind string

// Claim is the kind of a check of a number or an order that the text states.
const Claim Kind = "claim"

// A Check is one comparison of printed numbers with each other.
type Check struct {
	Kind  Kind   `json:"kind"`
	Table string `json:"table"`
	Row   string `json:"row"`
	Cell  string `json:"cell"`
	// Printed is what the paper has, Recomputed what follows from its other
	// numbers; nil if the check is not about a number.
	Printed    string   `json:"printed"`
	Recomputed *float64 `json:"recomputed,omitempty"`
	// Tolerance is how far the two may be apart when every number was rounded
	// to the digits that are printed.
	Tolerance *float64 `json:"tolerance,omitempty"`
	Agrees    bool     `json:"agrees"`
	Note      string   `json:"note"`
}

//go:embed data/audit.jsonl
var audited []byte

var checks = sync.OnceValue(func() []Check {
	var all []Check
	for line := range bytes.Lines(audited) {
		var c Check
		if err := json.Unmarshal(line, &c); err != nil {
			panic("published: embedded audit: " + err.Error())
		}
		all = append(all, c)
	}
	return all
})

// Audit returns what recomputing the published tables found: all checks, those
// that agree too, in the order of the tables and their rows. The tables are
// fixed, and so are the findings: a test recomputes them from the cells.
func Audit() []Check { return slices.Clone(checks()) }

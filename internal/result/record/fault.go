package record

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"recallbench/internal/calc/lists"
)

// A Kind is a kind of damage to a run folder.
type Kind string

// The kinds of damage.
const (
	Missing    Kind = "missing"    // a file is not there
	Unreadable Kind = "unreadable" // something else is in a file's place, or the system refuses it
	Unparsable Kind = "unparsable" // a line or a file does not hold what it should
	Edited     Kind = "edited"     // other content than the run wrote
	Lost       Kind = "lost"       // fewer lines than the run wrote
	Duplicate  Kind = "duplicate"  // more lines than the run wrote
	Unknown    Kind = "unknown"    // a line about a request that the run does not have
	Dangling   Kind = "dangling"   // a record that points at a block that is not there
	Stale      Kind = "stale"      // scores that were not derived from the records as they are
	Leftover   Kind = "leftover"   // what a killed process left; no damage
)

// A Fault is one thing that is wrong with a run folder.
type Fault struct { //nolint:errname // a finding first, and listed as such
	Kind Kind   `json:"kind"`
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // from 1; 0 for the file as a whole
	What string `json:"what"`
	err  error
}

// Error says where the fault is and what it is.
func (f *Fault) Error() string {
	if f.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.What)
	}
	return f.File + ": " + f.What
}

// Unwrap returns the error behind the fault; nil where there is none.
func (f *Fault) Unwrap() error { return f.err }

// faultOf returns the fault of an error, which need not name the file again.
func faultOf(kind Kind, file string, line int, err error) *Fault {
	what := err.Error()
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		what = path.Err.Error()
	}
	return &Fault{kind, file, line, what, err}
}

// readingFault returns the fault of an error of reading a file of the run.
func readingFault(file string, err error) *Fault {
	if fault, ok := errors.AsType[*Fault](err); ok {
		return fault
	}
	if errors.Is(err, fs.ErrNotExist) {
		return faultf(Missing, file, 0, "is missing, but the run wrote it")
	}
	return faultOf(Unreadable, file, 0, err)
}

func faultf(kind Kind, file string, line int, format string, args ...any) *Fault {
	return &Fault{Kind: kind, File: file, Line: line, What: fmt.Sprintf(format, args...)}
}

// A Damage is the error of a run folder that cannot be trusted.
type Damage struct { //nolint:errname // the name says what it is
	Dir    string
	Faults []*Fault
}

// mostFaults is how many faults a Damage names.
const mostFaults = 10

// Error names the faults, each on a line of its own, and what to do about them.
func (d *Damage) Error() string {
	lines := lists.Map(d.Faults[:min(len(d.Faults), mostFaults)], (*Fault).Error)
	if n := len(d.Faults) - mostFaults; n > 0 {
		lines = append(lines, fmt.Sprintf("and %d more, which 'bench runs verify %s' lists", n, d.Dir))
	}
	return strings.Join(append(lines, d.Remedy()), "\n")
}

// Remedy says what to do about it.
func (d *Damage) Remedy() string {
	f := Folder(d.Dir)
	stale, edited, what := true, true, ""
	for _, fault := range d.Faults {
		if fault.Kind == Leftover {
			continue
		}
		stale = stale && fault.Kind == Stale
		edited = edited && (fault.Kind == Edited || fault.Kind == Stale)
		if f.single(fault.File) {
			what = filepath.Base(fault.File)
		}
	}
	accept := ", or accept the edit with --accept-edited, which tables and reports then mention"
	if !edited {
		accept = ""
	}
	switch {
	case IsBaseline(d.Dir):
		return d.Dir + " is a damaged baseline; restore it from version control, or set it again with 'bench baseline set'"
	case stale:
		return fmt.Sprintf("'bench score %s' computes the scores again", d.Dir)
	case what != "":
		return fmt.Sprintf("restore %s of %s from a copy, as its contents are nowhere else%s", what, d.Dir, accept)
	}
	return fmt.Sprintf("'bench resume --repair %s' moves the damaged files aside and asks their questions again%s", d.Dir, accept)
}

// Unwrap returns the faults.
func (d *Damage) Unwrap() []error {
	return lists.Map(d.Faults, func(f *Fault) error { return f })
}

// IsDamage reports whether err tells of a damaged run folder.
func IsDamage(err error) bool {
	_, ok := errors.AsType[*Fault](err)
	return ok
}

// An Edit is a change to a run folder that a person accepted.
type Edit struct {
	File string `json:"file"` // in the run folder
}

// EditedNote names the accepted edits of a run; empty for none. Everything that shows a
// figure of the run shows it, too.
func (h Header) EditedNote() string {
	if len(h.Accepted) == 0 {
		return ""
	}
	note := "edited after the run, and the edit accepted: " + h.Accepted[0].File
	if n := len(h.Accepted) - 1; n > 0 {
		note += fmt.Sprintf(" and %d more", n)
	}
	return note
}

package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"recallbench/internal/result/record"
)

// A State is the state of a run.
type State string

// The states. If the header says that a run is active, the progress that it
// writes reports whether it really is.
const (
	Running     State = "running"
	Stopped     State = "stopped" // without a word: its process is gone or hangs
	Interrupted State = "interrupted"
	Complete    State = "complete"
	Shard       State = "shard"    // complete, and a part of a run
	Imported    State = "imported" // complete, with answers from elsewhere
	Baseline    State = "baseline"
	Damaged     State = "damaged" // files are not what the run wrote
	Unreadable  State = "unreadable"
)

// How old what a process last wrote may be.
const (
	progressAge = 10 * time.Second
	silence     = time.Minute
)

// stateOf returns the state that a header tells; Running for any active one.
func stateOf(h record.Header, row *Row) State {
	switch {
	case row.Baseline:
		return Baseline
	case h.Status == record.Started:
		return Running
	case h.Status == record.Interrupted:
		return Interrupted
	case h.Shard != nil:
		return Shard
	case len(h.Cells) > 0 && !slices.ContainsFunc(h.Cells, func(c record.Cell) bool { return c.Imported == nil }):
		return Imported
	}
	return Complete
}

// StateOf returns the state of a run whose header says that it is active, and when an
// inactive one last changed. Progress is nil if there is none, as just after a run has
// begun.
func StateOf(folder record.Folder, p *record.Progress, now time.Time) (state State, since time.Time) {
	changed, age, here := time.Time{}, silence, true
	if p != nil {
		changed, age, here = p.Time, progressAge, p.Host != record.Host() || alive(p.PID)
	} else if info, err := os.Stat(filepath.Join(string(folder), "run.json")); err == nil {
		changed = info.ModTime()
	}
	if here && now.Sub(changed) <= age {
		return Running, time.Time{}
	}
	return Stopped, changed
}

// setState sets what may change of a row while its header does not.
func (p *place) setState(c *Catalog) {
	row := &p.row
	if row.Status == Running || row.Status == Stopped {
		progress, err := record.ReadProgress(p.dir)
		if err != nil {
			progress = nil
		}
		row.Status, row.Since = StateOf(record.Folder(p.dir), progress, c.Now())
		if progress != nil {
			row.Finished, row.Errors, row.Paid = &progress.Done, &progress.Failed, &progress.Paid
		}
	}
	row.Resume = Resume(row.Status, p.dir)
}

// Resume returns the command that continues a run in a folder; empty if there is
// nothing to continue.
func Resume(s State, dir string) string {
	if s == Stopped || s == Interrupted {
		return "bench resume " + dir
	}
	return ""
}

// alive reports whether a process of this machine is there. Where the system does
// not tell, it is.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release() //nolint:errcheck // nothing is held but a handle
	err = p.Signal(syscall.Signal(0))
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}

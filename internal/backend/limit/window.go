package limit

import (
	"slices"
	"time"
)

// maxTokens bounds an estimate, so that no sum overflows.
const maxTokens = 1 << 40

// span is how long an attempt counts in a window: a minute, and a second for the time
// from its slot to its arrival at the provider.
const span = time.Minute + time.Second

// unsent is how long an attempt counts that nobody has sent yet.
const unsent = 100 * 365 * 24 * time.Hour

// A window bounds what is sent in any minute, exactly: of the minute before
// any moment it never counts more than max. A token bucket, which is what
// golang.org/x/time/rate has, lets up to twice as much pass after an idle
// minute, and at the start, which a provider that counts minutes refuses.
type window struct {
	max     int // 0 is no bound
	sum     int
	entries []*entry // that count, by until
}

// An entry is an attempt in a window.
type entry struct {
	until time.Time // it counts
	n     int
	over  bool // it counts no longer
}

// wait returns how long to wait until n more may be sent. More than max may be
// sent when nothing else was.
func (w *window) wait(now time.Time, n int) time.Duration {
	if w.max == 0 {
		return 0
	}
	old := 0
	for old < len(w.entries) && !now.Before(w.entries[old].until) {
		w.sum -= w.entries[old].n
		w.entries[old].over = true
		old++
	}
	w.entries = w.entries[old:]
	free := w.max - w.sum
	for _, e := range w.entries {
		if min(n, w.max) <= free {
			break
		}
		free += e.n
		if min(n, w.max) <= free {
			return e.until.Sub(now)
		}
	}
	return 0
}

// add counts n until a time.
func (w *window) add(until time.Time, n int) *entry {
	if w.max == 0 {
		return nil
	}
	e := &entry{until: until, n: n}
	w.insert(e)
	w.sum += n
	return e
}

func (w *window) insert(e *entry) {
	at := len(w.entries)
	for at > 0 && w.entries[at-1].until.After(e.until) {
		at--
	}
	w.entries = slices.Insert(w.entries, at, e)
}

// sent lets an entry count no longer than an attempt that was sent at a time.
func (w *window) sent(e *entry, at time.Time) {
	if until := at.Add(span); w.max > 0 && !e.over && until.Before(e.until) {
		i := slices.Index(w.entries, e)
		w.entries = slices.Delete(w.entries, i, i+1)
		e.until = until
		w.insert(e)
	}
}

// settle exchanges the estimate of an entry for what was sent.
func (w *window) settle(e *entry, n int) {
	if w.max == 0 || e.over {
		return
	}
	n = min(n, maxTokens)
	w.sum += n - e.n
	e.n = n
}

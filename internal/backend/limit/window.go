package limit

import (
	"slices"
	"time"
)

const (
	maxTokens = 1 << 40 // of an estimate, so that no sum overflows

	// span is how long an attempt counts in a window: a minute, and a second for the
	// time from its slot to its arrival at the provider.
	span = time.Minute + time.Second

	unknown = 100 * 365 * 24 * time.Hour // span of what another process has to send yet
)

// A window bounds the requests and tokens of any minute, exactly: of the minute before
// any moment it never counts more. A token bucket, such as that of
// golang.org/x/time/rate, knows when a call was let go and not when another process
// sent it, and exceeds the bound by what a single call takes or leaves that unused.
type window struct {
	rpm, tpm int      // 0 means no limit
	tokens   int      // of the entries
	entries  []*entry // attempts that count, by until
}

// An entry is an attempt in a window.
type entry struct {
	from, until time.Time // it counts
	tokens      int
	over        bool // it counts no longer
}

// wait returns how long to wait until so many tokens more may be sent. More than the
// bound may be sent when nothing else was.
func (w *window) wait(now time.Time, tokens int) time.Duration {
	for len(w.entries) > 0 && !now.Before(w.entries[0].until) {
		w.drop(0)
	}
	requests, sum, from := len(w.entries), w.tokens, now
	for _, e := range w.entries {
		if (w.rpm == 0 || requests < w.rpm) && (w.tpm == 0 || sum+min(tokens, w.tpm) <= w.tpm) {
			break
		}
		requests, sum, from = requests-1, sum-e.tokens, e.until
	}
	return from.Sub(now)
}

// add counts an attempt for a time.
func (w *window) add(now time.Time, span time.Duration, tokens int) *entry {
	e := &entry{from: now, until: now.Add(span), tokens: tokens, over: true}
	if w.rpm > 0 || w.tpm > 0 {
		w.insert(e)
	}
	return e
}

func (w *window) insert(e *entry) {
	w.entries = slices.Insert(w.entries, w.place(e), e)
	w.tokens += e.tokens
	e.over = false
}

// place returns where entries with e's time begin.
func (w *window) place(e *entry) int {
	at, _ := slices.BinarySearchFunc(w.entries, e, func(x, e *entry) int { return x.until.Compare(e.until) })
	return at
}

func (w *window) drop(i int) {
	w.tokens -= w.entries[i].tokens
	w.entries[i].over = true
	w.entries = slices.Delete(w.entries, i, i+1)
}

// change lets an entry that still counts take so many tokens, and count no longer than
// what was sent at a time.
func (w *window) change(e *entry, tokens int, sent time.Time) {
	if e.over {
		return
	}
	i := w.place(e)
	w.drop(i + slices.Index(w.entries[i:], e))
	e.tokens = min(tokens, maxTokens)
	if sent.Before(e.from) {
		sent = e.from
	}
	if until := sent.Add(span); until.Before(e.until) {
		e.until = until
	}
	w.insert(e)
}

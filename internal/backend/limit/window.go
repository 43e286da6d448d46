package limit

import "time"

// maxTokens bounds an estimate, so that no sum overflows.
const maxTokens = 1 << 40

// A window bounds what is sent in any minute, exactly: of the minute before
// any moment it never counts more than max. A token bucket, which is what
// golang.org/x/time/rate has, lets up to twice as much pass after an idle
// minute, and at the start, which a provider that counts minutes refuses.
type window struct {
	max     int // 0 is no bound
	sum     int
	entries []entry // of the last minute, by time
	dropped uint64  // how many entries came before
}

type entry struct {
	at time.Time
	n  int
}

// wait returns how long to wait until n more may be sent. More than max may be
// sent when nothing else was.
func (w *window) wait(now time.Time, n int) time.Duration {
	if w.max == 0 {
		return 0
	}
	old := 0
	for old < len(w.entries) && now.Sub(w.entries[old].at) >= time.Minute {
		w.sum -= w.entries[old].n
		old++
	}
	w.entries = w.entries[old:]
	w.dropped += uint64(old)
	free := w.max - w.sum
	for _, e := range w.entries {
		if min(n, w.max) <= free {
			break
		}
		free += e.n
		if min(n, w.max) <= free {
			return time.Minute - now.Sub(e.at)
		}
	}
	return 0
}

// add counts n as sent and returns the entry's number for settle.
func (w *window) add(now time.Time, n int) uint64 {
	if w.max == 0 {
		return 0
	}
	w.entries = append(w.entries, entry{now, n})
	w.sum += n
	return w.dropped + uint64(len(w.entries)) - 1
}

// settle exchanges the estimate of an entry for what was sent.
func (w *window) settle(number uint64, n int) {
	if w.max == 0 || number < w.dropped {
		return
	}
	e := &w.entries[number-w.dropped]
	n = min(n, maxTokens)
	w.sum += n - e.n
	e.n = n
}

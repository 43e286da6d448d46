package limit

import "time"

const (
	excuse    = 8  // successes that excuse a refusal
	maxCredit = 32 // successes that are kept for that

	maxPatience = 32 // rounds between trials

	loneWait    = time.Second // after the refusal of a lone call, doubling
	maxLoneWait = 30 * time.Second
)

// An adaptive is the limit of calls in flight and what it learns from.
type adaptive struct {
	limit, max int
	peak       int // in flight so far

	clean    int       // replies since the limit changed that speak for growth
	trial    bool      // the limit is being tried
	credit   int       // successes less those that excused a refusal
	patience int       // rounds before the next trial
	last     time.Time // the last cut

	lone    int       // refusals of lone calls in a row
	gate    time.Time // nothing is sent before
	success time.Time // the last one
}

// grow learns from a success. Saturated says that the limit held calls back.
func (a *adaptive) grow(now time.Time, s sent, saturated bool) {
	a.lone, a.success = 0, now
	a.credit = min(a.credit+1, maxCredit)
	if !saturated || s.inFlight < a.limit {
		return
	}
	a.clean++
	if a.trial && a.clean >= a.limit {
		a.trial, a.patience = false, 1
	}
	if a.limit < a.max && a.clean >= a.limit*a.patience {
		a.limit, a.clean, a.trial = a.limit+1, 0, true
	}
}

// cut learns from a refusal. InFlight is what is left in flight, wait what the
// server asks for, total what a call has.
func (a *adaptive) cut(now time.Time, s sent, inFlight int, wait, total time.Duration) {
	switch {
	case s.inFlight == 1 && inFlight == 0 && !a.success.After(s.at):
		if wait <= 0 {
			wait = min(loneWait<<min(a.lone, 16), maxLoneWait)
		}
		a.lone++
		if wait <= total { // calls that have to wait longer fail at once
			a.gate = now.Add(wait)
		}
		a.patience = 1
	case s.at.Before(a.last): // one more of the last burst
	case !a.trial && a.credit >= excuse:
		a.credit, a.clean = a.credit-excuse, 0
		return
	case a.trial:
		a.patience = min(2*a.patience, maxPatience)
	}
	a.limit, a.clean, a.trial, a.last = max(min(a.limit, a.peak)-1, 1), 0, false, now
}

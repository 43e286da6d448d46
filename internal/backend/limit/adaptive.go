package limit

import "time"

const (
	excuse    = 8  // successes that excuse a refusal
	maxCredit = 32 // successes that are kept for that

	maxPatience = 32               // rounds between trials
	trialWait   = 10               // and the time between them, in times of a Retry-After,
	longestHold = 15 * time.Second // so that calls it costs their turn are few

	loneWait    = time.Second // after the refusal of a lone call, doubling
	maxLoneWait = 30 * time.Second
)

// An adaptive is the limit of calls in flight and what it learns from.
type adaptive struct {
	limit, max int
	peak       int // in flight since the epoch began
	epoch      int // counts the changes of the limit
	cutEpoch   int // the one that began with the last cut

	clean    int       // replies of this epoch that speak for growth
	trial    bool      // the limit is being tried
	slow     bool      // it doubles
	credit   int       // successes less those that excused a refusal
	patience int       // rounds before the next trial
	hold     time.Time // no trial before

	lone    int           // refusals of lone calls in a row
	gate    time.Time     // nothing is sent before
	success time.Time     // the last one
	latency time.Duration // of replies, smoothed
}

// grow learns from a success. Saturated says that the limit held calls back.
func (a *adaptive) grow(now time.Time, s sent, saturated bool, inFlight int) {
	a.lone, a.success = 0, now
	a.credit = min(a.credit+1, maxCredit)
	if a.latency == 0 {
		a.latency = now.Sub(s.at)
	}
	a.latency += (now.Sub(s.at) - a.latency) / 8
	if !saturated || s.epoch != a.epoch && s.inFlight < a.limit {
		return
	}
	a.clean++
	if a.trial && a.clean >= a.limit {
		a.trial, a.patience = false, 1
	}
	if a.limit == a.max || a.clean < a.limit*a.patience || now.Before(a.hold) {
		return
	}
	a.trial = true
	step := 1
	if a.slow {
		step = a.limit
	}
	a.change(min(a.limit+step, a.max), inFlight)
}

// cut learns from a refusal. InFlight is what is left in flight, wait what the
// server asks for, total what a call has.
func (a *adaptive) cut(now time.Time, s sent, inFlight int, wait, total time.Duration) {
	lone := s.inFlight == 1 && inFlight == 0 && !a.success.After(s.at)
	switch {
	case lone:
		a.change(1, inFlight)
		a.slow, a.patience, a.hold = true, 1, time.Time{}
		if wait <= 0 {
			wait = min(loneWait<<min(a.lone, 16), maxLoneWait)
		}
		a.lone++
		if wait <= total { // calls that have to wait longer fail at once
			a.gate = now.Add(wait)
		}
	case s.epoch < a.cutEpoch:
		a.limit, a.clean = max(a.limit-1, 1), 0 // one more of the last burst
		return
	case !a.trial && a.credit >= excuse:
		a.credit -= excuse
		a.clean = 0
		return
	default:
		if a.trial {
			a.patience = min(2*a.patience, maxPatience)
		}
		a.slow = false
		a.change(max(min(a.limit, a.peak)-1, 1), inFlight)
		a.hold = now.Add(max(min(wait, longestHold)*trialWait, 0))
	}
	a.trial, a.cutEpoch = false, a.epoch
}

// change begins a new epoch with a limit.
func (a *adaptive) change(limit, inFlight int) {
	a.limit, a.peak, a.clean = limit, inFlight, 0
	a.epoch++
}

package limit

import "time"

const (
	proof     = 8         // replies that prove a limit, or excuse a refusal at a known one
	maxCredit = 4 * proof // replies that are kept for that

	// After a refusal at a known limit a trial is proven by fewer replies, for
	// so many rounds: one that has to wait for a round without any refusal has
	// no chance at a server that refuses now and then.
	noiseRounds = 4

	// Rounds between trials, and the time between them as a multiple of a
	// Retry-After: a call that a trial costs its turn waits that long, so that
	// trials delay the last calls of a run by a tenth of its time at most.
	maxPatience = 32
	trialEvery  = 10
	trialWait   = 15 * time.Second

	loneWait    = time.Second // after the refusal of a lone call, doubling
	maxLoneWait = 30 * time.Second
)

// An adaptive is the limit of calls in flight and what it learns from. The
// package comment has its rules.
type adaptive struct {
	limit, max int
	sends      uint64 // attempts that ever were sent
	peak       int    // in flight since the epoch began
	epoch      int    // counts the changes of the limit
	cutEpoch   int    // the one that began with the last cut

	clean    int       // replies of this epoch that speak for growth
	slow     bool      // slow start
	step     int       // of growth
	extra    uint64    // last of the attempts that the growth added
	calm     int       // replies at known that speak for a trial
	credit   int       // successes less proof for each refusal excused
	quiet    int       // successes since the last refusal at a known limit
	known    int       // largest limit that proved good
	failed   int       // trials in a row that were refused
	patience int       // rounds before the next trial
	hold     time.Time // no trial before

	lone    int           // refusals of lone calls in a row
	gate    time.Time     // nothing is sent before
	success time.Time     // the last one
	latency time.Duration // of replies, smoothed
}

func newAdaptive(s Settings) adaptive {
	a := adaptive{limit: s.Start, max: s.Max, slow: true, step: 1, patience: 1, quiet: 1 << 30}
	if a.limit == 0 {
		a.limit = s.Max
	}
	a.extra = uint64(a.limit)
	return a
}

// closed returns how long nothing may be sent.
func (a *adaptive) closed(now time.Time) time.Duration {
	if a.gate.IsZero() {
		return 0
	}
	return max(a.gate.Sub(now), 0)
}

// grow learns from a success and returns the reason of the growth that
// follows, or "". Saturated says that the limit held calls back.
func (a *adaptive) grow(now time.Time, s sent, saturated bool, inFlight int) (reason string) {
	a.lone, a.success = 0, now
	a.quiet++
	a.credit = min(a.credit+1, maxCredit)
	a.latency = smooth(a.latency, now.Sub(s.at))
	current := s.epoch == a.epoch || s.inFlight >= a.limit || a.slow
	if !current || !saturated || s.retried && a.slow {
		return ""
	}
	a.clean++
	if a.limit == a.known && !s.retried {
		a.calm++
	}
	needed := min(a.limit, proof)
	if a.slow || a.limit > a.known && !a.noisy() {
		needed = a.limit
	}
	if a.clean < needed {
		return ""
	}
	if a.limit > a.known {
		a.known, a.failed, a.patience, a.calm = a.limit, 0, 1, a.clean
	}
	switch {
	case a.limit == a.max:
		return ""
	case a.slow && a.limit < a.known:
		a.slow = 2*a.limit < a.known
		a.enlarge(min(2*a.limit, a.known), inFlight)
		return reasonSlowStart
	case a.slow:
		a.enlarge(min(2*a.limit, a.max), inFlight)
		return reasonSlowStart
	case a.limit < a.known:
		a.enlarge(min(a.limit+a.step, a.known), inFlight)
	case a.calm < a.limit*a.patience || now.Before(a.hold):
		return ""
	default:
		a.calm = 0
		a.enlarge(min(a.limit+a.step, a.max), inFlight)
	}
	a.step = min(2*a.step, max(a.limit/4, 1))
	return reasonGrowth
}

// cut learns from a refusal. InFlight is what is left in flight, wait what the
// server asks for, total what a call has. It reports whether the refusal is
// one more of the last burst.
func (a *adaptive) cut(now time.Time, s sent, inFlight int, wait, total time.Duration) (same bool) {
	lone := s.inFlight == 1 && inFlight == 0 && !a.success.After(s.at)
	if s.epoch < a.cutEpoch && !lone {
		a.limit, a.clean = max(a.limit-1, 1), 0
		return true
	}
	tried, reached := a.limit, a.peak >= a.limit
	if a.credit >= proof && (tried <= a.known || !reached) && !lone {
		a.credit -= proof
		a.quiet, a.step = 0, 1
		a.change(max(tried-1, 1), inFlight)
		a.cutEpoch = a.epoch
		return false
	}
	a.slow, a.step = !reached && a.known == 0, 1
	a.change(max(min(tried, a.peak)-1, 1), inFlight)
	a.cutEpoch = a.epoch
	switch {
	case lone:
		a.shut(now, wait, total)
	case tried <= a.known: // the server takes less than it did
		a.known, a.failed, a.patience, a.calm = a.limit, 0, 1, 0
	case s.number <= a.extra:
		a.failed++
		a.patience = min(1<<min(a.failed, 16), maxPatience)
		if wait < trialWait {
			wait = max(wait, min(trialEvery*wait, trialWait))
		}
		a.hold = now.Add(min(wait, total))
	}
	return false
}

// shut sends nothing for a while and then begins anew. A time beyond what a
// call has is nothing to wait for: calls fail with it at once.
func (a *adaptive) shut(now time.Time, wait, total time.Duration) {
	a.limit, a.slow = 1, true
	if wait == 0 {
		wait = min(loneWait<<min(a.lone, 16), maxLoneWait)
	}
	a.lone++
	if wait <= total {
		a.gate = now.Add(wait)
	}
}

// trouble learns from a fault that is no refusal: it takes back a reply that
// spoke for a trial, or for slow start.
func (a *adaptive) trouble() {
	a.calm = max(a.calm-1, 0)
	if a.slow {
		a.clean = max(a.clean-1, 0)
	}
}

// enlarge raises the limit. What is sent next takes the place of the call that
// just ended; the calls after that are those which the growth adds. Of a round
// that ends at one moment any other call may be refused in their place.
func (a *adaptive) enlarge(limit, inFlight int) {
	added := 1 + limit - a.limit
	if !a.noisy() {
		added = limit
	}
	a.extra = a.sends + uint64(added)
	a.change(limit, inFlight)
}

// noisy reports whether there was a refusal lately that the limit does not
// explain.
func (a *adaptive) noisy() bool { return a.quiet < noiseRounds*a.limit }

// change begins a new epoch with a limit.
func (a *adaptive) change(limit, inFlight int) {
	a.limit, a.peak, a.clean = limit, inFlight, 0
	a.epoch++
}

// smooth adds a value to a moving average as TCP does to its round trip time;
// 0 is no average yet.
func smooth(average, d time.Duration) time.Duration {
	if average == 0 {
		return d
	}
	return average + (d-average)/8
}

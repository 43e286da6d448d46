package limit

import (
	"time"

	"recallbench/internal/door/fault"
)

const (
	row      = 20 // calls in a row that have to fail before an account is given up
	unproven = 64 // calls that may be in flight at first, before anything came through

	// rampStep is the time until one more may be, while nothing has failed either.
	rampStep = 250 * time.Microsecond
)

// A circuit counts calls that failed with nothing that came through between them.
type circuit struct {
	proven   bool
	first    time.Time // when the first call was sent
	failures int
	newest   uint64 // attempt sent before the first of them
	older    int    // attempts up to newest that are still in flight
	last     *fault.Error
	down     bool
	broken   chan struct{} // closed while it is down
}

// wait returns how long to wait until another call may be sent in addition to those in
// flight.
func (c *circuit) wait(now time.Time, inFlight int) time.Duration {
	if c.proven || inFlight < unproven {
		return 0
	}
	return c.first.Add(time.Duration(inFlight+1-unproven) * rampStep).Sub(now)
}

// sent notes that a call was sent.
func (c *circuit) sent(now time.Time) {
	if c.first.IsZero() {
		c.first = now
	}
}

// cameThrough ends the row.
func (c *circuit) cameThrough() {
	if c.down {
		c.broken = make(chan struct{})
	}
	c.proven, c.failures, c.last, c.down = true, 0, nil, false
}

// held reports whether nothing is to be sent until calls that are in flight have
// shown whether anything comes through, or whether a row of garbled replies continues.
func (c *circuit) held(inFlight int) bool {
	return c.failures > 0 && !c.proven && inFlight >= unproven ||
		c.failures >= row && c.older > 0 && c.last.Kind.Garbled()
}

// ended takes an attempt out of those in flight.
func (c *circuit) ended(number uint64) {
	if c.failures > 0 && number <= c.newest {
		c.older--
	}
}

// failed adds a call to the row. Sends counts the attempts that were sent; inFlight of
// them have no reply yet.
func (c *circuit) failed(e *fault.Error, sends uint64, inFlight int) {
	if c.failures == 0 {
		c.newest, c.older = sends, inFlight
	}
	c.failures++
	c.last = e
}

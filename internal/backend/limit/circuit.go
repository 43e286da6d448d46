package limit

import "recallbench/internal/door/fault"

// row is how many calls in a row have to fail before an account is given up.
const row = 20

// unproven is how many calls may be in flight before anything came through.
const unproven = 64

// garbledRetries is how often a call is tried again after garbled replies: each
// of them may have to be paid.
const garbledRetries = 3

// A circuit counts calls that failed with nothing that came through between
// them. The package comment has its rules.
type circuit struct {
	number   int // of the row, from 1
	proven   bool
	failures int
	newest   uint64 // attempt sent before the first of them
	older    int    // attempts up to newest that are still in flight
	last     *fault.Error
	up       chan struct{} // closed while the account is given up
}

func newCircuit() circuit { return circuit{number: 1, up: make(chan struct{})} }

func (c *circuit) givenUp() bool {
	select {
	case <-c.up:
		return true
	default:
		return false
	}
}

// cameThrough ends the row.
func (c *circuit) cameThrough() {
	c.proven = true
	if c.failures == 0 {
		return
	}
	c.number++
	c.failures, c.last = 0, nil
	if c.givenUp() {
		c.up = make(chan struct{})
	}
}

// held reports whether nothing is to be sent until calls that are in flight have
// shown whether a row of garbled replies goes on.
func (c *circuit) held() bool {
	return c.failures >= row && c.older > 0 && c.last.Kind.Garbled()
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

// broken gives the account up if the row is long enough, and reports whether it
// is given up.
func (c *circuit) broken() bool {
	if c.failures >= row && c.older == 0 && !c.givenUp() {
		close(c.up)
	}
	return c.givenUp()
}

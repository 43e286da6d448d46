package limit

import "recallbench/internal/fault"

// row is how many calls in a row have to fail before an account is given up.
const row = 20

// A circuit counts calls that failed with nothing that came through between
// them. The package comment has its rules.
type circuit struct {
	failures int
	newest   uint64 // attempt sent before the first of them
	older    int    // attempts up to newest that are still in flight
	last     *fault.Error
	up       chan struct{} // closed while the account is given up
}

func newCircuit() circuit { return circuit{up: make(chan struct{})} }

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
	c.failures, c.last = 0, nil
	if c.givenUp() {
		c.up = make(chan struct{})
	}
}

// ended takes an attempt out of those in flight.
func (c *circuit) ended(number uint64) {
	if c.failures > 0 && number <= c.newest {
		c.older--
	}
}

// failed adds a call to the row and reports whether the account is given up.
// Sends is how many attempts were sent, of which inFlight are in flight.
func (c *circuit) failed(e *fault.Error, sends uint64, inFlight int) bool {
	if c.failures == 0 {
		c.newest, c.older = sends, inFlight
	}
	c.failures++
	c.last = e
	if c.failures >= row && c.older == 0 && !c.givenUp() {
		close(c.up)
	}
	return c.givenUp()
}

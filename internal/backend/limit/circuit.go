package limit

import "recallbench/internal/door/fault"

const (
	row      = 20 // calls in a row that have to fail before an account is given up
	unproven = 64 // calls that may be in flight before anything came through
)

// A circuit counts calls that failed with nothing that came through between them.
type circuit struct {
	proven   bool
	failures int
	last     *fault.Error
	down     bool
	broken   chan struct{} // closed while it is down
}

// cameThrough ends the row.
func (c *circuit) cameThrough() {
	if c.down {
		c.broken = make(chan struct{})
	}
	c.proven, c.failures, c.last, c.down = true, 0, nil, false
}

// holds reports whether nothing is sent beside the calls in flight.
func (c *circuit) holds(inFlight int) bool { return !c.proven && inFlight >= unproven }

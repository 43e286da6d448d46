package limit

import (
	"fmt"
	"slices"
	"time"
)

// A Change is a change of an account's limit of calls in flight.
type Change struct {
	Time    time.Time `json:"time"`
	Account string    `json:"account"`
	Limit   int       `json:"limit"` // from then on
	// Reason is "start", "slow start", "growth", or "429": one for a burst of
	// refusals, with its first time and its last limit.
	Reason string `json:"reason"`
}

// The reasons of changes.
const (
	reasonStart     = "start"
	reasonSlowStart = "slow start"
	reasonGrowth    = "growth"
	reasonRefused   = "429"
)

// kept is how many changes a history keeps of its start and of its end.
const kept = 128

// A history is a list of changes of bounded length.
type history struct {
	first, last []Change
	dropped     int // between them
}

func (h *history) add(c Change) {
	switch {
	case len(h.first) < kept:
		h.first = append(h.first, c)
		return
	case len(h.last) == kept:
		copy(h.last, h.last[1:])
		h.last = h.last[:kept-1]
		h.dropped++
	}
	h.last = append(h.last, c)
}

// cut adds a cut; same is set where it goes on with the last one.
func (h *history) cut(c Change, same bool) {
	list := h.last
	if len(list) == 0 {
		list = h.first
	}
	if last := &list[len(list)-1]; same && last.Reason == reasonRefused {
		last.Limit = c.Limit
		return
	}
	h.add(c)
}

func (h *history) list() []Change {
	all := slices.Concat(h.first, h.last)
	if h.dropped > 0 {
		all[len(h.first)].Reason += fmt.Sprintf(" (%d changes before it are left out)", h.dropped)
	}
	return all
}

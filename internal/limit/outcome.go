package limit

import "recallbench/internal/fault"

// An outcome is what an attempt says about its account.
type outcome int

const (
	aborted   outcome = iota // nothing: it was cut short from here
	succeeded                // the server takes this much
	answered                 // the server is there
	refused                  // the server takes less
	faulty                   // the server, or the way to it, is in trouble
)

// outcomeOf returns what the failure of an attempt says.
func outcomeOf(err error) outcome {
	switch k := fault.KindOf(err); {
	case k == "":
		return aborted
	case k == fault.RateLimit:
		return refused
	case k.Passes(), k.Garbled():
		return faulty
	default:
		return answered
	}
}

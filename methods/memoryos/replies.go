package memoryos

import (
	"encoding/json"
	"fmt"
)

// A part is what is kept of a building: the replies to the calls that one page
// took, in order.
type part struct {
	Page    int               `json:"page"`
	Replies []json.RawMessage `json:"replies"`
}

// replies are those to the calls of one page: kept ones, which are used up, or such
// as are still to be kept.
type replies struct {
	page   int
	replay bool
	list   []json.RawMessage
}

// asked returns the next kept reply, or calls the model and notes its reply.
func asked[T any](r *replies, call func() (T, error)) (value T, err error) {
	if r.replay {
		if len(r.list) == 0 {
			return value, fmt.Errorf("the kept memory has too few replies for page %d", r.page)
		}
		raw := r.list[0]
		r.list = r.list[1:]
		if err := json.Unmarshal(raw, &value); err != nil {
			return value, fmt.Errorf("a kept reply for page %d: %w", r.page, err)
		}
		return value, nil
	}
	if value, err = call(); err != nil {
		return value, err
	}
	raw, err := json.Marshal(value)
	r.list = append(r.list, raw)
	return value, err
}

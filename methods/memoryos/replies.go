package memoryos

import "encoding/json"

// A part is what is kept of a building: the replies to the calls that one page
// took, in order.
type part struct {
	Page    int     `json:"page"`
	Replies []reply `json:"replies"`
}

// A reply is what came of a call, as far as it could be used.
type reply struct {
	Template string          `json:"template"`
	Value    json.RawMessage `json:"value"`
}

// replies are those to the calls of one page.
type replies struct {
	kept []reply // that are left of an earlier building
	made []reply // the page's, kept ones included
	own  bool    // some are not kept yet
}

// asked returns the next kept reply, or calls the model. Kept replies end where a
// page takes other calls than before, as it may where its vectors are not quite
// the same.
func asked[T any](r *replies, template string, call func() (T, error)) (value T, err error) {
	if len(r.kept) > 0 {
		next := r.kept[0]
		if next.Template == template && json.Unmarshal(next.Value, &value) == nil {
			r.kept, r.made = r.kept[1:], append(r.made, next)
			return value, nil
		}
		r.kept, r.own = nil, true
	}
	if value, err = call(); err != nil {
		return value, err
	}
	data, err := json.Marshal(value)
	r.made, r.own = append(r.made, reply{template, data}), true
	return value, err
}

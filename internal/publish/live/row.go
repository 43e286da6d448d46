package live

import (
	"encoding/json"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
)

// A row is a finished request as an index of requests has it. Its JSON is an array:
// sample, request, status, number of the error's kind or -1, reach of the gold
// evidence (0 unknown, 1 none, 2 part, 3 all), ms, dollars, tokens, calls, beginning of
// the answer, and the values of the columns.
type row struct {
	sample, request string
	status          record.Status
	kind            int
	reach           scored.Reach
	ms              float64
	usd             *float64
	tokens, calls   int
	answer          string
	values          []*float64
	message         string // of its error
	ended           time.Time
}

// MarshalJSON implements [json.Marshaler].
func (r *row) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{r.sample, r.request, r.status, r.kind, r.reach, r.ms, r.usd, r.tokens, r.calls, r.answer, r.values})
}

// cost is in dollars; 0 where it is not known.
func (r *row) cost() float64 {
	if r.usd == nil {
		return 0
	}
	return *r.usd
}

// add adds a record to its cell. Of a request that was asked again the last counts.
func (f *follower) add(c *cell, r record.Record, line int) *row {
	now := &row{
		sample: r.Sample, request: r.Request, status: r.Status, kind: -1, ms: r.Time.Total, usd: r.Cost, answer: cut(r.Answer),
		values: make([]*float64, len(f.columns)), ended: finished(r.Time),
	}
	for _, usage := range r.Usage {
		for _, u := range usage {
			now.tokens += u.Input + u.Output
			now.calls += u.Calls
		}
	}
	if r.Status != record.OK {
		kind := string(r.Status)
		if r.Error != nil {
			kind, now.message = r.Error.Kind, cut(r.Error.Message)
		}
		if now.kind = slices.Index(f.kinds, kind); now.kind < 0 {
			now.kind = len(f.kinds)
			f.kinds = append(slices.Clone(f.kinds), kind)
		}
	}
	if c.scorer != nil {
		score, reach, err := c.scorer.Score(r)
		if err != nil {
			f.fault(f.name(f.folder.Records(c.ID)), line, err)
		}
		for i, col := range f.columns {
			if v := score.Values[col.Name]; v != nil && !math.IsNaN(*v) {
				now.values[i] = v
			}
		}
		now.reach = reach
	}
	k := record.Asked{Sample: r.Sample, Request: r.Request}
	if old, ok := c.rows[k]; ok {
		*old = *now
		return old
	}
	c.rows[k] = now
	c.order = append(c.order, now)
	return now
}

// cut returns the first 1,000 characters of a text, which is what a row has.
func cut(s string) string {
	const most = 1000
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most])
}

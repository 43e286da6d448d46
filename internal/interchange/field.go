package interchange

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"recallbench/internal/jsontree"
	"recallbench/internal/llm"
)

// scalar returns the text of the first of some fields that is a string or a
// number; empty where there is none.
func scalar(c *jsontree.Cursor, names ...string) string {
	for _, name := range names {
		if v := c.Value.Get(name); v != nil && (v.Kind == jsontree.String || v.Kind == jsontree.Number) {
			return v.Text
		}
	}
	return ""
}

// ids returns the texts of the first of some fields that is a list.
func ids(c *jsontree.Cursor, names ...string) []string {
	for _, name := range names {
		v := c.Value.Get(name)
		if v == nil || v.Kind != jsontree.Array {
			continue
		}
		var all []string
		for _, item := range v.Items {
			if item.Kind == jsontree.String && item.Text != "" {
				all = append(all, item.Text)
			}
		}
		return all
	}
	return nil
}

// seconds adds up fields that hold seconds, in milliseconds.
func seconds(c *jsontree.Cursor, names ...string) float64 {
	sum := 0.0
	for _, name := range names {
		sum += amount(c, name) * 1000
	}
	return sum
}

// amount returns a field that is a number of at least 0, else 0.
func amount(c *jsontree.Cursor, name string) float64 {
	v := c.Value.Get(name)
	if v == nil || v.Kind != jsontree.Number {
		return 0
	}
	x, err := strconv.ParseFloat(v.Text, 64)
	if err != nil || x < 0 {
		return 0
	}
	return x
}

// addStage notes the time of a part, where it is known.
func (a *Answer) addStage(name string, ms float64) {
	if ms <= 0 {
		return
	}
	if a.Stages == nil {
		a.Stages = make(map[string]float64)
	}
	a.Stages[name] = math.Round(ms*1000) / 1000 // to the microsecond, as records have it
}

// Total is the milliseconds of all parts.
func (a *Answer) Total() float64 {
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(a.Stages)) { // sums of floats depend on their order
		sum += a.Stages[name]
	}
	return sum
}

// mostTokens bounds a number of tokens that a file may claim, so that sums of them
// hold.
const mostTokens = 1 << 40

// addUsage adds tokens to what the answer used.
func (a *Answer) addUsage(input, cached, output, reasoning float64) {
	if a.Usage == nil {
		a.Usage = new(llm.Usage)
	}
	n := func(x float64) int { return int(min(x, mostTokens)) }
	*a.Usage = a.Usage.Add(llm.Usage{Calls: 1, Input: n(input), Cached: n(cached), Output: n(output), Reasoning: n(reasoning)})
}

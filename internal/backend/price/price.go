// Package price says what calls cost.
//
// The prices come with the program as data with a date, prices.yaml, and a
// user's own file of the same layout can be laid over them. A model that is in
// neither has no price: its cost is unknown and not 0.
package price

import (
	"fmt"
	"math"

	"recallbench/internal/door/llm"
)

// Rates are the prices of a model, in dollars for a million tokens.
type Rates struct {
	// Input is the price of tokens read.
	Input float64 `yaml:"input"`
	// Cached is the price of tokens read from the provider's cache.
	Cached float64 `yaml:"cached"`
	// Output is the price of tokens written, those of reasoning among them.
	Output float64 `yaml:"output"`
}

// Cost returns what the usage costs in dollars:
//
//	((input - cached) * Input + cached * Cached + output * Output) / 1e6
//
// Cached tokens are part of the input, so that no more than the input count;
// negative counts are 0.
func (r Rates) Cost(u llm.Usage) float64 {
	input, output := max(u.Input, 0), max(u.Output, 0)
	cached := min(max(u.Cached, 0), input)
	return (float64(input-cached)*r.Input + float64(cached)*r.Cached + float64(output)*r.Output) / 1e6
}

func check(field string, price float64) error {
	if !(price >= 0) || math.IsInf(price, 1) {
		return fmt.Errorf("%s is %v, want a price of at least 0", field, price)
	}
	return nil
}

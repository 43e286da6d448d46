package report

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
)

// Calibrate reports how often the rules of a comparison find a difference where there is
// none: some number of times, it assigns the two answers of each pair to the sides at random
// and tests the rows again. A rule that keeps its level finds a difference 5 % of the time.
func Calibrate(ctx context.Context, rows []Contrast, o ContrastOptions, times int) (*Document, error) {
	if slices.ContainsFunc(rows, func(r Contrast) bool { return !r.Paired }) {
		return nil, errors.New("a row is not paired; only paired answers can be assigned to the sides at random")
	}
	found := make(map[string]int) // by correction
	for draw := range times {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		family := lists.Map(rows, func(r Contrast) infer.Row {
			return infer.Row{Pair: r.Side, Units: r.relabelled(rand.NewPCG(uint64(draw), uint64(r.Side)))}
		})
		for _, correct := range infer.Corrections() {
			results := infer.Decide(slices.Clone(family), infer.Options{Correct: correct, AcceptTwo: o.AcceptTwo, Seed: uint64(draw), Bare: true})
			if slices.ContainsFunc(results, func(r infer.Result) bool { return r.Shown }) {
				found[correct]++
			}
		}
	}
	t := &Table{Name: "calibration", Title: "Findings where there is no difference"}
	t.NoteTitle(fmt.Sprintf("with-finding: percentage of families of %s in which a difference is statistically significant although the sides were assigned at random, with its Monte Carlo error; 5 is nominal, less is conservative", Plural(len(rows), "row")))
	share := func(correct string) float64 { return float64(found[correct]) / float64(times) }
	fill(t, infer.Corrections(),
		textColumn("correction", func(correct string) string { return correct }),
		numberColumn("families", func(string) Cell { return Whole(times) }),
		numberColumn("with-finding", func(correct string) Cell { return scaled(new(share(correct)), 100, 2) }),
		numberColumn("error", func(correct string) Cell {
			return scaled(new(math.Sqrt(share(correct)*(1-share(correct))/float64(times))), 100, 2)
		}),
	)
	return &Document{Tables: []*Table{t}}, nil
}

// relabelled returns the units of the row with a random sign for each question. Rows of
// the same pair of sides get the same signs.
func (c *Contrast) relabelled(source rand.Source) []infer.Unit {
	random := rand.New(source)
	var units []infer.Unit
	for i, questions := range c.questions {
		for k, q := range questions {
			x := q.Sum / q.Weight
			if random.Uint64()&1 == 1 {
				x = -x
			}
			if k == 0 {
				units = append(units, infer.Unit{ID: strconv.Itoa(i)})
			} else if c.Unit == ByRequest {
				units = append(units, infer.Unit{ID: fmt.Sprint(i, ".", k)})
			}
			units[len(units)-1].Add(x)
		}
	}
	return units
}

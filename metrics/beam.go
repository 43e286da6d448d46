package metrics

import "math"

// The metrics of BEAM, from what a judge said of each nugget of the rubric:
//
//	nugget@beam     Σ score / nuggets, of scores 0, 0.5 and 1
//	nugget@beam-int the same with 0.5 cut to 0, as the released scorer does in all
//	                abilities but event_ordering
//	order@beam      the order of the events and its parts, by [BEAMEventOrder]
//
// They are ratios in [0, 1], higher is better, and 0 for a failed request. They are
// undefined without a rubric, the last also where the rubric has no order; where the
// judge was not asked; and where its reply on a nugget could not be used.
var (
	NuggetBEAMSpec    = nuggets("nugget@beam", "share of the rubric's nuggets, half for some", func(x float64) float64 { return x })
	NuggetBEAMIntSpec = nuggets("nugget@beam-int", "share of the rubric's nuggets, none for some", math.Trunc)
	OrderBEAMSpec     = &Spec{
		Name:   "order@beam",
		Doc:    "how well an answer tells events in order",
		Source: beamSource,
		Of:     Judgement,
		Columns: []Column{
			{Name: "order@beam", Scale: 100, Digits: 2},
			{Name: "order-f1@beam", Scale: 100, Digits: 2},
			{Name: "order-final@beam", Scale: 100, Digits: 2},
		},
		Score: func(i Item) []Value {
			values := make([]Value, 3)
			if !i.Ordered || len(i.Rubric) == 0 {
				return values
			}
			if i.Failed {
				return []Value{Def(0), Def(0), Def(0)}
			}
			if i.Events == nil {
				return values
			}
			order, ok := BEAMEventOrder(i.Rubric, i.Events)
			return []Value{{order.Tau, ok}, Def(order.F1), {order.Final(), ok}}
		},
	}
)

const beamSource = "BEAM (Tavakoli et al., 2026): src/evaluation/compute_metrics.py at b2a3ee8"

// nuggets makes a metric of the mean of a judge's scores, each rounded.
func nuggets(name, doc string, round func(float64) float64) *Spec {
	return &Spec{
		Name: name, Doc: doc, Source: beamSource, Of: Judgement,
		Columns: []Column{{Name: name, Scale: 100, Digits: 2}},
		Score: func(i Item) []Value {
			switch {
			case len(i.Rubric) == 0:
				return make([]Value, 1)
			case i.Failed:
				return []Value{Def(0)}
			case len(i.Nuggets) != len(i.Rubric):
				return make([]Value, 1)
			}
			sum := 0.0
			for _, score := range i.Nuggets {
				if score == nil {
					return make([]Value, 1)
				}
				sum += round(*score)
			}
			return []Value{Def(sum / float64(len(i.Nuggets)))}
		},
	}
}

package runners

import (
	"slices"
	"strings"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
)

// A Load is what a phase of a cell takes: the building of its memories, or its
// requests.
type Load struct {
	Units    int `json:"n"`        // memories that are built, or requests
	Calls    int `json:"calls"`    // of language models
	Recorded int `json:"recorded"` // of them, those that recordings answer, also of this run
	// Input and Output are tokens of language models, and Embedded those that
	// are embedded.
	Input    int `json:"input"`
	Output   int `json:"output"`
	Embedded int `json:"embedded"`
	// MostOutput is Output where every reply is as long as its request allows;
	// nil where some request has no bound.
	MostOutput *int `json:"most_output"`
	// USD is the price of it all, recordings as if they were paid for. Pay is
	// what is left to pay, and MostPay that for MostOutput. They are nil where
	// a price or a bound is unknown.
	USD     *float64 `json:"usd"`
	Pay     *float64 `json:"pay"`
	MostPay *float64 `json:"most_pay"`
	// PayTokens and MostPayTokens are the tokens of what is left to pay, of all
	// models.
	PayTokens     int  `json:"pay_tokens"`
	MostPayTokens *int `json:"most_pay_tokens"`
}

// nothing is the load of nothing, to which others are added.
func nothing() Load {
	return Load{MostOutput: new(0), USD: new(0.0), Pay: new(0.0), MostPay: new(0.0), MostPayTokens: new(0)}
}

// unknown returns the load without prices and bounds.
func (l Load) unknown() Load {
	l.MostOutput, l.USD, l.Pay, l.MostPay, l.MostPayTokens = nil, nil, nil, nil, nil
	return l
}

// Add returns the sum of l and m. What is unknown of either is unknown.
func (l Load) Add(m Load) Load {
	return Load{
		Units: l.Units + m.Units, Calls: l.Calls + m.Calls, Recorded: l.Recorded + m.Recorded,
		Input: l.Input + m.Input, Output: l.Output + m.Output, Embedded: l.Embedded + m.Embedded,
		MostOutput: sum(l.MostOutput, m.MostOutput),
		USD:        sum(l.USD, m.USD), Pay: sum(l.Pay, m.Pay), MostPay: sum(l.MostPay, m.MostPay),
		PayTokens: l.PayTokens + m.PayTokens, MostPayTokens: sum(l.MostPayTokens, m.MostPayTokens),
	}
}

func sum[N int | float64](x, y *N) *N {
	if x == nil || y == nil {
		return nil
	}
	return new(*x + *y)
}

// times returns the load of doing the same n times.
func (l Load) times(n int) Load {
	total := nothing()
	for range n {
		total = total.Add(l)
	}
	return total
}

// Total adds up the loads of cells; its Units are requests of the cells
// themselves.
func Total(cells []CellEstimate) Load {
	total := nothing()
	for _, c := range cells {
		total = total.Add(c.Load())
	}
	return total
}

// usageLoad returns the load of one memory or request by its usage by role and what it cost.
func usageLoad(usage map[string]llm.Usage, cost *float64) Load {
	l := Load{Units: 1, USD: cost}
	for role, u := range usage {
		if role == meter.EmbedRole {
			l.Embedded += u.Input
		} else {
			l.Calls, l.Input, l.Output = l.Calls+u.Calls, l.Input+u.Input, l.Output+u.Output
		}
	}
	return l
}

// metered returns the load of one memory or request of a cell. Its bound takes each
// reply as long as the request allows, at the price of the dearest of the models that
// may have written it.
func (c *cell) metered(m *meter.Meter) Load {
	seen := m.Seen()
	l := usageLoad(seen.Usage, seen.Cost)
	l.Recorded, l.Pay, l.PayTokens = seen.Paid.Reused, seen.Paid.USD, seen.Paid.Tokens
	if seen.Room == nil {
		return l
	}
	room := *seen.Room
	l.MostOutput, l.MostPayTokens = new(l.Output+room), new(l.PayTokens+room)
	most := 0.0
	for role := range seen.Usage {
		if role == meter.EmbedRole {
			continue
		}
		usd, known := c.doors.Price(role, llm.Usage{Output: room})
		if !known && room > 0 {
			return l
		}
		most = max(most, usd)
	}
	l.MostPay = sum(l.Pay, &most)
	return l
}

// settle takes from a load what is charged already, and charges the rest of what
// is pending. What is the same prompt here may be two where embeddings or a k of their
// own choose what it holds: a bound shares calls of language models only between cells
// that differ in neither.
func (c *cell) settle(l Load, pending []meter.Pending, charged map[string]bool) Load {
	// Sums of floats depend on their order.
	slices.SortFunc(pending, func(a, b meter.Pending) int { return strings.Compare(a.Call, b.Call) })
	l.Pay, l.MostPay, l.MostPayTokens = copied(l.Pay), copied(l.MostPay), copied(l.MostPayTokens)
	alike := hashOf(map[string]any{"options": c.Options, "models": c.doors.Settings}, 12)
	for _, p := range pending {
		surely := p.Call
		if p.Role != meter.EmbedRole {
			surely += alike
		}
		again, surelyAgain := charged[p.Call], charged[surely]
		charged[p.Call], charged[surely] = p.Call != "", p.Call != ""
		room := max(0, p.Room)
		if again {
			l.Recorded += p.Calls
			l.PayTokens -= p.Tokens
			if l.Pay != nil {
				*l.Pay = max(0, *l.Pay-p.USD)
			}
		}
		if surelyAgain && l.MostPayTokens != nil {
			*l.MostPayTokens -= p.Tokens + room
		}
		if surelyAgain && l.MostPay != nil {
			most, _ := c.doors.Price(p.Role, llm.Usage{Output: room})
			*l.MostPay = max(0, *l.MostPay-p.USD-most)
		}
	}
	if l.PayTokens == 0 { // nothing costs nothing, whatever the price is
		l.Pay = new(0.0)
	}
	if l.MostPayTokens != nil && *l.MostPayTokens == 0 {
		l.MostPay = new(0.0)
	}
	return l
}

// copied returns a copy of what x points to; nil for nil.
func copied[N int | float64](x *N) *N {
	if x == nil {
		return nil
	}
	return new(*x)
}

package budget

import (
	"fmt"
	"math"
	"strings"

	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
)

// An amount is what calls cost.
type amount struct {
	tokens int
	usd    float64
}

func (a amount) plus(b amount) amount {
	return amount{a.tokens + b.tokens, a.usd + b.usd}
}

func (a amount) less(b amount) amount {
	return amount{a.tokens - b.tokens, a.usd - b.usd}
}

// paidFor returns what was paid; a price that is not known is none.
func paidFor(p meter.Paid) amount {
	if p.USD == nil {
		return sane(p.Tokens, 0)
	}
	return sane(p.Tokens, *p.USD)
}

// Bounds of an amount, so that no sum overflows.
const (
	maxTokens = 1 << 50
	maxUSD    = 1e12
)

// sane returns an amount without what is no cost: negative or not a number.
func sane(tokens int, usd float64) amount {
	if math.IsNaN(usd) {
		usd = 0
	}
	return amount{min(max(tokens, 0), maxTokens), min(max(usd, 0), maxUSD)}
}

// fits reports whether an amount is within the budget. Dollars are sums of small
// fractions, so that their last digits fail no call.
func (b *Budget) fits(a amount) bool {
	return (b.maxTokens == 0 || a.tokens <= b.maxTokens) && (b.maxUSD == 0 || a.usd <= b.maxUSD*(1+1e-9))
}

// exceeded returns the error of a call that does not fit.
func (b *Budget) exceeded(estimate amount) error {
	var bounds, spent, next []string
	if b.maxTokens != 0 {
		bounds = append(bounds, fmt.Sprintf("%d tokens", b.maxTokens))
		spent = append(spent, fmt.Sprintf("%d tokens", b.spent.tokens))
		next = append(next, fmt.Sprintf("%d tokens", estimate.tokens))
	}
	if b.maxUSD != 0 {
		bounds = append(bounds, dollars(b.maxUSD))
		spent = append(spent, dollars(b.spent.usd))
		next = append(next, dollars(estimate.usd))
	}
	return fault.New(fault.Budget, "the budget of the run is %s, %s of it spent, and the next call may take %s more; to go on, raise budget in the config and resume the run with bench resume",
		strings.Join(bounds, " and "), strings.Join(spent, " and "), strings.Join(next, " and "))
}

// dollars writes an amount of dollars with as many digits as a call's cost
// needs, at least cents.
func dollars(usd float64) string {
	s := fmt.Sprintf("%.6f", usd)
	whole, fraction, _ := strings.Cut(s, ".")
	return "$" + whole + "." + fraction[:2] + strings.TrimRight(fraction[2:], "0")
}

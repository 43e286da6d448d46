package semxpath

import "math"

// An operator joins relevances into one.
type operator string

const (
	mean      operator = "avg"
	minimum   operator = "min"
	maximum   operator = "max"
	geometric operator = "gmean"
	product   operator = "*"
)

// join returns the relevance of relevances in [0, 1], which lies in [0, 1]
// itself. Of none it is 0: a node without evidence is not relevant.
//
//	avg    sum / n
//	gmean  the n-th root of the product; 0 when one is 0
//	*      the product
func (o operator) join(of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	x := of[0]
	switch o {
	case mean:
		for _, y := range of[1:] {
			x += y
		}
		x /= float64(len(of))
	case minimum:
		for _, y := range of[1:] {
			x = min(x, y)
		}
	case maximum:
		for _, y := range of[1:] {
			x = max(x, y)
		}
	case product:
		for _, y := range of[1:] {
			x *= y
		}
	case geometric:
		// By logarithms, as a product of many small numbers would be 0.
		sum := 0.0
		for _, y := range of {
			sum += math.Log(y)
		}
		x = math.Exp(sum / float64(len(of)))
	}
	return min(max(x, 0), 1)
}

package metrics

import "slices"

// FactualRecall reports whether an answer has one of the gold spans in it.
func FactualRecall(pred string, golds ...string) bool {
	said := newTerms(pred)
	return slices.ContainsFunc(golds, func(gold string) bool { return said.tells(newTerms(gold)) })
}

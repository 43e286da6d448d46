package tree

import "slices"

// decided reports whether values decide what is meant, so that a query had
// better find all that may have them: words beside them would rank what has
// none of the values before what has.
func (r *reading) decided() bool {
	return r.best != nil || r.count || r.sum || r.mean || len(r.compares) > 0 || r.byValue()
}

// byValue reports whether fields of what is meant have to have values.
func (r *reading) byValue() bool {
	return slices.ContainsFunc(r.scopes, func(s scope) bool {
		k := r.v.kind(s.kind)
		return k != nil && k.leaf && s.field != ""
	})
}

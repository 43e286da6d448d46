package treerules

import "slices"

// decided reports whether values decide what is meant, so that a query had
// better find all that may have them: words beside them would rank what has
// none of the values before what has.
func (r *reading) decided() bool {
	return r.best != nil || r.count || r.sum || r.mean || len(r.compares) > 0 || slices.ContainsFunc(r.scopes, func(s scope) bool {
		k := r.v.kind(s.kind)
		return k != nil && k.leaf && s.field != ""
	})
}

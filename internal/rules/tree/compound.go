package tree

import "slices"

// compound reports whether the name of a container at i is only the first part
// of what is named: "the statistics test" may be anywhere, unlike "the
// statistics project".
func (r *reading) compound(i, n int) bool {
	if i == 0 || !determiner[r.words[i-1].low] || i > 1 && prepositions[r.words[i-2].low] || i+n >= len(r.words) {
		return false
	}
	next := r.words[i+n]
	if !content(next) || frames[next.stem] || general[next.stem] || r.v.fieldWord(next.stem) || r.v.valueStem(next.stem) || ordinals[next.low] != 0 || digits(next.low) {
		return false
	}
	return !slices.ContainsFunc(r.v.kinds, func(k *kind) bool { return k.mention(next.stem) > 0 })
}

var determiner = set(`the that this our my`)

// valueStem reports whether a stem is a word of a known value.
func (v *vocab) valueStem(stem string) bool {
	for _, k := range v.kinds {
		for _, f := range k.fields {
			if f.kind == kindName && k.leaf {
				continue // names of what is asked for
			}
			for _, val := range f.values {
				if stemsOf(val)[stem] {
					return true
				}
			}
		}
	}
	return false
}

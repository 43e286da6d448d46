package tree

import "slices"

// personPronoun stands for a person named before.
var personPronoun = re(`\b(?:his|her|hers|him|he|she)\b`)

// findPeople looks for persons by one of their names, and for the one person
// of a request that a pronoun stands for: "Ann has moved. Where are her
// classes?".
func (r *reading) findPeople() {
	for _, k := range r.v.kinds {
		for _, f := range k.fields {
			if f.kind != kindPerson || k.name == r.v.root {
				continue
			}
			if slices.ContainsFunc(r.scopes, func(s scope) bool { return s.kind == k.name && s.field == f.name }) {
				continue
			}
			r.findPerson(k, f)
		}
	}
}

func (r *reading) findPerson(k *kind, f field) {
	owners := map[string][]string{}
	for _, v := range f.values {
		for _, w := range scan(v) {
			if w.upper && len(w.low) > 2 && !slices.Contains(owners[w.low], v) {
				owners[w.low] = append(owners[w.low], v)
			}
		}
	}
	referred := personPronoun.MatchString(r.mainText())
	var who []string
	scoped := false
	for i, w := range r.words {
		own := owners[w.low]
		if len(own) != 1 || !w.upper || r.used[i] != unused && r.used[i] != usedStop {
			continue
		}
		if !slices.Contains(who, own[0]) {
			who = append(who, own[0])
		}
		if r.used[i] != unused || !r.main[i] || r.subject(i, 1) {
			continue
		}
		r.addScope(scope{kind: k.name, field: f.name, values: own, negated: r.negatedAt(i), partial: true})
		r.used[i], r.scoped[i] = usedScope, k.name
		scoped = true
	}
	if !scoped && referred && len(who) == 1 {
		r.addScope(scope{kind: k.name, field: f.name, values: who, partial: true})
		for i, w := range r.words {
			if o := owners[w.low]; len(o) == 1 && w.upper && r.used[i] == unused {
				r.used[i], r.scoped[i] = usedScope, k.name
			}
		}
	}
}

// aimAtOwner makes a question for persons, places and the like, which only
// containers have, one for the containers: "who runs the stall on Friday?".
func (o *order) aimAtOwner() {
	r := o.what
	if r.explicit && len(r.targets) > 0 && !r.targets[0].leaf || r.group != nil {
		return
	}
	for _, ask := range r.asks {
		if ask != kindPerson && ask != kindPlace && ask != kindStatus {
			continue
		}
		if slices.ContainsFunc(r.targets, func(k *kind) bool { _, ok := k.byKind(ask); return ok }) {
			continue
		}
		var have []*kind
		for _, k := range r.v.kinds {
			if _, ok := k.byKind(ask); ok && !k.leaf && k.name != r.v.root {
				have = append(have, k)
			}
		}
		if len(have) == 1 && slices.ContainsFunc(r.scopes, func(s scope) bool {
			k := r.v.kind(s.kind)
			return k != nil && (k == have[0] || r.v.isBelow(have[0].name, k.name))
		}) {
			r.targets, r.explicit = have, true
			return
		}
	}
}

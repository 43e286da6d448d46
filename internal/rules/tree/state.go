package tree

import (
	"slices"
	"strings"

	"recallbench/internal/engine/treetask"
)

var (
	// howState asks how high or how far on something is.
	howState = re(`\bhow (urgent|important|pressing|critical|far along|far advanced|far on)\b`)
	// whetherSo asks whether one thing that is named is in a state: "had the
	// dentist been dealt with?".
	whetherSo = re(`^\W*(?:and |so |but |then |well |ok |okay )*(?:is|was|has|had|have|isn['’]t|wasn['’]t|hasn['’]t|hadn['’]t) (?:the|my|our|his|her|its|[\p{L}]+['’]s|[\p{L}]+ing)\b`)
)

// findHowState reads questions for a state, whose words are no condition.
func (r *reading) findHowState() {
	for _, at := range howState.FindAllStringSubmatchIndex(r.text, 4) {
		kind := kindPriority
		if strings.HasPrefix(strings.ToLower(r.text[at[2]:at[3]]), "far") {
			kind = kindStatus
		}
		if !r.v.hasKind(kind) {
			continue
		}
		r.mark(at[0], at[1], usedStop)
		r.asks = append(r.asks, kind)
	}
}

// askState turns the states of a question whether one thing is in a state into
// what is asked about it.
func (r *reading) askState() {
	if !r.yes || r.plural || r.count || len(r.conds) == 0 {
		return
	}
	for _, s := range sentences(r.words) {
		t := join(r.text, s)
		if classify(t).op == treetask.Read && whetherSo.MatchString(t) {
			r.scopes = slices.DeleteFunc(r.scopes, func(s scope) bool {
				if s.class == "" {
					return false
				}
				for _, k := range r.v.kinds {
					for _, f := range k.fields {
						if k.name == s.kind && f.name == s.field && !slices.Contains(r.asks, f.kind) {
							r.asks = append(r.asks, f.kind)
						}
					}
				}
				return true
			})
			return
		}
	}
}

package tree

import "slices"

var eachForm = re(`\b(?:each|every|all|any|per|daily|days|mornings|evenings|always|both)\b`)

// overall reports whether the first or the last of all that a tree holds is
// meant, and not that of each container.
func (r *reading) overall() bool {
	if r.from != r.to || r.from != 1 && r.from != -1 || len(r.scopes) > 0 || eachForm.MatchString(r.text) {
		return false
	}
	return !slices.ContainsFunc(r.targets, func(k *kind) bool { return !k.leaf })
}

// pronounTail is what follows a word such as "this" where it stands for
// something: the end of a clause or a small word, no noun.
var pronounTail = re(`^\s*(?:[?.!,;:]|$|(?:on|in|at|for|and|or|to|too|from|with|by|before|after|between|is|are|was|were|would|will|can|could|so|instead|again|now|then|please|all|both|off|out|away|up|down|back|either|as|there|here|first|last|over|until|into|if|when|while|because|since)\b)`)

// pointsTo reports whether a text has a word that points back to what was
// named before.
func pointsTo(text string) bool {
	for _, at := range pointing.FindAllStringIndex(text, 16) {
		if last := lows(text[at[0]:at[1]]); len(last) > 0 {
			switch last[len(last)-1] {
			case "this", "these": // "on this trip" speaks of what is at hand
				if rest := text[at[1]:]; len(rest) > 0 && !pronounTail.MatchString(rest) {
					continue
				}
			}
		}
		return true
	}
	return false
}

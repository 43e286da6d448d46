package reader

import (
	_ "embed"
	"strings"
)

// synonymGroups are everyday words that speakers and askers use for the same
// thing. A line break ends a group.
//
//go:embed synonyms.txt
var synonymGroups string

// synonyms maps a stem to the stems of its groups' other members: a group is
// reached from its first word only, because words of one meaning are not
// equal in all others.
var synonyms = readSynonyms(synonymGroups)

func readSynonyms(groups string) map[uint64][]uint64 {
	m := make(map[uint64][]uint64)
	for line := range strings.Lines(groups) {
		f := strings.Fields(line)
		for i, w := range f {
			if i > 0 {
				head := hash(stem(lemma(f[0])))
				m[head] = append(m[head], hash(stem(lemma(w))))
			}
		}
	}
	return m
}

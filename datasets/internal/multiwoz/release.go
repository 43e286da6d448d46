package multiwoz

import (
	"fmt"
	"slices"
)

// A Release says which MultiWOZ dialogues are of.
type Release struct {
	// Derived is set for labels of 2.1 in the layout of 2.2. It is found by what the
	// files hold, not by their names: by the SHA-256 of files that are known to be,
	// or by the state values. 2.2 lists them in several variants (3 of the 39 lists
	// in the dialogues of the release that were at hand), and 2.1 does not (5 of
	// 16,986 after conversion). Below 1 % of at least 200 lists it is 2.1.
	Derived bool
	// Partial says which splits have not all dialogues of the release, such as
	// "dev has 999 of 1,000"; empty if none.
	Partial []string
}

// derivedDigests are the SHA-256 of files with labels of 2.1 that are known.
var derivedDigests = []string{
	"57acc4345bea46930e57b3f723ffd65fffa56e0ac9399ecd8bb87ca4444357f2", // dev
	"8fe0442b8a84f26c67810b5ba5e2c3ca00c2abcd8e6c5c0fd1099d00675f21d9", // test
}

// official are the numbers of dialogues of the splits of 2.2.
var official = map[string]int{"train": 8437, "dev": 1000, "test": 1000}

const (
	minLists    = 200 // lists of variants below which nothing follows from them
	minVariants = 100 // one list in so many has several variants in 2.2
)

// release finds out which release the splits are of.
func release(splits []Split, digests []string) Release {
	var r Release
	lists, several := 0, 0
	for _, s := range splits {
		if n := len(s.Dialogues); n != official[s.Name] {
			r.Partial = append(r.Partial, fmt.Sprintf("%s has %d dialogues of %d", s.Name, n, official[s.Name]))
		}
		for _, d := range s.Dialogues {
			// Each list counts once a dialogue, however long it stays.
			seen := make(map[string][]string) // the last list of a slot
			for i := range d.Turns {
				for _, state := range d.Turns[i].States {
					for _, v := range state.Values {
						if slices.Equal(seen[v.Slot], v.Variants) {
							continue
						}
						seen[v.Slot] = v.Variants
						lists++
						if len(v.Variants) > 1 {
							several++
						}
					}
				}
			}
		}
	}
	known := slices.ContainsFunc(digests, func(d string) bool { return slices.Contains(derivedDigests, d) })
	r.Derived = known || lists >= minLists && several*minVariants < lists
	return r
}

// Caveat returns what must stand beside each result on data of this release:
// empty for the whole of 2.2.
func (r Release) Caveat() string {
	switch {
	case r.Derived:
		return "built from MultiWOZ 2.1 labels in the 2.2 layout, not MultiWOZ 2.2"
	case len(r.Partial) > 0:
		return "built from a part of MultiWOZ 2.2: " + r.Partial[0]
	}
	return ""
}

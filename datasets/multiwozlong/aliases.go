package multiwozlong

import (
	"maps"
	"slices"
)

// aliases puts keys together that stand for one thing.
type aliases struct {
	of    map[string]string // another key of the same thing, nearer to its first
	count map[string]int
}

// first returns the key that stands for all that were joined with one.
func (a aliases) first(key string) string {
	for {
		next, ok := a.of[key]
		if !ok {
			return key
		}
		key = next
	}
}

// join counts the second key, and says that both stand for the same.
func (a aliases) join(x, y string) {
	a.count[y]++
	// The smaller is first, so that the order of joining does not matter.
	switch x, y = a.first(x), a.first(y); {
	case x < y:
		a.of[y] = x
	case y < x:
		a.of[x] = y
	}
}

// best returns, for each key that was joined with others, the one of them that
// comes up most often, the smallest of equals.
func (a aliases) best() map[string]string {
	chosen := make(map[string]string) // by first key
	keys := slices.Sorted(maps.Keys(a.count))
	for _, k := range keys {
		f := a.first(k)
		if b, ok := chosen[f]; !ok || a.count[k] > a.count[b] {
			chosen[f] = k
		}
	}
	all := make(map[string]string)
	for _, k := range keys {
		if b := chosen[a.first(k)]; b != k {
			all[k] = b
		}
	}
	return all
}

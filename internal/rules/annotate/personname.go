package annotate

import (
	"slices"
	"strings"

	"recallbench/internal/door/annotate"
)

// nameKeys returns the keys under which a name is found: the whole, the part
// without words for what it is, and for people each part.
func nameKeys(low []string, person bool) []string {
	keys := []string{strings.Join(low, " ")}
	add := func(k string) {
		if k != "" && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	add(strings.Join(core(low), " "))
	if person {
		for _, w := range low {
			if _, title := words().titles[w]; !title {
				add(w)
				add(words().short[w])
			}
		}
		return keys
	}
	if len(low) > 2 {
		add(strings.Join(low[len(low)-2:], " "))
	}
	return keys
}

// core drops the words of a name that say only what it is: "the kerala
// restaurant".
func core(low []string) []string {
	for len(low) > 1 && low[0] == "the" {
		low = low[1:]
	}
	for len(low) > 1 {
		last := low[len(low)-1]
		if words().places[last] == "" {
			break
		}
		low = low[:len(low)-1]
		if last == "house" && low[len(low)-1] == "guest" && len(low) > 1 {
			low = low[:len(low)-1]
		}
	}
	return low
}

// nameGender returns the gender that a name of a person tells.
func nameGender(low []string) annotate.Gender {
	l := words()
	if g, ok := l.titles[low[0]]; ok {
		if g != "" || len(low) == 1 {
			return g
		}
		low = low[1:]
	}
	return l.given[low[0]]
}

// mayBear reports whether a person with the names so far can have this one too:
// neither another given name nor another surname, nor a title of the other
// gender.
func (e *ent) mayBear(low []string) bool {
	for _, n := range e.names {
		if slices.Equal(n, low) {
			return true
		}
	}
	if !bearable(low) {
		return false
	}
	if e.gender != "" {
		if g := nameGender(low); g != "" && g != e.gender {
			return false
		}
	}
	for _, n := range e.names {
		if !bearable(n) {
			continue
		}
		if !agree(n, low) {
			return false
		}
	}
	return true
}

// bearable reports whether tokens are a name and no label such as "speaker 1".
func bearable(low []string) bool {
	if low[0] == "speaker" || low[0] == "user" || low[0] == "system" || low[0] == "agent" || low[0] == "assistant" {
		return false
	}
	return letters(low[len(low)-1])
}

// agree reports whether two names can be of one person.
func agree(a, b []string) bool {
	_, at := words().titles[a[0]]
	_, bt := words().titles[b[0]]
	x, y := a, b
	if at && len(a) > 1 {
		x = a[1:]
	}
	if bt && len(b) > 1 {
		y = b[1:]
	}
	switch {
	case len(x) > 1 && len(y) > 1:
		return sameGiven(x[0], y[0]) && x[len(x)-1] == y[len(y)-1]
	case len(x) == 1 && len(y) == 1:
		return sameGiven(x[0], y[0]) || at != bt // "Dr. Khan" may be Asha
	case len(x) > 1:
		x, y = y, x
	}
	return sameGiven(x[0], y[0]) || x[0] == y[len(y)-1]
}

// sameGiven reports whether two first names may be forms of one.
func sameGiven(a, b string) bool {
	if a == b {
		return true
	}
	s := words().short
	if s[a] == b || s[b] == a || s[a] != "" && s[a] == s[b] {
		return true
	}
	return len(a) > 2 && len(b) > 2 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) && words().given[a] == words().given[b]
}

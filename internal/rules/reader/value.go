package reader

import (
	"cmp"
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A want is the type of a value that somebody asks a service for. Values of a
// type have a shape, so that they are found wherever they stand.
type want string

// The types of values that code tells apart. shapes.txt has them all.
const (
	wantNone  want = ""
	wantClock want = "time of day"
	wantKind  want = "kind of place"
)

// A value is a part of a sentence that has the shape of what is wanted.
type value struct {
	from, to int // words, half open
	text     string
	fit      float64 // how sure it is that the words mean what is wanted
}

// A shape finds values of a type.
type shape struct {
	fit  float64
	expr *regexp.Regexp
}

//go:embed shapes.txt
var shapeText string

// shapes are the shapes of each type. They are read when a value is first asked
// for, because most questions ask for none.
var shapes = sync.OnceValue(func() map[want][]shape {
	all := make(map[want][]shape)
	macros := strings.NewReplacer(
		"NUM", `(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)`, "NAME", `(?-i:\b\p{Lu}[\w'&-]*)`)
	for line := range strings.Lines(shapeText) {
		fields := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(fields) != 3 {
			continue
		}
		fit, err := strconv.ParseFloat(fields[1], 64)
		if err != nil {
			panic("reader: shapes.txt: " + err.Error())
		}
		all[want(fields[0])] = append(all[want(fields[0])], shape{fit, regexp.MustCompile("(?i)" + alternation.ReplaceAllStringFunc(macros.Replace(fields[2]), func(name string) string {
			return oneOf(name[1:])
		}))})
	}
	return all
})

// alternation is the name of a word list in a shape.
var alternation = regexp.MustCompile(`\$[a-zA-Z]+`)

// oneOf is an expression for the words of a list, or the members of a category.
func oneOf(name string) string {
	words := lists[name]
	if words == nil {
		words = members[hash(stem(name))]
	}
	return strings.Join(slices.Sorted(maps.Keys(words)), "|")
}

// values finds what is wanted in a sentence of a text. Where shapes overlap, the
// first has it.
func (s *sentence) values(text string, w want) []value {
	var out []value
	start := s.words[0].start
	end := min(s.words[len(s.words)-1].end, start+maxShaped)
	for _, x := range shapes()[w] {
		names := x.expr.SubexpNames()
		for _, m := range x.expr.FindAllStringSubmatchIndex(text[start:end], -1) {
			v := value{fit: x.fit}
			switch names[1] {
			case "from":
				v.from = s.wordAt(start + m[2])
				v.from, v.to = s.run(v.from, 1)
			case "to":
				v.to = s.wordAt(start + m[2])
				v.from, v.to = s.run(v.to-1, -1)
			default:
				v.from, v.to = s.wordAt(start+m[2]), s.wordAt(start+m[3])
				v.text = text[start+m[2] : start+m[3]]
			}
			if v.from < v.to && !slices.ContainsFunc(out, func(o value) bool { return o.from < v.to && v.from < o.to }) {
				out = append(out, v)
			}
		}
	}
	return out
}

// maxShaped is how much of a sentence is searched for shapes, in bytes.
const maxShaped = 1000

// wordAt returns the first word that begins at an offset of the text or behind.
func (s *sentence) wordAt(offset int) int {
	i, _ := slices.BinarySearchFunc(s.words, offset, func(w word, o int) int { return cmp.Compare(w.start, o) })
	return i
}

// longestRun bounds a value without a shape of its own, in words.
const longestRun = 7

// run returns the words of content from word i on, forwards or backwards. It leaves
// out those that say nothing of what a thing is, and keeps the small words inside a
// name.
func (s *sentence) run(i, step int) (from, to int) {
	words := s.words
	for i >= 0 && i < len(words) && step > 0 && vague[words[i].low] {
		i++
	}
	first := i
	says := func(i int) bool {
		if i < 0 || i >= len(words) {
			return false
		}
		w := &words[i]
		verb := doing[w.low] || i != first && strings.HasPrefix(w.tag, "VB")
		return !w.punct && w.class == content && !strings.ContainsAny(w.low, "0123456789") && !smallNumbers[w.low] && !vague[w.low] && (w.upper && !unnamed[w.low] || !w.upper && !verb)
	}
	j := i
	for n := 0; n < longestRun && (says(j) || j != i && j >= 0 && j < len(words) && joining[words[j].low] && says(j+step) && words[j+step].upper == words[i].upper && (words[i].upper || words[j].low != "and")); n++ {
		j += step
	}
	from, to = i, j
	if step < 0 {
		from, to = j+1, i+1
	}
	if to > from && !words[to-1].upper && notKinds[singular(words[to-1].low)] {
		return 0, 0
	}
	return from, to
}

var (
	vague        = list("vague")
	unnamed      = list("unnamed")
	notKinds     = list("notKinds") // nouns that no value ends with
	smallNumbers = set("one two three four five six seven eight nine ten eleven twelve")
	doing        = list("doing")
	joining      = set("and & of the 's - du la le")
)

// A sense is which of two times of a journey is meant.
type sense int

// The senses of times.
const (
	anyTime sense = iota
	leaving
	arriving
)

// senseOf tells which time of a journey a question asks for.
func (q *query) senseOf() sense {
	for i := range q.words {
		if s := senseWord(q.words, i); s != anyTime {
			return s
		}
	}
	return anyTime
}

// senseWord tells the time of a journey that a word speaks of.
func senseWord(words []word, i int) sense {
	switch low := words[i].low; {
	case arriveWords[low], low == "there" && (at(words, i-1) == "get" || at(words, i-1) == "gets" || at(words, i-1) == "be" || at(words, i-1) == "me"):
		return arriving
	case leaveWords[low]:
		return leaving
	}
	return anyTime
}

// senseAt tells which of two times of a journey word i names: by the nearest word
// before it that tells, else by a preposition.
func senseAt(words []word, i int) sense {
	bound := anyTime
	for j := i - 1; j >= max(0, i-10); j-- {
		low := words[j].low
		switch {
		case strings.Contains(low, ":"), words[j].punct && low != ",":
			return bound
		case low == "after" && bound == anyTime:
			bound = leaving
		case (low == "by" || low == "until" || low == "before") && bound == anyTime:
			bound = arriving
		}
		if s := senseWord(words, j); s != anyTime {
			return s
		}
	}
	return bound
}

// at returns word i in lower case, "" beyond the ends.
func at(words []word, i int) string {
	if i < 0 || i >= len(words) {
		return ""
	}
	return words[i].low
}

// plainly writes words as they were said, with one space where there was any.
func plainly(words []word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 && words[i-1].end < w.start {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	return b.String()
}

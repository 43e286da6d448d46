package changes

import (
	_ "embed" // for the sentences
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"recallbench/internal/engine/typed"
)

//go:embed wording.txt
var wordingFile string

// A thing is something that people have and change, such as a home, with its sentences by
// key.
type thing struct {
	name  string
	kind  typed.Kind
	lines map[string][]string
}

// wordings are the things, in the order of the file, and the sentences that fit any of
// them.
type wordings struct {
	things []*thing
	any    *thing
}

// wording reads the sentences of the file, whose head says what they are.
var wording = sync.OnceValue(func() wordings {
	var w wordings
	var current *thing
	for line := range strings.Lines(wordingFile) {
		line = strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(line, "["); ok {
			name, kind, _ := strings.Cut(strings.TrimSuffix(head, "]"), " ")
			current = &thing{name: name, kind: typed.Kind(kind), lines: make(map[string][]string)}
			if name == "*" {
				w.any = current
			} else {
				w.things = append(w.things, current)
			}
			continue
		}
		if key, sentence, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(line, "#") {
			current.lines[key] = append(current.lines[key], sentence)
		}
	}
	return w
})

// has is whether there are sentences for all keys.
func (t *thing) has(keys ...string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool { return len(t.lines[key]) == 0 })
}

// words are the values for the gaps of a sentence, by name.
type words map[string]string

// say fills in one of the sentences of a key. A gap at the start of a sentence is
// capitalized.
func (t *thing) say(random *rand.Rand, key string, gaps words) string {
	return fill(pick(random, t.lines[key]), gaps)
}

func fill(sentence string, gaps words) string {
	for _, name := range slices.Sorted(maps.Keys(gaps)) {
		gap, text := "{"+name+"}", gaps[name]
		if rest, first := strings.CutPrefix(sentence, gap); first {
			sentence = capitalised(text) + rest
		}
		sentence = strings.ReplaceAll(sentence, ". "+gap, ". "+capitalised(text))
		sentence = strings.ReplaceAll(sentence, gap, text)
	}
	return sentence
}

func capitalised(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func pick[T any](random *rand.Rand, all []T) T { return all[random.IntN(len(all))] }

// told is the sentence of an event as somebody says it: often with an opener before it
// or an ending after it.
func (w wordings) told(random *rand.Rand, sentence string) string {
	if random.IntN(3) > 0 {
		opener := pick(random, w.any.lines["open"])
		if !strings.HasSuffix(opener, ".") {
			sentence = lowered(sentence)
		}
		sentence = opener + " " + sentence
	}
	if random.IntN(2) > 0 {
		sentence += " " + pick(random, w.any.lines["close"])
	}
	return sentence
}

// lowered is a sentence in the form after a comma or colon. Names and I keep their
// case.
func lowered(sentence string) string {
	first, _, _ := strings.Cut(sentence, " ")
	if slices.Contains(lowerable, first) {
		return strings.ToLower(first) + sentence[len(first):]
	}
	return sentence
}

var lowerable = strings.Fields("My The If You They These As We New Home Until Up From For On After At There Type Send Please Say Use Somebody Everybody People Once No Sorry Could Do Letters To Since Some Many Let About With Make On Letters Change Forget Our In What It A An")

// talk is a turn about nothing.
func (w wordings) talk(random *rand.Rand) string {
	text := pick(random, w.any.lines["middle"])
	if random.IntN(2) > 0 {
		text = pick(random, w.any.lines["talk"]) + " " + text
	}
	if random.IntN(2) > 0 {
		text += " " + pick(random, w.any.lines["end"])
	}
	return text
}

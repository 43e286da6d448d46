package reader

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jdkato/prose/v3/tag"

	"recallbench/internal/text/timex"
)

// Limits that keep hostile lines cheap.
const (
	maxLine     = 1 << 14 // bytes of one line that are read
	maxSentence = 120     // words of one sentence
)

// A sentence is a sentence of a line, or a remark on an image that the line
// carries in brackets.
type sentence struct {
	words    []word
	image    bool // a remark in brackets, not said by the speaker
	question bool
	exprs    []timex.Expr // expressions of time, with offsets in the line
}

// An utterance is an analysed line.
type utterance struct {
	text      string
	sentences []sentence
}

// utteranceKey is what an analysis depends on.
type utteranceKey struct {
	text string
	time int64 // of the line, in Unix seconds
}

// An Analyser reads lines and remembers what it read, because the questions
// about a conversation share its lines. It is safe for concurrent use.
type Analyser struct {
	read memo[utteranceKey, *utterance]
}

// NewAnalyser returns an analyser that has read nothing.
func NewAnalyser() *Analyser { return new(Analyser) }

// tagger is read when it is first needed, as it takes a while.
var tagger = sync.OnceValue(func() *tag.Tagger {
	t, err := tag.New()
	if err != nil {
		panic("reader: the embedded model of tags: " + err.Error())
	}
	return t
})

// line returns the analysis of a line.
func (a *Analyser) line(text string, at time.Time) *utterance {
	text = text[:min(len(text), maxLine)]
	return a.read.of(utteranceKey{text, at.Unix()}, len(text), func() *utterance { return analyse(text, at) })
}

// analyse splits a text into tagged sentences.
func analyse(text string, at time.Time) *utterance {
	text = strings.ToValidUTF8(text, " ")
	u := &utterance{text: text}
	words := slices.Clone(split(text)) // without the room it grew in: it is kept
	u.sentences = sentences(words)
	exprs := timex.Find(text, at)
	for i := range u.sentences {
		s := &u.sentences[i]
		finish(s.words)
		from, to := s.words[0].start, s.words[len(s.words)-1].end
		for _, e := range exprs {
			if e.Start >= from && e.End <= to && !s.image {
				s.exprs = append(s.exprs, e)
			}
		}
	}
	return u
}

// finish fills in what words are.
func finish(words []word) {
	tokens := make([]tag.Token, len(words))
	for i, w := range words {
		tokens[i].Text = w.text
	}
	tagger().TagTokens(tokens)
	for i := range words {
		w := &words[i]
		w.tag = tokens[i].Tag
		if w.punct {
			w.tag = w.low
			continue
		}
		w.class = classOf(w.low)
		w.stem = hash(stem(lemma(w.low)))
	}
}

// abbreviations keep their point without ending a sentence.
var abbreviations = set("mr mrs ms dr st prof jr sr vs etc e.g i.e no")

// sentences cuts words into sentences. Text in square brackets is a remark of
// its own.
func sentences(words []word) []sentence {
	var out []sentence
	start := 0
	image := false
	add := func(end, next int, question bool) {
		part := words[start:end]
		if image {
			part = caption(part)
		}
		for len(part) > 0 && part[0].punct && !opens(part) {
			part = part[1:]
		}
		if slices.ContainsFunc(part, func(w word) bool { return !w.punct }) {
			out = append(out, sentence{words: part, image: image, question: question})
		}
		start = next
	}
	for i, w := range words {
		if !w.punct {
			if i-start >= maxSentence {
				add(i, i, false)
			}
			continue
		}
		switch w.low {
		case "[":
			add(i, i+1, false)
			image = true
		case "]":
			add(i, i+1, false)
			image = false
		case "!", "?", "…":
			add(i, i+1, w.low == "?")
		case ".":
			if i > 0 && abbreviations[words[i-1].low] && i+1 < len(words) {
				continue
			}
			if i+1 < len(words) && words[i+1].start == w.end && !words[i+1].punct && !words[i+1].upper {
				continue // inside a name such as example.org
			}
			add(i, i+1, false)
		}
	}
	add(len(words), len(words), false)
	return out
}

// caption drops the label of a remark ("image:") and words that say only that
// it is an image ("a photo of").
func caption(words []word) []word {
	for i := range min(4, len(words)) {
		if words[i].low == ":" {
			words = words[i+1:]
			break
		}
	}
	if len(words) > 3 && words[0].low == "a" && words[2].low == "of" {
		switch words[1].low {
		case "photo", "picture", "photography", "photograph", "image", "close", "screenshot", "drawing":
			return words[3:]
		}
	}
	return words
}

// opens reports whether words begin with a mark that belongs to what follows.
func opens(words []word) bool {
	switch words[0].low {
	case `"`, "“", "(", "'":
		return len(words) > 1 && words[1].start == words[0].end
	}
	return false
}

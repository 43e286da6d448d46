package reader

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"recallbench/internal/door/llm"
)

// A said is a line of the evidence.
type said struct {
	*utterance
	speaker    string // lower case
	time       time.Time
	prev, next *said  // in the same passage
	index      int    // among the lines
	rank       int    // of its passage, from 0
	told       bool   // nobody said it: the speaker is whom it is about
	about      []word // names of what it is about, as the prompt says
}

// asks reports whether the line ends with a question.
func (s *said) asks() bool {
	for _, part := range slices.Backward(s.sentences) {
		if !part.image {
			return part.question
		}
	}
	return false
}

// gather analyses the lines of the passages, doubles left out, and lists the
// speakers by name. A line that nobody says is told: each of its sentences is
// taken for a line of the one whom it begins with, or the one before does.
func (a *Analyser) gather(passages []llm.Passage) (lines []*said, speakers []string) {
	type id struct {
		speaker, text string
		time          int64
	}
	seen := make(map[id]bool)
	for rank, p := range passages {
		var prev *said
		add := func(u *utterance, speaker string, at time.Time, told bool) {
			s := &said{utterance: u, speaker: speaker, time: at, prev: prev, index: len(lines), rank: rank, told: told}
			if prev != nil {
				prev.next = s
			}
			prev = s
			lines = append(lines, s)
			if speaker != "" && !slices.Contains(speakers, speaker) {
				speakers = append(speakers, speaker)
			}
		}
		for _, l := range p.Lines {
			key := id{l.Speaker, l.Text, l.Time.Unix()}
			if seen[key] {
				prev = nil
				continue
			}
			seen[key] = true
			u := a.line(l.Text, l.Time)
			if l.Speaker != "" {
				add(u, strings.ToLower(l.Speaker), l.Time, false)
				prev.about = aboutNames(l.About)
				continue
			}
			about := ""
			for i := range u.sentences {
				about = cmp.Or(u.sentences[i].about(), about)
				add(&utterance{text: u.text, sentences: u.sentences[i : i+1]}, about, l.Time, true)
			}
		}
	}
	slices.Sort(speakers)
	return lines, speakers
}

// aboutNames reads the names of what a line is about.
func aboutNames(about []string) []word {
	var all []word
	for _, name := range about[:min(len(about), maxAbout)] {
		words := split(name[:min(len(name), maxWord)])
		for i := range words {
			w := &words[i]
			if w.class = classOf(w.low); !w.punct {
				w.stem = hash(stem(lemma(w.low)))
			}
		}
		all = append(all, words...)
	}
	return all
}

// maxAbout is how many names beside a line are read.
const maxAbout = 16

// about returns the name that a sentence begins with, in lower case; empty where
// it begins with none.
func (s *sentence) about() string {
	w := &s.words[0]
	if w.punct || !w.upper || w.class != content || !isNoun(w.tag) || len(s.words) < 2 {
		return ""
	}
	if next := &s.words[1]; next.low != "'s" && !finite(next) && !strings.HasPrefix(next.tag, "RB") && next.low != "and" {
		return ""
	}
	return w.low
}

// inTimeOrder reports whether there are several passages and they come in the
// order in which they were said. Their order then tells nothing of how well
// they fit.
func inTimeOrder(lines []*said) bool {
	for i := 1; i < len(lines); i++ {
		if lines[i].time.Before(lines[i-1].time) {
			return false
		}
	}
	return len(lines) > 0 && lines[len(lines)-1].rank > 0
}

// latest returns the time of the last line said.
func latest(lines []*said) time.Time {
	var last time.Time
	for _, l := range lines {
		if l.time.After(last) {
			last = l.time
		}
	}
	return last
}

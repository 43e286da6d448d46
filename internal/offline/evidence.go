package offline

import (
	"slices"
	"strings"
	"time"

	"recallbench/internal/llm"
)

// A said is a line of the evidence.
type said struct {
	*utterance
	speaker    string // lower case
	time       time.Time
	prev, next *said // in the same passage
	index      int   // among the lines
	rank       int   // of its passage, from 0
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
// speakers by name.
func (a *analyser) gather(passages []llm.Passage) (lines []*said, speakers []string, err error) {
	type id struct {
		speaker, text string
		time          int64
	}
	seen := make(map[id]bool)
	for rank, p := range passages {
		var prev *said
		for _, l := range p.Lines {
			key := id{l.Speaker, l.Text, l.Time.Unix()}
			if seen[key] {
				prev = nil
				continue
			}
			seen[key] = true
			u, err := a.line(l.Text, l.Time)
			if err != nil {
				return nil, nil, err
			}
			s := &said{utterance: u, speaker: strings.ToLower(l.Speaker), time: l.Time, prev: prev, index: len(lines), rank: rank}
			if prev != nil {
				prev.next = s
			}
			prev = s
			lines = append(lines, s)
			if s.speaker != "" && !slices.Contains(speakers, s.speaker) {
				speakers = append(speakers, s.speaker)
			}
		}
	}
	slices.Sort(speakers)
	return lines, speakers, nil
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

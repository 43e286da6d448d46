package memory

import (
	"context"
	"fmt"
	"strings"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/internal/text/timex"
)

const (
	maxContent   = 1 << 14 // bytes of an episode's content
	titlePhrases = 2
	leastTold    = 0.5 // the weight from which on an episode tells something
)

// episode retells the lines of an episode, what says nothing left out.
func (r *Rules) episode(ctx context.Context, t llm.EpisodeTask) (llm.Episode, []string, error) {
	tale, err := r.retell(ctx, t.Lines)
	if err != nil {
		return llm.Episode{}, nil, err
	}
	var at time.Time // when the first of the lines was said
	about := newPhraser(tale.voices)
	for _, l := range t.Lines {
		if !l.Time.IsZero() && (at.IsZero() || l.Time.Before(at)) {
			at = l.Time
		}
		sentences, err := r.analyser.Sentences(l.Text, l.Time)
		if err != nil {
			return llm.Episode{}, nil, err
		}
		about.read(sentences)
	}
	e := llm.Episode{Title: title(tale.voices.names, about.best(titlePhrases))}
	var b strings.Builder
	if !at.IsZero() {
		e.Time = at.Format("2006-01-02T15:04:05")
		b.WriteString("On " + timex.FormatDay(at) + ", ")
	}
	b.WriteString(e.Title + ".")
	kept := 0
	for _, s := range tale.out {
		if s.weight >= leastTold && b.Len()+len(s.text) <= maxContent {
			b.WriteString(" " + s.text + ".")
			kept++
		}
	}
	e.Content = b.String()
	return e, []string{fmt.Sprintf("retold %d of %d clauses of %d lines", kept, len(tale.out), len(t.Lines))}, nil
}

// title says who talked about what.
func title(names, phrases []string) string {
	const most = 4
	if len(names) > most {
		names = append(names[:most:most], "others")
	}
	text := list(names) + " talked"
	if len(phrases) > 0 {
		text += " about " + list(phrases)
	}
	return text
}

// maxPrediction bounds a prediction, in bytes.
const maxPrediction = 1 << 12

// predict restates what is known: an episode probably tells more of the same.
func predict(t llm.PredictTask) string {
	var b strings.Builder
	for _, k := range append([]string{clip(t.Title, 400)}, t.Known...) {
		if k = strings.TrimRight(strings.TrimSpace(k), "."); k != "" && b.Len()+len(k) <= maxPrediction {
			b.WriteString(k + ". ")
		}
	}
	return strings.TrimSpace(b.String())
}

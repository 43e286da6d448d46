package memory

import (
	"context"
	"strconv"
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
	phrases, err := r.phrases(ctx, t.Lines, tale.voices)
	if err != nil {
		return llm.Episode{}, nil, err
	}
	at := earliest(t.Lines)
	best := phrases.best(titlePhrases)
	e := llm.Episode{Title: title(tale.voices, best)}
	var b strings.Builder
	if !at.IsZero() {
		e.Time = at.Format("2006-01-02T15:04:05")
		b.WriteString("On " + timex.FormatDay(at) + ", ")
	}
	b.WriteString(e.Title + ".")
	kept := 0
	for _, s := range tale.out {
		if s.weight < leastTold || b.Len()+len(s.text) > maxContent {
			continue
		}
		b.WriteString(" " + s.text + ".")
		kept++
	}
	e.Content = b.String()
	return e, []string{
		"retold " + strconv.Itoa(kept) + " of " + strconv.Itoa(len(tale.out)) + " clauses of " + strconv.Itoa(len(t.Lines)) + " lines",
	}, nil
}

// title says who talked about what.
func title(v *voices, phrases []string) string {
	const most = 4
	names := v.names
	if len(names) > most {
		names = append(names[:most:most], "others")
	}
	verb := " talked"
	if len(names) == 1 {
		verb = " spoke"
	}
	if len(phrases) == 0 {
		return list(names) + verb
	}
	return list(names) + verb + " about " + list(phrases)
}

// phrases collects what lines are about.
func (r *Rules) phrases(ctx context.Context, lines []llm.Line, v *voices) (*phraser, error) {
	p := newPhraser(v)
	for _, l := range lines {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sentences, err := r.analyser.Sentences(l.Text, l.Time)
		if err != nil {
			return nil, err
		}
		p.read(sentences)
	}
	return p, nil
}

// earliest is when the first of the lines was said, the zero time when no line
// knows.
func earliest(lines []llm.Line) (at time.Time) {
	for _, l := range lines {
		if !l.Time.IsZero() && (at.IsZero() || l.Time.Before(at)) {
			at = l.Time
		}
	}
	return at
}

package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/door/llm"
)

const (
	themeKeywords = 6
	themeBytes    = 600 // of its content
)

// themes makes one theme of lines: the commonest phrases are its name, their words
// its keywords, and the lines as they are retold its content.
func (r *Rules) themes(ctx context.Context, t llm.ThemesTask) (llm.Themes, error) {
	tale, err := r.retell(ctx, t.Lines)
	if err != nil {
		return llm.Themes{}, err
	}
	about := newPhraser(tale.voices)
	for _, l := range t.Lines {
		sentences, err := r.analyser.Sentences(l.Text, l.Time)
		if err != nil {
			return llm.Themes{}, err
		}
		about.read(sentences)
	}
	phrases := about.best(themeKeywords)
	theme := llm.Theme{Theme: title(tale.voices.names, phrases[:min(titlePhrases, len(phrases))]), Keywords: []string{}}
	for _, p := range phrases {
		theme.Keywords = append(theme.Keywords, strings.Fields(strings.ToLower(p))...)
	}
	theme.Keywords = theme.Keywords[:min(themeKeywords, len(theme.Keywords))]
	theme.Content = theme.Theme + "."
	for _, s := range tale.out {
		if s.weight >= leastTold && len(theme.Content)+len(s.text) <= themeBytes {
			theme.Content += " " + s.text + "."
		}
	}
	return llm.Themes{Themes: []llm.Theme{theme}}, nil
}

// portrait takes the statements of what one person says as facts, and sums up
// these and the profile so far.
func (r *Rules) portrait(ctx context.Context, t llm.PortraitTask) (llm.Portrait, []string, error) {
	own := slices.DeleteFunc(slices.Clone(t.Lines), func(l llm.Line) bool { return l.Speaker != t.Name })
	p := llm.Portrait{Profile: t.Known, Facts: []string{}}
	if len(own) > 0 {
		found, _, err := r.statements(ctx, llm.StatementsTask{Lines: own})
		if err != nil {
			return p, nil, err
		}
		p.Facts = found.Statements
	}
	facts := p.Facts
	if t.Known != "" {
		facts = append(slices.Clone(facts), strings.Split(t.Known, ". ")...)
	}
	if len(facts) > 0 {
		var err error
		if p.Profile, _, err = r.summary(ctx, llm.SummaryTask{Facts: facts}); err != nil {
			return p, nil, err
		}
	}
	return p, []string{fmt.Sprintf("statements of %d lines, summed up with the profile so far", len(own))}, nil
}

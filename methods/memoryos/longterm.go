package memoryos

import (
	"context"
	"strings"
	"unicode/utf8"

	"recallbench/internal/calc/lists"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// longTerm is long-term memory: the knowledge about the speakers.
type longTerm struct {
	profile     string // of the user
	user, agent []string
	analyses    int
}

// A Portrait is what pages say about the user.
type Portrait struct {
	// Profile describes the speaker: character, preferences, manner, values. It
	// includes what was known before.
	Profile string   `json:"profile"`
	Facts   []string `json:"facts"` // that the lines state about the speaker
}

// leastProfile is the length, in characters, from which the authors' package accepts a
// new profile.
const leastProfile = 30

// analyse learns from the hottest segment, if it is hot enough and has pages
// that were not yet analysed. Its heat then restarts.
func (b *builder) analyse(ctx context.Context) error {
	s := b.mid.hottest(b.now)
	if s == nil || s.heat(b.now) < hot {
		return nil
	}
	pages := lists.Filter(s.pages, func(p *page) bool { return !p.analysed })
	if len(pages) == 0 {
		return nil
	}
	if err := b.learn(ctx, pages); err != nil {
		return err
	}
	for _, p := range s.pages {
		p.analysed = true
	}
	s.fresh = 0
	s.changed = b.now
	return nil
}

// learn asks what pages say about the speakers, given the profile so far.
func (b *builder) learn(ctx context.Context, pages []*page) error {
	b.long.analyses++
	var lines []transcript.Line
	data := portraitData{Name: b.user, Other: b.agent, Known: b.long.profile}
	for _, p := range pages {
		lines = append(lines, p.lines()...)
		data.Pages = append(data.Pages, p.sides())
	}
	data.Messages = transcript.Texts(lines)
	found, ok, err := building.JSON[Portrait](ctx, b.model, portrait, data)
	if err != nil {
		return err
	}
	data.Name, data.Other = data.Other, data.Name
	told, _, err := building.JSON[building.Statements](ctx, b.model, facts, data)
	if err != nil {
		return err
	}
	if ok {
		if profile := building.Clean(found.Profile, building.MaxContent); utf8.RuneCountInString(profile) >= leastProfile {
			b.long.profile = profile
		}
		b.long.user = latest(append(b.long.user, known(found.Facts)...))
	}
	b.long.agent = latest(append(b.long.agent, known(told.Statements)...))
	return nil
}

// known cleans facts, and drops those that only say that there is none.
func known(list []string) []string {
	var kept []string
	for _, f := range list[:min(maxFacts, len(list))] {
		f = building.Clean(f, building.MaxFact)
		if strings.Trim(strings.ToLower(f), "- .") == "none" || f == "" {
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// latest returns as much as long-term memory has room for.
func latest(list []string) []string { return list[max(0, len(list)-mostKnown):] }

package memoryos

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"recallbench/internal/door/llm"
	"recallbench/methods/internal/building"
	"recallbench/methods/internal/transcript"
)

// longTerm is long-term memory: what is known of the speakers.
type longTerm struct {
	profile     string // of the user
	user, agent []string
	analyses    int
}

const portraitSchema = `{
	"type": "object",
	"properties": {"profile": {"type": "string"}, "facts": {"type": "array", "items": {"type": "string"}}},
	"required": ["profile", "facts"],
	"additionalProperties": false
}`

const factsSchema = `{
	"type": "object",
	"properties": {"statements": {"type": "array", "items": {"type": "string"}}},
	"required": ["statements"],
	"additionalProperties": false
}`

type (
	portraitData struct {
		Name, Other, Known, Messages string
		Pages                        []sides
	}
	mergeData struct{ Known, New string }
)

// leastProfile is the length, in characters, from which the package of the authors takes
// a new profile.
const leastProfile = 30

// analyse learns from the hottest segment, where it is hot enough and has pages
// that were not looked at. Its heat then starts again.
func (b *builder) analyse(ctx context.Context) error {
	s := b.mid.hottest(b.now)
	if s == nil || s.heat < b.Heat.Threshold {
		return nil
	}
	var pages []*page
	for _, p := range s.pages {
		if !p.analysed {
			pages = append(pages, p)
		}
	}
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
	b.mid.warm(s, b.now)
	if b.Profile == Eval {
		s.heat = 0
	}
	s.changed = b.now
	return nil
}

// learn asks what pages tell of the speakers. The evaluation of the authors asks for
// a profile from the pages alone and then for one profile out of two; others show
// the profile so far.
func (b *builder) learn(ctx context.Context, pages []*page) error {
	b.long.analyses++
	var lines []llm.Line
	data := portraitData{Name: b.user, Other: b.agent}
	for _, p := range pages {
		lines = append(lines, p.lines()...)
		data.Pages = append(data.Pages, p.sides())
	}
	data.Messages = transcript.Texts(lines)
	if b.Profile != Eval {
		data.Known = b.long.profile
	}
	found, err := asked(&b.replies, portrait, func() (*llm.Portrait, error) { return b.portrait(ctx, data, lines) })
	if err != nil {
		return err
	}
	told, err := asked(&b.replies, facts, func() ([]string, error) { return b.facts(ctx, data, lines) })
	if err != nil {
		return err
	}
	if found != nil {
		if err := b.remember(ctx, found); err != nil {
			return err
		}
	}
	agent := known(told)
	if b.Profile == Eval && len(agent) > 0 { // one entry an analysis
		agent = []string{strings.Join(agent, " ")}
	}
	b.long.agent = b.latest(append(b.long.agent, agent...))
	return nil
}

// portrait asks for a profile and facts of the user; nil where the reply cannot be
// used.
func (b *builder) portrait(ctx context.Context, data portraitData, lines []llm.Line) (*llm.Portrait, error) {
	reply, ok, err := building.JSON[llm.Portrait](ctx, b.Model, building.Call{
		Role:     roleProfile,
		Template: portrait, Data: data,
		Task:   llm.PortraitTask{Name: b.user, Known: data.Known, Lines: lines},
		Params: building.Params(otherTemperature, b.MaxTokens),
		Schema: portraitSchema,
	})
	if !ok {
		return nil, err
	}
	reply.Profile = building.Clean(reply.Profile, building.MaxContent)
	return &reply, err
}

// facts asks for facts of the assistant.
func (b *builder) facts(ctx context.Context, data portraitData, lines []llm.Line) ([]string, error) {
	data.Name, data.Other = data.Other, data.Name
	reply, _, err := building.JSON[llm.Statements](ctx, b.Model, building.Call{
		Role:     roleFacts,
		Template: facts, Data: data,
		Task:   llm.StatementsTask{Lines: slices.DeleteFunc(slices.Clone(lines), func(l llm.Line) bool { return l.Speaker == b.user })},
		Params: building.Params(otherTemperature, b.MaxTokens),
		Schema: factsSchema,
	})
	return reply.Statements, err
}

// remember takes a portrait in.
func (b *builder) remember(ctx context.Context, found *llm.Portrait) error {
	profile := found.Profile
	switch {
	case b.Profile != Eval:
		if utf8.RuneCountInString(profile) < leastProfile {
			profile = b.long.profile
		}
	case b.long.profile != "":
		old := b.long.profile
		merged, err := asked(&b.replies, merge, func() (string, error) {
			text, _, err := b.Text(ctx, building.Call{
				Role:     roleOverview,
				Template: merge, Data: mergeData{old, profile},
				Task:   llm.SummaryTask{Facts: append(strings.Split(old, ". "), strings.Split(profile, ". ")...)},
				Params: building.Params(otherTemperature, b.MaxTokens),
			}, building.MaxContent)
			return text, err
		})
		if err != nil {
			return err
		}
		if profile = merged; profile == "" {
			profile = old
		}
	}
	b.long.profile = profile
	b.long.user = b.latest(append(b.long.user, known(found.Facts)...))
	return nil
}

// known cleans facts, and leaves out those that only say that there is none.
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

// latest returns what long-term memory has room for.
func (b *builder) latest(list []string) []string {
	if b.Knowledge < 0 {
		return list
	}
	return list[max(0, len(list)-b.Knowledge):]
}

package xmemory

import (
	"context"
	"fmt"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/methods/internal/building"
)

// An inclusion is an episode that the reader gets.
type inclusion struct {
	index.Hit

	expanded bool // with its messages
}

// A trial is the result of trying an episode, for the trace.
type trial struct {
	Episode     int     `json:"episode"`
	First       string  `json:"first"` // the id of its first turn
	Last        string  `json:"last"`
	Uncertainty float64 `json:"nats"`
	Gain        float64 `json:"gain"`
	Included    bool    `json:"included"`
	Expanded    bool    `json:"expanded"`
}

// try is stage II: it tries the first episodes of the ranking one by one.
//
// In the profile released each is tried alone, and its gain is the reduction of
// the uncertainty without episodes; the same gain decides on its messages. In
// the profile paper each is tried together with those already included, against
// the uncertainty that these left, and messages are tried separately. An
// episode without enough gain brings the search closer to its end. If none is
// included, the first of the ranking is.
func (s *search) try(ctx context.Context, ranked []index.Hit) error {
	ranked = ranked[:min(len(ranked), s.Search.Probed)]
	base, err := s.uncertainty(ctx, nil)
	if err != nil {
		return err
	}
	without := base
	var trials []trial
	low := 0
	for i, e := range ranked {
		if len(s.included) == s.Search.Episodes {
			break
		}
		t, err := s.tryOne(ctx, e, &base)
		if err != nil {
			return err
		}
		trials = append(trials, t)
		if t.Included {
			s.included = append(s.included, inclusion{e, t.Expanded})
		} else {
			low++
		}
		if low >= 2 || low >= 1 && i < early {
			break
		}
	}
	if len(s.included) == 0 && len(ranked) > 0 {
		s.included = []inclusion{{Hit: ranked[0]}}
	}
	note := fmt.Sprintf("%.3f nats without episodes; %d of %d tried are included", without, len(s.included), len(trials))
	s.step("episodes", note, map[string]any{"without": without, "tried": trials})
	return nil
}

// tryOne tries an episode against the uncertainty so far, which it lowers if
// the profile accumulates episodes.
func (s *search) tryOne(ctx context.Context, e index.Hit, base *float64) (trial, error) {
	var with []inclusion
	if s.Profile == Paper {
		with = append(with, s.included...)
	}
	h, err := s.uncertainty(ctx, append(with, inclusion{Hit: e}))
	if err != nil {
		return trial{}, err
	}
	of := s.episodes[e.Index]
	t := trial{
		Episode: e.Index, First: s.messages[of.First].ID, Last: s.messages[of.End-1].ID,
		Uncertainty: h, Gain: *base - h,
	}
	t.Included = t.Gain > s.include()
	if s.Profile == Released || !t.Included {
		t.Expanded = t.Included && t.Gain > s.Search.Expand
		return t, nil
	}
	full, err := s.uncertainty(ctx, append(with, inclusion{e, true}))
	if err != nil {
		return trial{}, err
	}
	if t.Expanded = h-full > s.Search.Expand; t.Expanded {
		h = full
	}
	*base = h
	return t, nil
}

type probeData struct {
	Question          string
	Themes, Semantics []string
	Episode           string
}

// uncertainty measures how unsure the model is of its answer from the chosen
// themes and semantics and some episodes: the mean negative log-probability, in
// nats, of the first tokens of the answer. A reply without tokens has the
// uncertainty of the option.
func (s *search) uncertainty(ctx context.Context, episodes []inclusion) (nats float64, err error) {
	defer meter.Stage(ctx, probe.Role)()
	data := probeData{Question: strings.ReplaceAll(s.question, building.Mark, ""), Episode: building.Mark}
	for _, t := range s.themes {
		data.Themes = append(data.Themes, s.summaries[t.Index])
	}
	for _, f := range s.facts {
		data.Semantics = append(data.Semantics, s.semantics[f.Index].Text)
	}
	messages, err := s.Prompts.Render(probe.Role, data)
	if err != nil {
		return 0, err
	}
	shown := lists.Map(episodes, func(e inclusion) string { return strings.TrimPrefix(s.block(e).Text, "- ") })
	if len(shown) == 0 {
		shown = []string{"(none)"}
	}
	prefix := 0
	for i, m := range messages {
		before, after, found := strings.Cut(m.Content, building.Mark)
		prefix += len(before)
		if found {
			messages[i].Content = before + strings.Join(shown, "\n") + after
			break
		}
	}
	reply, err := s.LLM.Generate(ctx, llm.Request{
		Role: probe.Role, Messages: messages, Plain: true, Prefix: prefix,
		Params: llm.Params{Temperature: new(0.0), MaxTokens: probeTokens, Logprobs: true},
	})
	if err != nil {
		return unknownEntropy, building.Degrade(ctx, probe.Role, err)
	}
	n := min(len(reply.Logprobs), probeTokens)
	if n == 0 {
		meter.Degrade(ctx, probe.Role)
		return unknownEntropy, nil
	}
	for _, t := range reply.Logprobs[:n] {
		nats -= t.Logprob
	}
	return nats / float64(n), nil
}

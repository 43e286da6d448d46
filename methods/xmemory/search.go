package xmemory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/index"
	"recallbench/internal/engine/themes"
	"recallbench/methods"
	"recallbench/methods/internal/building"
)

// A search chooses what reaches the reader.
type search struct {
	*memory
	question string

	vector  []float32
	ranking []index.Hit // of all semantics
	themes  []index.Hit // chosen by stage I
	facts   []index.Hit // chosen semantics

	included []inclusion // episodes, in the order in which they were tried
	trace    []methods.Step
}

func (s *search) run(ctx context.Context) error {
	if len(s.episodes) == 0 {
		return nil
	}
	var err error
	if s.vector, err = building.Query(ctx, s.space, s.question); err != nil {
		return err
	}
	end := meter.Stage(ctx, "retrieve")
	s.ranking, err = s.bySemantic.Search(s.vector, len(s.semantics))
	end()
	if err != nil {
		return err
	}
	if s.Search.Representatives {
		err = s.represent(ctx)
	} else {
		s.facts = s.nearest(s.Search.Semantics)
	}
	if err != nil {
		return err
	}
	s.step("facts", fmt.Sprintf("%d of %d", len(s.facts), len(s.semantics)), map[string]any{"themes": building.Places(s.themes), "facts": building.Places(s.facts)})
	ranked, err := s.rank(ctx)
	if err != nil {
		return err
	}
	if s.Search.Uncertainty {
		return s.try(ctx, ranked)
	}
	for _, e := range ranked[:min(len(ranked), s.Search.Episodes)] {
		s.included = append(s.included, inclusion{Hit: e, expanded: true})
	}
	s.step("episodes", fmt.Sprintf("the first %d", len(s.included)), nil)
	return nil
}

// byScore puts the highest score first, and keeps the order of equal ones.
func byScore(a, b index.Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Index, b.Index))
}

func (s *search) step(name, note string, data map[string]any) {
	s.trace = append(s.trace, methods.Step{Name: name, Note: note, Data: data})
}

// nearest returns the k semantics that are nearest to the question.
func (s *search) nearest(k int) []index.Hit { return slices.Clone(s.ranking[:min(k, len(s.ranking))]) }

// represent is stage I: among the semantics most similar to the question, it
// chooses themes that represent those that own them, and then semantics of
// these themes (paper, equation 4; released code, search lines 998 to 1160).
func (s *search) represent(ctx context.Context) error {
	near := s.nearest(pool)
	end := meter.Stage(ctx, "retrieve")
	owners, err := s.byTheme.Cosines(s.vector)
	end()
	if err != nil {
		return err
	}
	var candidates []index.Hit
	seen := make(map[int]bool)
	for _, p := range near {
		if t := s.hierarchy.ThemeOf[p.Index]; !seen[t] {
			seen[t] = true
			candidates = append(candidates, index.Hit{Index: t, Score: owners[t]})
		}
	}
	slices.SortFunc(candidates, byScore)
	s.themes = s.pick(candidates, mostThemes, func(t int) []themes.Neighbour { return s.hierarchy.Themes[t].Neighbours })
	chosen := make(map[int]bool)
	for _, t := range s.themes {
		chosen[t.Index] = true
	}
	within := slices.DeleteFunc(slices.Clone(near), func(p index.Hit) bool { return !chosen[s.hierarchy.ThemeOf[p.Index]] })
	if len(within) == 0 {
		within = near
	}
	s.facts = s.pick(within, s.Search.Semantics, func(i int) []themes.Neighbour { return s.hierarchy.Neighbours[i] })
	return nil
}

// pick chooses representatives of candidates, which are in the order of their
// scores.
func (s *search) pick(candidates []index.Hit, budget int, neighbours func(int) []themes.Neighbour) []index.Hit {
	place := make(map[int]int, len(candidates))
	for i, c := range candidates {
		place[c.Index] = i
	}
	nodes := make([]themes.Node, len(candidates))
	for i, c := range candidates {
		nodes[i].Relevance = c.Score
		for _, n := range neighbours(c.Index) {
			if at, ok := place[n.Index]; ok {
				nodes[i].Neighbours = append(nodes[i].Neighbours, themes.Neighbour{Index: at, Similarity: n.Similarity})
			}
		}
	}
	return lists.Map(themes.Representatives(nodes, budget, alpha), func(i int) index.Hit { return candidates[i] })
}

// rank ranks episodes. Without either stage they are ranked by the similarity of
// title and account. Otherwise those of the chosen semantics and the most
// similar ones are ranked by
//
//	priority = (cosine scaled to [0, 1] over the pool) + support · (best scaled cosine of a chosen semantic)
//
// where the cosines of semantics are scaled over all of them, 0.5 if all are
// equal.
func (s *search) rank(ctx context.Context) ([]index.Hit, error) {
	defer meter.Stage(ctx, "retrieve")()
	if !s.Search.Representatives && !s.Search.Uncertainty {
		return s.byIndex.Search(s.vector, s.Search.Episodes)
	}
	all, err := s.byContent.Search(s.vector, len(s.episodes))
	if err != nil {
		return nil, err
	}
	support := make(map[int]float64)
	for _, f := range s.facts {
		e := s.semantics[f.Index].Episode
		support[e] = max(support[e], s.scaled(f.Score))
	}
	tried := make(map[int]bool)
	for e := range support {
		tried[e] = true
	}
	for _, e := range all[:min(len(all), similar)] {
		tried[e.Index] = true
	}
	ranked := slices.DeleteFunc(all, func(e index.Hit) bool { return !tried[e.Index] })
	if len(ranked) == 0 {
		return nil, nil
	}
	hi, lo := ranked[0].Score, ranked[len(ranked)-1].Score
	for i, r := range ranked {
		ranked[i].Score = (r.Score-lo)/max(hi-lo, 1e-6) + supportWeight*support[r.Index]
	}
	slices.SortFunc(ranked, byScore)
	return ranked, nil
}

// scaled scales the cosine of a semantic to [0, 1] over all of them; to 0.5 if
// all are equal.
func (s *search) scaled(cosine float64) float64 {
	high, low := s.ranking[0].Score, s.ranking[len(s.ranking)-1].Score
	if high <= low {
		return 0.5
	}
	return (cosine - low) / (high - low)
}

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

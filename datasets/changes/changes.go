// Package changes generates conversations in which facts change, and asks for the current
// ones.
//
// Four friends talk over some months. They mention where people live, whom they work
// for, what they read and more; later they change it, correct themselves, disagree,
// lend things for a time and ask for something to be forgotten. In between they make
// small talk, and talk about people who do not matter, in the same words.
//
// The suite knows what it planted, so answers are scored exactly, without a judge, by the
// values from closed lists that they name (package typed): the right value, an outdated
// one, one that was to be forgotten, one that was never said. Evidence is scored the same
// way, without a reader.
//
// # Places
//
// Some questions are asked in the middle of a conversation. Each place is a conversation
// of its own that ends there. Those cut from the same one carry its id in the label
// [datasets.HistoryLabel], and intervals treat them as one cluster. A memory is built
// anew for each place; the model calls for it are recorded once.
//
// # Generation
//
// The same options give the same bytes. A conversation consists of this project's
// sentences with values in their gaps; the number of variants is the product of openers,
// sentences and endings. Half of the questions are hard: several values of one fact, told
// by others, about people known as "my boss", next to values that are mentioned but not
// true.
package changes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/door/fault"
	"recallbench/internal/engine/typed"
)

// Options select what is generated.
type Options struct {
	// Tokens is about how many tokens each conversation has, 4,000 to 2,000,000, by a
	// chat model's tokenizer.
	Tokens int `yaml:"tokens"`
	// Histories is the number of conversations, 1 to 1,000.
	Histories int `yaml:"histories"`
	// Questions is about how many are asked about each conversation, 20 to 120.
	Questions int `yaml:"questions"`
	// Seed selects other conversations of the same kind.
	Seed uint64 `yaml:"seed"`
	// EndOnly leaves out what is asked in the middle of a conversation, so that each method
	// builds one memory of it.
	EndOnly bool `yaml:"end_only"`
}

// Validate returns all faults of the options.
func (o Options) Validate() error {
	var faults fault.List
	for _, bound := range []struct {
		name               string
		value, least, most int
	}{{"tokens", o.Tokens, 4_000, 2_000_000}, {"histories", o.Histories, 1, 1000}, {"questions", o.Questions, 20, 120}} {
		faults.Want(bound.value >= bound.least && bound.value <= bound.most, "%s is %d, want %d to %d", bound.name, bound.value, bound.least, bound.most)
	}
	return errors.Join(faults...)
}

// version changes with every change of what is generated.
const version = "3"

// Spec describes the suite.
var Spec = &datasets.Spec{
	Name:       "changes",
	Doc:        "facts that change, expire or are to be forgotten, scored by values; generated, needs no download",
	Source:     "written for this project",
	License:    "Apache-2.0",
	Options:    Options{Tokens: 15_000, Histories: 2, Questions: 60, Seed: 1},
	Embedded:   true,
	Categories: categories(),
	Metrics:    []string{"changes", "changes-evidence", "evidence-recall", "tokens"},
	Open:       datasets.Opener("changes", open),
}

func categories() []datasets.Category {
	var all []datasets.Category
	for _, o := range []Operation{Update, Past, Correct, Contradict, Expire, Forget, Neighbour, Absent, Source, Count, Order, Lag} {
		all = append(all, datasets.Category{ID: string(o), Name: string(o)})
	}
	return all
}

func open(ctx context.Context, _ datasets.Env, o Options) (*datasets.Set, error) {
	set := &datasets.Set{Name: "changes", Version: version, Categories: categories(), Settings: map[string]string{
		"places": "a question in the middle of a history is asked of a memory built up to there",
	}}
	hash := sha256.New()
	var src source
	var entries []datasets.Entry
	for i := range o.Histories {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h := generate(fmt.Sprintf("h%d", i+1), o.Seed<<10+uint64(i), o.Tokens, o.Questions)
		if err := json.NewEncoder(hash).Encode(h.sessions); err != nil {
			return nil, err
		}
		for _, p := range h.places() {
			if o.EndOnly && p.after != "" {
				continue
			}
			sample := p.sample()
			for k, q := range p.questions {
				gold := q.gold()
				if err := json.NewEncoder(hash).Encode([]any{q.text, gold}); err != nil {
					return nil, err
				}
				set.SetGold(sample.ID, sample.Requests[k].ID, gold)
			}
			set.SetPlanted(sample.ID, p.planted())
			entries = append(entries, set.Index(len(entries), &sample))
			src = append(src, p)
		}
	}
	set.SHA256 = hex.EncodeToString(hash.Sum(nil))
	set.Stream(entries, src)
	return set, nil
}

// A place is a point in a conversation with the questions asked there.
type place struct {
	*history
	after     string // id of the last turn; empty for the end
	questions []question
}

// places are the places of a conversation in order, the end last.
func (h *history) places() []place {
	var all []place
	for _, q := range h.questions {
		i := slices.IndexFunc(all, func(p place) bool { return p.after == q.after })
		if i < 0 {
			i = len(all)
			all = append(all, place{history: h, after: q.after})
		}
		all[i].questions = append(all[i].questions, q)
	}
	slices.SortStableFunc(all, func(a, b place) int {
		return order(a.after) - order(b.after)
	})
	return all
}

// order is the position of a place among others, the end last.
func order(after string) int {
	if after == "" {
		return math.MaxInt
	}
	return placeOf(after)
}

// sample is the conversation up to a place, with its questions.
func (p place) sample() datasets.Sample {
	s := datasets.Sample{ID: p.id, Speakers: slices.Clone(p.speakers)}
	if p.after != "" {
		s.ID += "-" + p.after
	}
sessions:
	for _, session := range p.sessions {
		turns := session.Turns
		for k, t := range turns {
			if t.ID == p.after {
				session.Turns = slices.Clone(turns[:k+1])
				s.Sessions = append(s.Sessions, session)
				break sessions
			}
		}
		session.Turns = slices.Clone(turns)
		s.Sessions = append(s.Sessions, session)
	}
	for i, q := range p.questions {
		s.Requests = append(s.Requests, datasets.Request{ID: fmt.Sprintf("q%d", i+1), Text: q.text, Time: q.at})
	}
	return s
}

// planted returns the current values of all facts at a place (the last of each), and the
// values that are to be forgotten.
func (p place) planted() []typed.Planted {
	kinds := make(map[string]typed.Kind)
	for _, t := range wording().things {
		kinds[t.name] = t.kind
	}
	var facts []string
	last := make(map[string]typed.Planted)
	for _, e := range p.events {
		if placeOf(e.Turn) > order(p.after) {
			break
		}
		fact := e.Subject + " " + e.Thing
		if _, known := last[fact]; !known && e.Act != Supposed && e.Act != Met {
			facts = append(facts, fact)
		}
		switch e.Act {
		case Told, Changed, Corrected:
			last[fact] = typed.Planted{Kind: kinds[e.Thing], Value: e.Value}
		case Forgotten:
			last[fact] = typed.Planted{Kind: kinds[e.Thing], Value: last[fact].Value, Forgotten: true}
		case Lent, Supposed, Met: // what holds stays
		}
	}
	all := make([]typed.Planted, len(facts))
	for i, fact := range facts {
		all[i] = last[fact]
	}
	return all
}

// gold is the right answer of a question.
func (q question) gold() datasets.Gold {
	g := datasets.Gold{
		Category: string(q.operation), Evidence: q.evidence, Labels: q.labels, Abstain: q.abstain, Values: &q.expected,
	}
	switch {
	case q.operation == Forget:
		g.Explanation = "it was to be forgotten"
	case q.abstain:
		g.Explanation = "it was never said"
	default:
		g.Answer = strings.Join(q.expected.Required, " and ")
	}
	return g
}

// source provides conversations that are kept in memory: those cut from the same one
// share its texts.
type source []place

func (s source) Load(_ context.Context, i int) (datasets.Sample, error) { return s[i].sample(), nil }

package datasettest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/testkit/try"
)

type options struct{ K int }

// sound is a dataset that keeps the contract.
func sound() *datasets.Spec {
	return &datasets.Spec{
		Name: "toy", Doc: "a toy", Source: "this test", License: "Apache-2.0",
		Options:    options{K: 1},
		Categories: []datasets.Category{{ID: "1", Name: "only"}},
		Files: []datasets.File{{
			Name: "toy.json", URL: "https://example.org/toy.json", Size: 1, SHA256: strings.Repeat("0", 64),
		}},
		Open: func(ctx context.Context, env datasets.Env, o any) (*datasets.Set, error) {
			if _, ok := o.(options); !ok {
				return nil, fmt.Errorf("options are %T", o)
			}
			if env.Dir != "here" {
				return nil, fs.ErrNotExist
			}
			return toy(), ctx.Err()
		},
	}
}

func toy() *datasets.Set {
	at := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	set := &datasets.Set{
		Name: "toy", Version: "1", SHA256: strings.Repeat("a", 64),
		Categories: []datasets.Category{{ID: "1", Name: "only"}},
	}
	set.Fill(datasets.Sample{
		ID: "s", Speakers: []string{"A"},
		Sessions: []datasets.Session{{ID: "1", Time: at, Turns: []datasets.Turn{
			{ID: "t1", Speaker: "A", Text: "hello", Time: at},
			{ID: "t2", Speaker: "A", Text: "there", Time: at},
		}}},
		Requests: []datasets.Request{{ID: "q", Text: "who?"}},
	})
	set.SetGold("s", "q", datasets.Gold{Category: "1", Answer: "A", Evidence: []string{"t1"}})
	return set
}

func TestSound(t *testing.T) {
	Run(t, sound(), datasets.Env{Dir: "here"}, options{K: 2})
}

// TestFaults breaks one promise at a time.
func TestFaults(t *testing.T) {
	faults := func(spec *datasets.Spec) string {
		return strings.Join(check(t.Context(), spec, datasets.Env{Dir: "here"}, spec.Options, t.TempDir()), "\n")
	}
	spec := func(want string, change func(*datasets.Spec)) {
		t.Helper()
		s := sound()
		change(s)
		if got := faults(s); !strings.Contains(got, want) {
			t.Errorf("faults %q, want %q", got, want)
		}
	}
	set := func(want string, change func(*datasets.Set)) {
		t.Helper()
		spec(want, func(s *datasets.Spec) {
			open := s.Open
			s.Open = func(ctx context.Context, env datasets.Env, o any) (*datasets.Set, error) {
				set, err := open(ctx, env, o)
				if err == nil {
					change(set)
				}
				return set, err
			}
		})
	}
	edit := func(set *datasets.Set, change func(*datasets.Sample)) {
		t.Helper()
		s := try.Get(set.Load(t.Context(), 0))(t)
		change(&s)
		set.Stream(nil, nil)
		set.Fill(s)
	}
	sample := func(want string, change func(*datasets.Sample)) {
		t.Helper()
		set(want, func(s *datasets.Set) { edit(s, change) })
	}
	spec("does not open: no", func(s *datasets.Spec) {
		s.Open = func(context.Context, datasets.Env, any) (*datasets.Set, error) { return nil, errors.New("no") }
	})
	spec("want context.Canceled", func(s *datasets.Spec) {
		s.Open = func(context.Context, datasets.Env, any) (*datasets.Set, error) { return toy(), nil }
	})
	spec("want one that wraps fs.ErrNotExist", func(s *datasets.Spec) {
		s.Open = func(context.Context, datasets.Env, any) (*datasets.Set, error) { return toy(), nil }
	})
	spec("takes options of another type", func(s *datasets.Spec) {
		s.Open = func(context.Context, datasets.Env, any) (*datasets.Set, error) { return toy(), nil }
	})
	n := 0
	set("is another when opened again", func(s *datasets.Set) { n++; s.Version = fmt.Sprint("v", n) })
	shared := toy()
	set("two sets share memory", func(s *datasets.Set) { s.Entries = shared.Entries })
	set("its entry is", func(s *datasets.Set) { s.Entries[0].Turns++ })
	source := func(want string, load func(n int64, s datasets.Sample) (datasets.Sample, error)) {
		t.Helper()
		set(want, func(s *datasets.Set) {
			held := try.Get(s.Load(t.Context(), 0))(t)
			s.Stream(s.Entries, &loads{sample: held, load: load})
		})
	}
	source("does not load: sample s: no", func(_ int64, s datasets.Sample) (datasets.Sample, error) { return s, errors.New("no") })
	source("two copies share memory", func(_ int64, s datasets.Sample) (datasets.Sample, error) { return s, nil })
	source("is another a second time", func(n int64, s datasets.Sample) (datasets.Sample, error) {
		s.Speakers = []string{"A", fmt.Sprint("B", n)}
		return s, nil
	})
	set(`the set is named "x"`, func(s *datasets.Set) { s.Name = "x" })
	set("no version", func(s *datasets.Set) { s.Version = "" })
	set("SHA-256 is", func(s *datasets.Set) { s.SHA256 = "abc" })
	set("no samples", func(s *datasets.Set) { s.Entries = nil })
	set(`sample id "s" is empty or comes twice`, func(s *datasets.Set) { s.Fill(datasets.Sample{ID: "s"}) })
	sample("has no sessions", func(s *datasets.Sample) { s.Sessions = nil })
	sample("has no turns", func(s *datasets.Sample) { s.Sessions[0].Turns = nil })
	sample(`turn id "t1" is empty or comes twice`, func(s *datasets.Sample) { s.Sessions[0].Turns[1].ID = "t1" })
	sample("turn t2 is at 2023", func(s *datasets.Sample) {
		s.Sessions[0].Turns[1].Time = time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	})
	sample(`speaker "B" is not one of the sample's`, func(s *datasets.Sample) { s.Sessions[0].Turns[1].Speaker = "B" })
	sample("has no requests", func(s *datasets.Sample) { s.Requests = nil })
	sample("asks nothing", func(s *datasets.Sample) { s.Requests[0].Text = "" })
	sample(`request "r" has no gold`, func(s *datasets.Sample) { s.Requests[0].ID = "r" })
	set(`category "2" is not one of the set's`, func(s *datasets.Set) {
		s.SetGold("s", "q", datasets.Gold{Category: "2", Answer: "A"})
	})
	set("gold is neither", func(s *datasets.Set) { s.SetGold("s", "q", datasets.Gold{Category: "1"}) })
	set(`evidence "t9" is no turn`, func(s *datasets.Set) {
		s.SetGold("s", "q", datasets.Gold{Category: "1", Answer: "A", Evidence: []string{"t9"}})
	})
	gold := func(want string, g datasets.Gold) {
		t.Helper()
		g.Category, g.Answer = "1", "A"
		set(want, func(s *datasets.Set) { s.SetGold("s", "q", g) })
	}
	gold("there is an explanation without an abstention", datasets.Gold{Explanation: "x"})
	gold("a nugget is empty, or there is an order of none", datasets.Gold{Ordered: true})
	gold("a nugget is empty", datasets.Gold{Rubric: []string{"says A", ""}})
	gold(`"b" is the key of no option`, datasets.Gold{Correct: "b"})
	gold(`"2" is no session of the sample or comes twice`, datasets.Gold{Sessions: []string{"2"}})
	gold(`"1" is no session of the sample or comes twice`, datasets.Gold{Sessions: []string{"1", "1"}})
	gold(`the session of evidence "t1" is not among its sessions`, datasets.Gold{Evidence: []string{"t1"}, Sessions: []string{"2"}})
	gold(`turn id "t1" contains "T1"`, datasets.Gold{Name: "T1"})
	set(`the name "x" comes twice`, func(s *datasets.Set) {
		edit(s, func(s *datasets.Sample) { s.Requests = append(s.Requests, datasets.Request{ID: "r", Text: "what?"}) })
		for _, id := range []string{"q", "r"} {
			s.SetGold("s", id, datasets.Gold{Category: "1", Answer: "A", Name: "x"})
		}
	})
	for _, id := range []string{"x_ABS", "Answer-1", "noans", "an-ability"} {
		set("which tells a method what is gold", func(s *datasets.Set) {
			s.Categories = append(s.Categories, datasets.Category{ID: "an-ability", Name: "ability"})
			edit(s, func(s *datasets.Sample) { s.Sessions[0].ID = id })
			s.SetGold("s", "q", datasets.Gold{Category: "1", Answer: "A", Name: "a0000001"})
		})
	}
	for _, options := range [][]datasets.Option{{{Key: "a"}}, {{Text: "x"}}, {{Key: "a", Text: "x"}, {Key: "a", Text: "y"}}} {
		sample("is empty or its key comes twice", func(s *datasets.Sample) { s.Requests[0].Options = options })
	}
	gold(`variant "A" is empty or is there twice`, datasets.Gold{Variants: []string{"A"}})
	gold(`variant "b" is empty or is there twice`, datasets.Gold{Variants: []string{"b", "b"}})
	entity := func(want string, entities ...datasets.Entity) {
		t.Helper()
		gold(want, datasets.Gold{Entities: entities})
	}
	mention := func(m datasets.Mention) datasets.Entity {
		return datasets.Entity{ID: "e", Names: []string{"A"}, Mentions: []datasets.Mention{m}}
	}
	const nowhere = "is no place in a text of the sample"
	entity("has no id or one that comes twice", mention(datasets.Mention{End: 1}), mention(datasets.Mention{End: 1}))
	entity("or no names", datasets.Entity{ID: "e"})
	entity(nowhere, mention(datasets.Mention{Turn: "t9", End: 1}))
	entity(nowhere, mention(datasets.Mention{Turn: "t1", Start: -1, End: 1}))
	entity(nowhere, mention(datasets.Mention{Turn: "t1", Start: 1, End: 1}))
	entity(nowhere, mention(datasets.Mention{End: 5}))
	set("does not say what, where", func(s *datasets.Set) { s.Warnings = []datasets.Warning{{What: "x", Count: 1}} })
}

// loads is a source of one sample.
type loads struct {
	sample datasets.Sample
	load   func(n int64, s datasets.Sample) (datasets.Sample, error)
	n      atomic.Int64
}

func (l *loads) Load(context.Context, int) (datasets.Sample, error) {
	return l.load(l.n.Add(1), l.sample)
}

func (*loads) Close() error { return nil }

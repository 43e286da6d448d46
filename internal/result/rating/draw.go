package rating

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// A Question is a request with the answers of several methods.
type Question struct {
	Sample, Request string
	Turn            string // what the user says
	History         string // a summary, see [History]
	Facts           string
	Answers         []Answer
}

// An Answer is one of a method. Text is empty where it gave none.
type Answer struct{ Cell, Method, Text string }

// Options say what is drawn.
type Options struct {
	Questions int      // how many, at least 1
	Seed      uint64   // draws questions, ids and orders
	Raters    []string // names of those who get a sheet
	// Names are those that no item may hold: of methods and models.
	Names []string
}

// Draw draws questions and hides where their answers come from. It draws
// conversations without replacement, and one question of each; a conversation
// gets a second one only when each has one. With fewer questions than asked for
// it takes them all.
//
// Names in an answer are hidden, see [Item]; control characters and bytes that
// are no UTF-8 are replaced. What the raters should check is left as it is.
func Draw(questions []Question, o Options) (Asked, error) {
	switch {
	case o.Questions < 1:
		return Asked{}, fmt.Errorf("%d questions are to be drawn, want at least 1", o.Questions)
	case len(questions) == 0:
		return Asked{}, errors.New("no question was answered by every method")
	case len(o.Raters) == 0:
		return Asked{}, errors.New("there is no rater")
	}
	r := rand.New(rand.NewPCG(o.Seed, 0))
	return blinded(r, choose(r, questions, o.Questions), o), nil
}

// AskCorrectness asks whether the answers of questions are right, all of them. It hides
// where they come from as [Draw] does.
func AskCorrectness(questions []Question, o Options) Asked {
	o.Questions = len(questions)
	a := blinded(rand.New(rand.NewPCG(o.Seed, 0)), questions, o)
	a.What = Correctness
	return a
}

func blinded(r *rand.Rand, drawn []Question, o Options) Asked {
	b := newBlind(o.Names)
	ids := make(map[string]bool)
	id := func(kind string) string {
		for {
			// Drawn and not derived from what they stand for: an id tells nothing.
			s := fmt.Sprintf("%s%010x", kind, r.Uint64()>>24)
			if !ids[s] {
				ids[s] = true
				return s
			}
		}
	}
	asked := Asked{Seed: o.Seed, Questions: o.Questions, Raters: o.Raters}
	for _, q := range drawn {
		item := Item{Conversation: id("c"), Turn: b.clean(q.Turn), History: b.clean(q.History), Facts: b.clean(q.Facts)}
		for _, a := range q.Answers {
			item.ID = id("a")
			sum := sha256.Sum256([]byte(a.Text))
			key := Key{Sample: q.Sample, Request: q.Request, Cell: a.Cell, Method: a.Method, Answer: hex.EncodeToString(sum[:])}
			item.Response, key.Hidden = b.hide(b.clean(a.Text))
			if item.Response == "" {
				item.Response = NoResponse
			}
			asked.Items = append(asked.Items, AskedItem{item, key})
		}
	}
	return asked
}

// NoResponse stands in an item for an answer that is empty or that failed.
const NoResponse = "(no response)"

// choose draws n questions, in turns of one of each sample.
func choose(r *rand.Rand, questions []Question, n int) []Question {
	var samples []string
	bySample := make(map[string][]Question)
	for _, q := range questions {
		if bySample[q.Sample] == nil {
			samples = append(samples, q.Sample)
		}
		bySample[q.Sample] = append(bySample[q.Sample], q)
	}
	r.Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
	for _, s := range samples {
		of := bySample[s]
		r.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	}
	var drawn []Question
	for turn := 0; len(drawn) < min(n, len(questions)); turn++ {
		for _, s := range samples {
			if of := bySample[s]; turn < len(of) && len(drawn) < n {
				drawn = append(drawn, of[turn])
			}
		}
	}
	return drawn
}

// For returns the items in the order of a rater: conversations in an order of the
// rater's own, and so the answers of each.
func (a Asked) For(rater string) []Item {
	place := slices.Index(a.Raters, rater)
	r := rand.New(rand.NewPCG(a.Seed, uint64(place)+1))
	var groups [][]Item
	for i, it := range a.Items {
		if i == 0 || it.Conversation != a.Items[i-1].Conversation {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], it.Item)
	}
	r.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	for _, g := range groups {
		r.Shuffle(len(g), func(i, j int) { g[i], g[j] = g[j], g[i] })
	}
	return slices.Concat(groups...)
}

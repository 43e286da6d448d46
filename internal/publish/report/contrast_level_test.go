package report

import (
	"math"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"recallbench/internal/calc/infer"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/longtest"
)

// A split says which of two replicates of a request's answer each side has, and -1
// for neither.
type split func(r *rand.Rand) func(conversation, question int) (base, side int)

// splits are the ways to make two sides of one run, whose differences are chance.
var splits = map[string]split{
	// Two answers to each question, dealt out by the toss of a coin.
	"answers": func(r *rand.Rand) func(int, int) (int, int) {
		return func(int, int) (int, int) { i := r.IntN(2); return i, 1 - i }
	},
	// The same for all questions about a conversation.
	"answers of conversations": func(r *rand.Rand) func(int, int) (int, int) {
		sides := make(map[int]int)
		return func(conversation, _ int) (int, int) {
			if _, ok := sides[conversation]; !ok {
				sides[conversation] = r.IntN(2)
			}
			return sides[conversation], 1 - sides[conversation]
		}
	},
	// Each question is asked on one side only.
	"questions": func(r *rand.Rand) func(int, int) (int, int) {
		return func(int, int) (int, int) { i := -r.IntN(2); return i, -1 - i }
	},
	// All questions about a conversation are asked on one side only.
	"conversations": func(r *rand.Rand) func(int, int) (int, int) {
		of := r.Perm(levelConversations)
		return func(conversation, _ int) (int, int) {
			i := -(of[conversation] % 2)
			return i, -1 - i
		}
	},
}

const (
	levelConversations = 10
	levelQuestions     = 12 // about a conversation
)

// levelRun is a run whose questions have two answers each: conversations differ, the
// second answers to the questions of one are all a bit better or worse than the first,
// and so are questions.
func levelRun(categories int) (questions [][]record.Score, header record.Header) {
	r := rand.New(rand.NewPCG(25, 0))
	d := locomoDataset(levelConversations, levelConversations*levelQuestions)
	header = record.Header{
		Status: record.Complete, Seed: 7, Datasets: []record.Dataset{d}, Models: []record.Model{offlineModel()},
		Metrics: []string{"f1@mem0", "exact-match", "tokens"},
		Cells:   []record.Cell{{ID: "c1", Method: "a", Use: "a", Dataset: d.Label, Model: "offline", Planned: d.Requests}},
	}
	for c := range levelConversations {
		mean, second := 0.5+0.1*r.NormFloat64(), 0.1*r.NormFloat64()
		for q := range levelQuestions {
			question := mean + 0.3*r.NormFloat64()
			var answers []record.Score
			for i := range 2 {
				x := min(max(question+float64(i)*second+0.2*r.NormFloat64(), 0), 1)
				answers = append(answers, record.Score{
					Cell: "c1", Sample: strconv.Itoa(c), Request: strconv.Itoa(q), Category: strconv.Itoa(1 + q%categories), Status: record.OK,
					Values: map[string]*float64{"f1@mem0": new(x), "exact-match": new(math.Round(x)), "tokens-query": new(math.Exp(7 + x + 0.5*r.NormFloat64()))},
				})
			}
			questions = append(questions, answers)
		}
	}
	return questions, header
}

// sidesOf deals the answers of a run out to two.
func sidesOf(questions [][]record.Score, header record.Header, deal func(int, int) (int, int)) (base, side Side) {
	var of [2][]record.Score
	for i, answers := range questions {
		x, y := deal(i/levelQuestions, i%levelQuestions)
		for at, which := range []int{x, y} {
			if which >= 0 {
				of[at] = append(of[at], answers[which])
			}
		}
	}
	run := func(name string, scores []record.Score) Side {
		h := header
		h.Name = name
		return Side{Run: &Run{Name: name, Header: h, Scores: listed(scores)}}
	}
	return run("base", of[0]), run("new", of[1])
}

// A level counts what comparisons find.
type level struct {
	comparisons, family int
	tests, found        map[string]int // by column
}

// compareSplits compares the sides of random splits.
func compareSplits(t *testing.T, n int, how split, categories int, o ContrastOptions) level {
	t.Helper()
	questions, header := levelRun(categories)
	counted := level{tests: make(map[string]int), found: make(map[string]int)}
	var mu sync.Mutex
	var all sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		all.Go(func() {
			for i := worker; i < n; i += workers {
				base, side := sidesOf(questions, header, how(rand.New(rand.NewPCG(26, uint64(i)))))
				rows, _, err := Contrasts(base, []Side{side}, o)
				if err != nil {
					t.Error(err)
					return
				}
				family := make([]*Contrast, len(rows))
				for i := range rows {
					family[i] = &rows[i]
				}
				Decide(family, infer.Options{Bare: true})
				mu.Lock()
				counted.add(rows)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return counted
}

func (l *level) add(rows []Contrast) {
	l.comparisons++
	shown := false
	for _, r := range rows {
		l.tests[r.Column.Name]++
		if r.P != nil && *r.P <= alpha {
			l.found[r.Column.Name]++
		}
		shown = shown || r.Shown
	}
	if shown {
		l.family++
	}
}

// Of sides that differ by chance alone, a test finds 5 of 100 to differ, or fewer
// where few sums are possible, and all tests of a comparison together, adjusted,
// something in at most 5 of 100: of six rows, and of 36.
func TestLevelOfContrasts(t *testing.T) {
	n := longtest.N(100, 2000)
	// How far from 5 % a share of n comparisons may be by chance: 999 of 1,000 are not.
	bound := 3.29 * math.Sqrt(alpha*(1-alpha)/float64(n))
	for _, categories := range []int{2, levelQuestions} {
		o := contrastOptions()
		o.Undecided, o.By = true, Category
		for _, name := range []string{"answers", "answers of conversations", "questions", "conversations"} {
			counted := compareSplits(t, n, splits[name], categories, o)
			f := share(counted.family, counted.comparisons)
			t.Logf("%s: something of %d rows is shown in %.1f %%", name, 3*categories, 100*f)
			if f > alpha+bound {
				t.Errorf("%s: something of %d rows is shown in %.1f %% of comparisons, want at most 5", name, 3*categories, 100*f)
			}
			for _, column := range []string{"f1@mem0", "exact-match", "tokens-query"} {
				found := share(counted.found[column], counted.tests[column])
				t.Logf("%s: %s differs in %.1f %%", name, column, 100*found)
				if found > alpha+bound {
					t.Errorf("%s: %s is found to differ in %.1f %%, want 5", name, column, 100*found)
				}
			}
		}
	}
}

func share(n, of int) float64 { return float64(n) / float64(of) }

package changes

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/internal/door/token"
	"recallbench/internal/engine/typed"
)

// histories are made with other seeds and sizes than the shipped ones, too.
func histories() []history {
	var all []history
	for seed := range uint64(12) {
		all = append(all, generate(fmt.Sprintf("h%d", seed), seed, 15_000, 60))
	}
	return append(all, generate("long", 99, 100_000, 60), generate("short", 7, 10_000, 120), generate("least", 3, 4_000, 20))
}

// believed works the answer to a question out of the events before it, in another way than
// the generator: by going through them day by day.
func believed(events []Event, q question) []string {
	var base, lent []string // values that hold, and those that were lent with their last day
	var until time.Time
	var changes int
	said := make(map[string]string)
	var tellers []string
	forgotten := false
	var all []string
	for _, e := range events {
		if e.Subject != q.about.Subject || e.Thing != q.about.Thing {
			continue
		}
		if q.operation == Past && e.At.After(q.about.Day) {
			break
		}
		switch e.Act {
		case Told:
			base, said[e.Teller] = []string{e.Value}, e.Value
			all = append(all, e.Value)
			if !slices.Contains(tellers, e.Teller) {
				tellers = append(tellers, e.Teller)
			}
		case Changed:
			base = []string{e.Value}
			all = append(all, e.Value)
			changes++
		case Corrected:
			if len(base) != 1 || base[0] != e.Was {
				return []string{"a correction of " + e.Was + ", which nobody believed"}
			}
			base = []string{e.Value}
			all[len(all)-1] = e.Value
		case Lent:
			lent, until = []string{e.Value}, e.Until
		case Forgotten:
			forgotten = true
		case Supposed, Met: // nobody believes it
		}
	}
	switch {
	case forgotten:
		return nil
	case q.operation == Contradict:
		var both []string
		for _, t := range tellers {
			both = append(both, said[t])
		}
		return both
	case q.operation == Source:
		return tellers
	case q.operation == Count:
		return []string{strconv.Itoa(changes)}
	case q.operation == Order:
		return []string{all[slices.Index(all, q.about.Until)-1]}
	case lent != nil && !q.at.After(until):
		return lent
	}
	return base
}

// before are the events up to the place of a question.
func before(h history, q question) []Event {
	if q.after == "" {
		return h.events
	}
	var ids []string
	for _, s := range h.sessions {
		for _, t := range s.Turns {
			ids = append(ids, t.ID)
		}
	}
	last := slices.Index(ids, q.after)
	return slices.DeleteFunc(slices.Clone(h.events), func(e Event) bool { return slices.Index(ids, e.Turn) > last })
}

func TestAnswersFollowFromEvents(t *testing.T) {
	counts := make(map[Operation]int)
	for _, h := range histories() {
		for _, q := range h.questions {
			counts[q.operation]++
			want := believed(before(h, q), q)
			if !slices.Equal(want, q.expected.Required) {
				t.Errorf("%s, %s after %q: the events give %q, the gold is %q: %s", h.id, q.operation, q.after, want, q.expected.Required, q.text)
			}
			if err := q.expected.Check(); err != nil {
				t.Errorf("%s: %v", q.text, err)
			}
			if q.abstain != (len(want) == 0) {
				t.Errorf("%s: abstain is %t, the events give %q", q.text, q.abstain, want)
			}
			e := q.expected
			for _, v := range slices.Concat(e.Stale, e.Forgotten) {
				if slices.Contains(e.Required, v) || slices.Contains(e.Allowed, v) || slices.Contains(typed.Find(e.Kind, q.text), v) {
					t.Errorf("%s: %s is wrong and right", q.text, v)
				}
			}
		}
	}
	for _, c := range categories() {
		if counts[Operation(c.ID)] < len(histories()) {
			t.Errorf("%d questions of %s in %d histories", counts[Operation(c.ID)], c.ID, len(histories()))
		}
	}
}

// TestTextsSayTheirEvents reads the values back, and holds histories to what scoring rests
// on: nobody else says a value that is asked for.
func TestTextsSayTheirEvents(t *testing.T) {
	kinds := make(map[string]typed.Kind)
	for _, thing := range wording().things {
		kinds[thing.name] = thing.kind
	}
	for _, h := range histories() {
		turns := make(map[string]datasets.Turn)
		for _, s := range h.sessions {
			for _, turn := range s.Turns {
				turns[turn.ID] = turn
			}
		}
		said := make(map[string][]string) // turns by kind and value
		for _, turn := range turns {
			if strings.ContainsAny(turn.Text, "{}") {
				t.Fatalf("%s: a gap is open: %s", turn.ID, turn.Text)
			}
		}
		planted := make(map[string]string)
		for _, e := range h.events {
			turn := turns[e.Turn]
			if turn.Speaker != e.Teller {
				t.Errorf("%s is said by %s, want %s", e.Turn, turn.Speaker, e.Teller)
			}
			if e.Act == Met {
				continue
			}
			for _, v := range []string{e.Value, e.Was} {
				if v == "" {
					continue
				}
				key := string(kinds[e.Thing]) + " " + v
				planted[key] = e.Subject + " " + e.Thing
				said[key] = append(said[key], e.Turn)
				if !slices.Contains(typed.Find(kinds[e.Thing], turn.Text), v) {
					t.Errorf("%s does not say %s: %s", e.Turn, v, turn.Text)
				}
			}
			if e.Act == Forgotten && len(typed.Find(kinds[e.Thing], turn.Text)) > 0 {
				t.Errorf("%s says what is to be forgotten: %s", e.Turn, turn.Text)
			}
		}
		for id, turn := range turns {
			for _, kind := range typed.Kinds() {
				for _, v := range typed.Find(kind, turn.Text) {
					key := string(kind) + " " + v
					if kind != typed.Person && kind != typed.Date && kind != typed.Number && planted[key] != "" && !slices.Contains(said[key], id) {
						t.Errorf("%s says %s, which is asked for of %s: %s", id, v, planted[key], turn.Text)
					}
				}
			}
		}
	}
}

// keyword answers with the value in the turn that shares the rarest words with the
// question, the last of those that share the same. Named looks at turns alone that are of
// somebody whom the question names, or name them.
func keyword(s datasets.Sample, q datasets.Request, kind typed.Kind, named bool) string {
	in := make(map[string]int)
	n := 0
	words := func(text string) []string {
		return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' })
	}
	for _, session := range s.Sessions {
		for _, turn := range session.Turns {
			n++
			for _, w := range slices.Compact(slices.Sorted(slices.Values(words(turn.Text)))) {
				in[w]++
			}
		}
	}
	asked, people := typed.Find(kind, q.Text), typed.Find(typed.Person, q.Text)
	best, answer := 0.0, ""
	for _, session := range s.Sessions {
		for _, turn := range session.Turns {
			text := turn.Speaker + " " + turn.Text
			if named && !slices.ContainsFunc(people, func(name string) bool { return strings.Contains(text, name) }) {
				continue
			}
			sum := 0.0
			for _, w := range slices.Compact(slices.Sorted(slices.Values(words(text)))) {
				if slices.Contains(words(q.Text), w) {
					sum += math.Log(float64(n+1) / float64(in[w]+1))
				}
			}
			values := slices.DeleteFunc(typed.Find(kind, turn.Text), func(v string) bool { return slices.Contains(asked, v) })
			if sum >= best && len(values) > 0 {
				best, answer = sum, values[0]
			}
		}
	}
	return answer
}

func TestKeywordsDoNotSolveIt(t *testing.T) {
	for _, named := range []bool{false, true} {
		right, all := make(map[string]int), make(map[string]int)
		for _, h := range histories()[:3] {
			for _, p := range h.places() {
				s := p.sample()
				for i, q := range p.questions {
					if q.abstain {
						continue
					}
					half := q.labels["half"]
					all[half]++
					if e := q.expected; slices.Equal(e.Required, []string{keyword(s, s.Requests[i], e.Kind, named)}) {
						right[half]++
					}
				}
			}
		}
		share := func(half string) float64 { return float64(right[half]) / float64(all[half]) }
		t.Logf("named %t: plain %.2f of %d, hard %.2f of %d", named, share("plain"), all["plain"], share("hard"), all["hard"])
		if share("hard") > 0.6 || all["hard"] < all["plain"] {
			t.Errorf("keywords are right in %.2f of %d hard questions, want at most 0.6 of at least half of all", share("hard"), all["hard"])
		}
	}
}

func TestWaysOfSaying(t *testing.T) {
	common := wording().any.lines
	around := (1 + len(common["open"])) * (1 + len(common["close"]))
	for _, thing := range wording().things {
		for _, key := range []string{"tell1", "tell3", "change1", "change3", "might1", "might3"} {
			if n := len(thing.lines[key]) * around; n < 40 {
				t.Errorf("%s %s: %d ways, want 40", thing.name, key, n)
			}
		}
	}
}

func TestSize(t *testing.T) {
	codec, err := token.New("o200k_base")
	if err != nil {
		t.Fatal(err)
	}
	for _, tokens := range []int{15_000, 100_000} {
		got := 0
		for _, s := range generate("h", 1, tokens, 60).sessions {
			for _, turn := range s.Turns {
				got += codec.Count(turn.Speaker + ": " + turn.Text + "\n")
			}
		}
		if math.Abs(float64(got)/float64(tokens)-1) > 0.1 {
			t.Errorf("a history has %d tokens, want %d and a tenth more or less", got, tokens)
		}
	}
}

func TestDigest(t *testing.T) {
	options := Spec.Options.(Options)
	var digests []string
	for range 2 {
		set, err := Spec.Open(context.Background(), datasets.Env{}, options)
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, set.SHA256)
	}
	const want = "1250b9cea0ed87c778d3edbfe9d3fade855fda14a4d5e26e5f1a1b125f8bf964"
	if digests[0] != digests[1] || digests[0] != want {
		t.Errorf("digest %s, want %s twice; a change of what is generated is a new version", digests, want)
	}
}

// TestPlaces holds samples in the middle to the history up to there.
func TestPlaces(t *testing.T) {
	h := generate("h", 3, 15_000, 60)
	places := h.places()
	whole := places[len(places)-1].sample()
	if places[len(places)-1].after != "" || len(places) < 6 {
		t.Fatalf("%d places, the last after %q", len(places), places[len(places)-1].after)
	}
	var all []datasets.Turn
	for _, s := range whole.Sessions {
		all = append(all, s.Turns...)
	}
	for _, p := range places[:len(places)-1] {
		var turns []datasets.Turn
		for _, s := range p.sample().Sessions {
			turns = append(turns, s.Turns...)
		}
		if turns[len(turns)-1].ID != p.after || !slices.EqualFunc(turns, all[:len(turns)], func(a, b datasets.Turn) bool { return a.ID == b.ID && a.Text == b.Text }) {
			t.Errorf("the sample after %s is not the history up to there", p.after)
		}
	}
}

func BenchmarkMillion(b *testing.B) {
	for b.Loop() {
		generate("h", 1, 1_000_000, 60)
	}
}

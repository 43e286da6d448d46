package offline

import (
	"cmp"
	"encoding/json"
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/datasets/datasettest"
	"recallbench/datasets/locomo"
	"recallbench/internal/door/llm"
	"recallbench/internal/rules/reader"
	"recallbench/internal/testkit/realdata"
	"recallbench/methods/flatrag"
)

// buildDump lists what is built from a developed conversation, for work on the
// rules: go test -run 'Memories$' -v ./internal/backend/offline -build conv-26.
var buildDump = flag.String("build", "", "log the episodes and statements of this developed conversation")

// A built is what the rules make of a conversation.
type built struct {
	sample     *datasets.Sample
	lengths    []int // messages of each episode
	episodes   []llm.Episode
	statements []string
	began      []time.Time // of each episode
	turns      [][]string  // the ids of its messages
	stated     []time.Time // of each statement's episode
	read, told int         // characters of the messages and of the episodes
}

// made sends a task to the backend and reads the reply.
func made[T any](t *testing.T, r *generator, task llm.Task) (reply T) {
	t.Helper()
	got, err := r.Generate(t.Context(), llm.Request{Role: "builder", Task: task})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(got.Text), &reply); err != nil {
		t.Fatalf("%s: %v in %.200q", task.Kind(), err, got.Text)
	}
	return reply
}

// build does what a method does: a boundary for each message, then an episode
// and its statements.
func build(t *testing.T, r *generator, s *datasets.Sample) *built {
	t.Helper()
	b := &built{sample: s}
	var open []llm.Line
	var turns []string
	shut := func(why string) {
		e := made[llm.Episode](t, r, llm.EpisodeTask{Lines: open, Why: why})
		b.lengths = append(b.lengths, len(open))
		b.episodes = append(b.episodes, e)
		b.began = append(b.began, open[0].Time)
		for _, s := range made[llm.Statements](t, r, llm.StatementsTask{Lines: open}).Statements {
			b.statements, b.stated = append(b.statements, s), append(b.stated, open[0].Time)
		}
		for _, l := range open {
			b.read += len(l.Text)
		}
		b.told += len(e.Content)
		b.turns = append(b.turns, turns)
		open, turns = nil, nil
	}
	for _, session := range s.Sessions {
		for _, turn := range session.Turns {
			next := flatrag.Defaults().Images.Line(turn)
			if len(open) > 0 {
				if d := made[llm.Boundary](t, r, llm.BoundaryTask{History: open, Next: next}); d.NewEpisode {
					shut(d.Why)
				}
			}
			open, turns = append(open, next), append(turns, turn.ID)
		}
	}
	shut("")
	return b
}

// contents are the contents of the episodes.
func (b *built) contents() (texts []string) {
	for _, e := range b.episodes {
		texts = append(texts, e.Content)
	}
	return texts
}

// passages makes each text a passage of one line.
func passages(texts []string, times []time.Time) (out []llm.Passage) {
	for i, text := range texts {
		out = append(out, llm.Passage{Lines: []llm.Line{{Time: times[i], Text: text}}})
	}
	return out
}

// every makes the tests of building memories take all conversations and all
// questions: go test -run 'Memories$|ProbeOnLoCoMo' -v ./internal/backend/offline -every.
var every = flag.Bool("every", false, "build memories of all conversations, not of two, and probe for all questions, not for each third")

// memories builds a memory of every conversation, or of one that is developed and
// one that is held out, once for all tests.
func memories(t *testing.T) (set *datasets.Set, all []*built) {
	t.Helper()
	set = locomoSamples(t)
	if len(builtOnce) == 0 {
		r := testGenerator(t)
		samples := datasettest.Samples(t, set)
		for i := range samples {
			if *every || *buildDump == samples[i].ID || i%5 == 0 {
				builtOnce = append(builtOnce, build(t, r, &samples[i]))
			}
		}
	}
	return set, builtOnce
}

var builtOnce []*built

// locomoSamples opens the conversations.
func locomoSamples(t *testing.T) *datasets.Set {
	t.Helper()
	set, err := locomo.Spec.Open(t.Context(), datasets.Env{Dir: realdata.Datasets(t)}, locomo.Spec.Options)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// survives is the share of an answer's content words, and of its numbers, that
// the texts have.
func survives(answer string, have map[uint64]bool) (share float64, ok bool) {
	n, found := 0, 0
	for s := range reader.Stems(answer) {
		if s.Content {
			n++
			if have[s.Stem] {
				found++
			}
		}
	}
	if n == 0 {
		return 0, false
	}
	return float64(found) / float64(n), true
}

func stemsIn(texts ...string) map[uint64]bool {
	have := make(map[uint64]bool)
	for _, text := range texts {
		for s := range reader.Stems(text) {
			have[s.Stem] = true
		}
	}
	return have
}

// The figures that docs/offline.md quotes on building memories come from this
// test: go test -run 'Memories$' -v ./internal/backend/offline -every.
func TestMemories(t *testing.T) {
	r := testGenerator(t)
	set, all := memories(t)
	var lengths []int
	var episodes, statements, words, longest, read, told tally
	kept := map[string]*tally{"1": {}, "2": {}, "3": {}, "4": {}, "all": {}, "statements": {}, "messages": {}}
	for _, b := range all {
		lengths = append(lengths, b.lengths...)
		episodes.add(float64(len(b.lengths)))
		statements.add(float64(len(b.statements)))
		read.add(float64(b.read))
		told.add(float64(b.told))
		texts := slices.Clone(b.statements)
		for _, s := range b.statements {
			n := len(strings.Fields(s))
			words.add(float64(n))
			longest.sum = max(longest.sum, float64(n))
		}
		stated := stemsIn(b.statements...)
		for _, e := range b.episodes {
			texts = append(texts, e.Title, e.Content)
		}
		have := stemsIn(texts...)
		var raw []string
		for _, s := range b.sample.Sessions {
			for _, turn := range s.Turns {
				raw = append(raw, flatrag.Defaults().Images.Line(turn).Text)
			}
		}
		said := stemsIn(raw...)
		for _, q := range b.sample.Requests {
			gold, _ := set.Gold(b.sample.ID, q.ID)
			if x, ok := survives(gold.Answer, have); ok && kept[gold.Category] != nil {
				kept[gold.Category].add(x)
				kept["all"].add(x)
				x, _ = survives(gold.Answer, stated)
				kept["statements"].add(x)
				x, _ = survives(gold.Answer, said)
				kept["messages"].add(x)
			}
		}
		t.Logf("%-8s %4d messages %3d episodes %4d statements", b.sample.ID, sum(b.lengths), len(b.lengths), len(b.statements))
		if slices.Contains(developed, b.sample.ID) && *buildDump == b.sample.ID {
			dumpBuilt(t, r, b)
		}
	}
	slices.Sort(lengths)
	mean := float64(sum(lengths)) / float64(len(lengths))
	over := 0
	for _, n := range lengths {
		if n > 25 {
			over++
		}
	}
	t.Logf("episodes: %.1f a conversation, of %.1f messages in the mean, a tenth up to %d, half up to %d, nine tenths up to %d, longest %d, %d of %d over 25; content is %.0f %% of the messages",
		episodes.mean(), mean, lengths[len(lengths)/10], lengths[len(lengths)/2], lengths[len(lengths)*9/10], lengths[len(lengths)-1], over, len(lengths), 100*told.sum/read.sum)
	t.Logf("statements: %.1f a conversation, %.1f words in the mean, longest %.0f", statements.mean(), words.mean(), longest.sum)
	for _, key := range []string{"1", "2", "3", "4", "all", "statements", "messages"} {
		t.Logf("words of the gold answers that survive, %-10s %.3f", key, kept[key].mean())
	}
	for _, c := range []struct {
		what            string
		got, low, upper float64
	}{
		{"messages of an episode in the mean", mean, 8, 15},
		{"share of episodes over 25 messages", float64(over) / float64(len(lengths)), 0, 0.03},
		{"statements of a conversation", statements.mean(), 200, 350},
		{"words of the longest statement", longest.sum, 5, 36},
		{"content, as a share of the messages", told.sum / read.sum, 0.3, 0.95},
		{"what survives of single-hop answers", kept["4"].mean(), 0.95, 1},
		{"what survives of temporal answers", kept["2"].mean(), 0.88, 1},
		{"what survives of all answers in statements alone", kept["statements"].mean(), 0.8, 1},
	} {
		if c.got < c.low || c.got > c.upper {
			t.Errorf("%s: %.3f, want %v to %v", c.what, c.got, c.low, c.upper)
		}
	}
}

func sum(counts []int) (n int) {
	for _, x := range counts {
		n += x
	}
	return n
}

// dumpBuilt logs messages beside what was made of them.
func dumpBuilt(t *testing.T, r *generator, b *built) {
	t.Helper()
	var lines []llm.Line
	for _, s := range b.sample.Sessions {
		for _, turn := range s.Turns {
			lines = append(lines, flatrag.Defaults().Images.Line(turn))
		}
	}
	for i, n := range b.lengths {
		var d strings.Builder
		for _, l := range lines[:n] {
			d.WriteString("\n   " + cmp.Or(l.Speaker, "?") + ": " + l.Text)
		}
		d.WriteString("\n = " + b.episodes[i].Title + "\n   " + strings.ReplaceAll(b.episodes[i].Content, ". ", ".\n   "))
		for _, s := range made[llm.Statements](t, r, llm.StatementsTask{Lines: lines[:n]}).Statements {
			d.WriteString("\n   * " + s)
		}
		t.Log(d.String())
		lines = lines[n:]
	}
}

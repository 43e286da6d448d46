package perltqa_test

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"recallbench/datasets"
	"recallbench/datasets/perltqa"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

func options(change func(*perltqa.Options)) perltqa.Options {
	o := perltqa.Spec.Options.(perltqa.Options)
	if change != nil {
		change(&o)
	}
	return o
}

// loaded is a set with what it took to load it.
type loaded struct {
	set       *datasets.Set
	err       error
	allocated uint64
}

// full loads the generated release once.
var full = sync.OnceValue(func() (f loaded) {
	memory, questions := release()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f.set, f.err = perltqa.Parse(memory, questions, options(nil))
	runtime.ReadMemStats(&after)
	f.allocated = after.TotalAlloc - before.TotalAlloc
	return f
})

func load(tb testing.TB) *datasets.Set {
	tb.Helper()
	f := full()
	if f.err != nil {
		tb.Fatal(f.err)
	}
	return f.set
}

// warned returns how often the set warns of what begins so.
func warned(set *datasets.Set, what string) int {
	n := 0
	for _, w := range set.Warnings {
		if strings.HasPrefix(w.What, what) {
			n += w.Count
		}
	}
	return n
}

// asked counts the requests by section, those whose label has a value.
func asked(set *datasets.Set, reference string) map[perltqa.Section]int {
	n := make(map[perltqa.Section]int)
	for _, s := range set.Entries {
		for _, r := range s.Requests {
			g, _ := set.Gold(s.ID, r.ID)
			if g.Labels["reference"] == reference {
				n[perltqa.Section(g.Category)]++
			}
		}
	}
	return n
}

const cannotAsk = "question is about a character without a memory; left out: "

// TestCounts compares the set with the counts that are published of the
// release, whose shape the generated data has.
func TestCounts(t *testing.T) {
	set := load(t)
	if len(try.All(t, set.All(t.Context()))) != blocks-1 {
		t.Errorf("%d characters, want %d", len(try.All(t, set.All(t.Context()))), blocks-1)
	}
	none := cmpopts.IgnoreMapEntries(func(_ perltqa.Section, n int) bool { return n == 0 })
	try.Equal(t, "questions whose memory is there", resolvable, asked(set, "found"))
	try.Equal(t, "questions whose memory is not there", dangling, asked(set, "missing"), none)
	all := make(map[perltqa.Section]int)
	for section := range published {
		all[section] = asked(set, "found")[section] + asked(set, "missing")[section] + warned(set, cannotAsk+string(section))
	}
	try.Equal(t, "questions", published, all)
	for _, n := range []struct {
		what string
		want int
	}{
		{cannotAsk, 277},
		{"question names a missing memory", 11},
		{"value is a string with a Python literal", strung},
	} {
		if got := warned(set, n.what); got != n.want {
			t.Errorf("%s: %d, want %d", n.what, got, n.want)
		}
	}

	i := slices.IndexFunc(try.All(t, set.All(t.Context())), func(s datasets.Sample) bool { return s.ID == "Chen Zhi" })
	if i < 0 || len(try.All(t, set.All(t.Context()))[i].Requests) != 40 {
		t.Errorf("Chen Zhi, the least known, is sample %d", i)
	}
}

// TestCost bounds what is allocated to load the release, by the program as it is built
// without the race detector.
func TestCost(t *testing.T) {
	longtest.SkipRace(t)
	load(t)
	memory, questions := release()
	size := len(memory.Data) + len(questions.Data)
	if most := uint64(10 * size); full().allocated > most {
		t.Errorf("allocated %d bytes for files of %d, want at most %d", full().allocated, size, most)
	}
	t.Logf("%d MB allocated for files of %d MB", full().allocated>>20, size>>20)
}

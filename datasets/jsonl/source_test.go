package jsonl

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/testkit/try"
)

// TestScattered loads samples whose lines stand between those of others, in two
// files, as if they stood together.
func TestScattered(t *testing.T) {
	turn := func(sample string, n int) string {
		return fmt.Sprintf(`{"type":"turn","sample":%q,"session":"1","speaker":"A","text":"%s says %d"}`, sample, sample, n) + "\r\n"
	}
	ask := func(sample string) string {
		return fmt.Sprintf(`{"type":"question","sample":%q,"question":"Who?","answer":"A","entities":[{"id":"E","names":["A"],"mentions":[{"turn":"1:2","start":0,"end":1}]}]}`, sample) + "\n\n"
	}
	together := try.Get(parse(t, turn("a", 1)+turn("a", 2)+turn("a", 3)+ask("a")+turn("b", 1)+turn("b", 2)+ask("b")))(t)
	want := try.All(t, together.All(t.Context()))
	scattered := try.Get(parse(t, "\ufeff"+turn("a", 1)+ask("b")+turn("a", 2)+turn("b", 1), "\n"+ask("a")+turn("b", 2)+"\n"+turn("a", 3)))(t)
	if diff := cmp.Diff(want, try.All(t, scattered.All(t.Context()))); diff != "" {
		t.Errorf("samples differ (-together +scattered):\n%s", diff)
	}
	for _, set := range []*datasets.Set{together, scattered} {
		g, _ := set.Gold("b", "q1")
		if len(g.History) != 1 || g.History[0].Text != "b says 2" {
			t.Errorf("the history of gold is %v, want the turn that is mentioned", g.History)
		}
	}
}

// TestChanged changes a file behind an open set.
func TestChanged(t *testing.T) {
	content := aTurn + aQuestion + strings.ReplaceAll(aQuestion+aTurn, `"s"`, `"other"`)
	check := func(place int, change func(path string) error) {
		t.Helper()
		set := try.Get(parse(t, content))(t)
		try.Do(t, change("1.jsonl"))
		for i := range set.Entries {
			if _, err := set.Load(t.Context(), i); errors.Is(err, datasets.ErrChanged) != (i == place) || i != place && err != nil {
				t.Errorf("sample %d: error %v, and sample %d has changed", i, err, place)
			}
		}
	}
	check(0, func(path string) error {
		return os.WriteFile(path, []byte(strings.Replace(content, "Hi", "Ho", 1)), 0o644)
	})
	check(1, func(path string) error { return os.Truncate(path, int64(len(content)-2)) })
	check(-1, func(string) error { return nil })
	set := try.Get(parse(t, content))(t)
	try.Do(t, set.Close())
	if _, err := set.Load(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "is closed") {
		t.Errorf("a closed set: error %v", err)
	}
}

package multiwoz_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets/internal/multiwoz"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// expected is what expected_stats.json beside the data counts of a split.
type expected struct {
	Dialogues  int            `json:"dialogues"`
	Turns      int            `json:"turns"`
	UserTurns  int            `json:"user_turns"`
	MinTurns   int            `json:"min_turns"`
	MaxTurns   int            `json:"max_turns"`
	Twelve     int            `json:"dialogues_with_at_least_12_turns"`
	Sixteen    int            `json:"dialogues_with_at_least_16_turns"`
	ByServices map[string]int `json:"by_service_count"`
	ByService  map[string]int `json:"by_service"`
	References int            `json:"booking_reference_spans"`
}

func TestExpectedStats(t *testing.T) {
	dir := filepath.Join(realdata.Datasets(t), "multiwoz")
	data := try.Get(os.ReadFile(filepath.Join(dir, "expected_stats.json")))(t)
	var want struct {
		Splits map[string]expected `json:"splits"`
	}
	try.Do(t, json.Unmarshal(data, &want))
	corpus := try.Get(multiwoz.Load(t.Context(), dir, "dev", "test"))(t)
	got := make(map[string]expected)
	for _, s := range corpus.Splits {
		e := expected{Dialogues: len(s.Dialogues), MinTurns: 1000, ByServices: map[string]int{}, ByService: map[string]int{}}
		for _, d := range s.Dialogues {
			n := len(d.Turns)
			e.Turns += n
			e.MinTurns, e.MaxTurns = min(e.MinTurns, n), max(e.MaxTurns, n)
			if n >= 12 {
				e.Twelve++
			}
			if n >= 16 {
				e.Sixteen++
			}
			e.ByServices[strconv.Itoa(len(d.Services))]++
			for _, service := range d.Services {
				e.ByService[service]++
			}
			for _, turn := range d.Turns {
				if turn.User {
					e.UserTurns++
				}
				for _, a := range turn.Acts {
					if a.Slot == "ref" && a.End > 0 {
						e.References++
					}
					if a.End > 0 && !strings.EqualFold(turn.Text[a.Start:a.End], a.Value) {
						t.Errorf("%s: turn %s: act %+v is at %q", d.ID, turn.ID, a, turn.Text[a.Start:a.End])
					}
				}
			}
		}
		got[s.Name] = e
	}
	if diff := cmp.Diff(want.Splits, got); diff != "" {
		t.Errorf("counts differ (-expected +read):\n%s", diff)
	}
	if corpus.Caveat != "built from MultiWOZ 2.1 labels in the 2.2 layout, not MultiWOZ 2.2" {
		t.Errorf("labels of 2.1 are taken for those of 2.2: %q", corpus.Caveat)
	}
	if !strings.HasSuffix(corpus.Dir, "v2.2-layout-derived-from-2.1") {
		t.Errorf("read %s", corpus.Dir)
	}
	t.Logf("%+v", corpus.Warnings)
}

// TestGenuineSample reads the few dialogues of the release that are at hand.
// They are read only where they are named.
func TestGenuineSample(t *testing.T) {
	dir := filepath.Join(realdata.Datasets(t), "multiwoz", "v2.2-genuine-sample")
	corpus := try.Get(multiwoz.Load(t.Context(), dir, "train", "dev", "test"))(t)
	turns := 0
	for _, s := range corpus.Splits {
		for _, d := range s.Dialogues {
			turns += len(d.Turns)
		}
	}
	if turns != 62 || !strings.Contains(corpus.Caveat, "a part of MultiWOZ 2.2: train") {
		t.Errorf("%d turns, caveat %q; want 62 turns of a part of 2.2", turns, corpus.Caveat)
	}
	t.Logf("%+v", corpus.Warnings)
}

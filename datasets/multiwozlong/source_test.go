package multiwozlong

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

func packed(tb testing.TB, s string) string {
	tb.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	try.Get(z.Write([]byte(s)))(tb)
	try.Do(tb, z.Close())
	return b.String()
}

// TestQuirks reads a dialogue with a turn that says nothing, and acts without a place, with
// one outside of the utterance, and of no turn.
func TestQuirks(t *testing.T) {
	dir := try.Files(t, map[string]string{
		"test/dialogues_001.json.gz": packed(t, `[{"dialogue_id": "A1", "services": ["hotel"], "turns": [
 {"turn_id": "0", "speaker": "USER", "utterance": "Zoë’s house, please", "frames": [
  {"service": "hotel", "actions": [], "state": {"active_intent": "find_hotel", "requested_slots": ["hotel-phone"], "slot_values": {"hotel-name": ["zoes house", "zoe's"], "hotel-type": []}},
   "slots": [{"slot": "hotel-name", "start": 0, "exclusive_end": 11, "value": "Zoë’s house"}]},
  {"service": "taxi", "actions": [], "slots": []}]},
 {"turn_id": "1", "speaker": "SYSTEM", "utterance": "It’s 01223 000000.", "frames": []},
 {"turn_id": "2", "speaker": "USER", "utterance": " ", "frames": []}]}]`),
		"dialog_acts.json": `{"B9": {"0": 7}, "A1": {
 "0": {"dialog_act": {"Hotel-Inform": [["name", "zoes house"]], "general-greet": [["none", "none"]]}, "span_info": []},
 "1": {"dialog_act": {"Hotel-Inform": [["phone", "01223 000000"]]}, "span_info": [["Hotel-Inform", "phone", "01223 000000", 5, 17], ["Hotel-Inform", "area", 3, 0, 2], ["Hotel-Inform", "area", "x", 3, 2]]},
 "7": {}}}`,
	})
	got := try.Get(readSource(t.Context(), dir, "test"))(t)
	want := []dialogue{{id: "A1", services: []string{"hotel"}, turns: []utterance{
		{
			id: "0", user: true, text: "Zoë’s house, please",
			states: []state{{service: "hotel", intent: "find_hotel", values: []value{{"name", []string{"zoes house", "zoe's"}}}}},
			acts:   []act{{service: "hotel", does: "inform", slot: "name", value: "zoes house"}, {service: "general", does: "greet", slot: "none", value: "none"}},
		},
		{id: "1", text: "It’s 01223 000000.", acts: []act{
			{"hotel", "inform", "phone", "01223 000000", span{7, 19}}, {"hotel", "inform", "area", "3", span{0, 2}},
		}},
	}}}
	try.Equal(t, "dialogues", want, got.dialogues, cmp.AllowUnexported(dialogue{}, utterance{}, state{}, value{}, act{}, span{}))
	warnings := []datasets.Warning{
		{What: "turn says nothing; left out", Count: 1, Where: []string{"A1: 2"}},
		{What: "span belongs to no act of the turn; counted as one", Count: 1, Where: []string{"A1: 1"}},
		{What: "span of an act is outside its utterance; left out", Count: 1, Where: []string{"A1: 1"}},
		{What: "acts are of no turn; left out", Count: 1, Where: []string{"A1: 7"}},
	}
	try.Equal(t, "warnings", warnings, got.warnings.Warnings)
	if want := "built from a part of MultiWOZ 2.2: test has 1 dialogues of 1000"; got.caveat != want {
		t.Errorf("caveat %q, want %q", got.caveat, want)
	}
}

// sound is a dialogue without faults.
const sound = `[{"dialogue_id": "A1", "services": [], "turns": [{"turn_id": "0", "speaker": "USER", "utterance": "Hi", "frames": []}]}]`

func TestFind(t *testing.T) {
	const file = "/test/dialogues_001.json"
	for want, names := range map[string][]string{
		".":                            {file, "MultiWOZ_2.2" + file},
		"data/MultiWOZ_2.2":            {"data/MultiWOZ_2.2" + file, "v2.2-layout-derived-from-2.1" + file},
		"v2.2-genuine":                 {"v2.2-genuine" + file + ".gz", "v2.2-layout-derived-from-2.1" + file},
		"v2.2-layout-derived-from-2.1": {"v2.2-layout-derived-from-2.1" + file, "v2.2-genuine-sample" + file},
		"":                             {"v2.2-genuine-sample" + file, "test/other.json", "dev/dialogues_001.json"},
	} {
		files := make(map[string]string)
		for _, name := range names {
			files[name] = sound
		}
		dir, s := try.Files(t, files), new(source)
		_, err := s.find(dir, "test")
		if want == "" {
			if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "has no MultiWOZ 2.2") {
				t.Errorf("error %v", err)
			}
			continue
		}
		if rel, _ := filepath.Rel(dir, s.dir); err != nil || filepath.ToSlash(rel) != want {
			t.Errorf("found %s, error %v; want %s", rel, err, want)
		}
	}
}

func TestSourceFaults(t *testing.T) {
	check := func(dialogues, acts string, want ...string) {
		t.Helper()
		dir := try.Files(t, map[string]string{"test/dialogues_001.json": dialogues, "dialog_acts.json": acts})
		_, err := readSource(t.Context(), dir, "test")
		if err == nil {
			t.Fatalf("no error, want %q", want)
		}
		try.Equal(t, "faults", want, strings.Split(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""), "\n"))
	}
	edit := func(from, to string) string {
		t.Helper()
		if !strings.Contains(sound, from) {
			t.Fatalf("there is no %s", from)
		}
		return strings.Replace(sound, from, to, 1)
	}
	const at = "test/dialogues_001.json:1: [0]"
	check(strings.TrimSuffix(sound, "]")+","+sound[1:], "{}", `test/dialogues_001.json:1: [1]: dialogue_id "A1" is already that of another dialogue`)
	check(edit(`"A1"`, `" "`), "{}", at+`: "dialogue_id" is empty`)
	check(edit(`"services": []`, `"services": [1]`), "{}", at+".services[0]: want a string, have a number")
	check(edit(`"USER"`, `"user"`), "{}", at+`.turns[0]: speaker is "user", want USER or SYSTEM`)
	check(edit(`"turn_id": "0"`, `"turn_id": null`), "{}", at+`.turns[0]: "turn_id" is missing, want a string`)
	check(edit(`"frames": []`, `"frames": [1, {}, {"service": "a", "state": 3}]`), "{}",
		at+".turns[0].frames[0]: want an object, have a number", at+`.turns[0].frames[1]: "service" is missing, want a string`,
		at+".turns[0].frames[2].state: want an object, have a number")
	check(edit(`"frames": []`, `"frames": [{"service": "a", "state": {"slot_values": {"x": 3}}}]`), "{}",
		at+".turns[0].frames[0].state.slot_values.x: want an array, have a number")
	const in = "dialog_acts.json:1: A1: "
	check(sound, `{"A1": {"0": {"dialog_act": {"a": [["x"]], "b": 1}, "span_info": [["a", "x", "y", 1.5, 2]]}}}`,
		in+"0.dialog_act.a: has 1 items, want 2", in+"0.dialog_act.b: want an array, have a number", in+"0: offsets are 1.5 and 2, want integers")
	check(sound, `{"A1": {"0": {"span_info": [["a", "x", "y", [], 2]]}}}`, in+"0.span_info[0][3]: want a string or a number, have an array")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := readSource(ctx, filepath.Join("testdata", "multiwoz"), "test"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestExpectedStats compares the source with what expected_stats.json beside it counts.
func TestExpectedStats(t *testing.T) {
	type counts struct {
		Dialogues, Turns int
		UserTurns        int            `json:"user_turns"`
		ByService        map[string]int `json:"by_service"`
		References       int            `json:"booking_reference_spans"`
	}
	dir := filepath.Join(realdata.Datasets(t), "multiwoz")
	var want struct{ Splits map[string]counts }
	try.Do(t, json.Unmarshal(try.Get(os.ReadFile(filepath.Join(dir, "expected_stats.json")))(t), &want))
	for _, split := range []string{"dev", "test"} {
		s := try.Get(readSource(t.Context(), dir, split))(t)
		got := counts{Dialogues: len(s.dialogues), ByService: make(map[string]int)}
		for _, d := range s.dialogues {
			got.Turns += len(d.turns)
			for _, service := range d.services {
				got.ByService[service]++
			}
			for _, turn := range d.turns {
				if turn.user {
					got.UserTurns++
				}
				for _, a := range turn.acts {
					if a.slot == "ref" && a.end > 0 {
						got.References++
					}
					if a.end > 0 && !strings.EqualFold(a.of(turn.text), a.value) {
						t.Errorf("%s: turn %s: act %+v is at %q", d.id, turn.id, a, a.of(turn.text))
					}
				}
			}
		}
		try.Equal(t, split, want.Splits[split], got)
		if s.caveat != "built from MultiWOZ 2.1 labels in the 2.2 layout, not MultiWOZ 2.2" || !strings.HasSuffix(s.dir, "v2.2-layout-derived-from-2.1") {
			t.Errorf("labels of 2.1 are taken for those of 2.2: %q in %s", s.caveat, s.dir)
		}
	}
	genuine := try.Get(readSource(t.Context(), filepath.Join(dir, "v2.2-genuine-sample"), "test"))(t)
	if len(genuine.dialogues) == 0 || !strings.Contains(genuine.caveat, "a part of MultiWOZ 2.2: test") {
		t.Errorf("%d dialogues of the release, caveat %q", len(genuine.dialogues), genuine.caveat)
	}
}

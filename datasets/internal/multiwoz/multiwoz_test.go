package multiwoz

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/testkit/try"
)

// A folder is files by their names.
type folder map[string]string

func (f folder) write(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, content := range f {
		path := filepath.Join(dir, filepath.FromSlash(name))
		try.Do(tb, os.MkdirAll(filepath.Dir(path), 0o755))
		try.Do(tb, os.WriteFile(path, []byte(content), 0o644))
	}
	return dir
}

func packed(tb testing.TB, s string) string {
	tb.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	try.Get(z.Write([]byte(s)))(tb)
	try.Do(tb, z.Close())
	return b.String()
}

// quirks is a dialogue with what the layout allows: a value that is no list, a
// turn that says nothing, acts without a place, with one outside of the utterance, and of
// no turn.
const quirks = `[{"dialogue_id": "A1", "services": ["hotel"], "turns": [
 {"turn_id": "0", "speaker": "USER", "utterance": "Zoë’s house, please", "frames": [
  {"service": "hotel", "actions": [], "state": {"active_intent": "find_hotel", "requested_slots": ["hotel-phone"], "slot_values": {"hotel-name": ["zoes house", "zoe's"], "hotel-area": "north", "hotel-type": []}},
   "slots": [{"slot": "hotel-name", "start": 0, "exclusive_end": 11, "value": "Zoë’s house"}]},
  {"service": "taxi", "actions": [], "slots": [], "state": {"active_intent": "NONE", "requested_slots": [], "slot_values": {}}}]},
 {"turn_id": "1", "speaker": "SYSTEM", "utterance": "It’s 01223 000000.", "frames": []},
 {"turn_id": "2", "speaker": "USER", "utterance": " ", "frames": []}]}]`

const quirkyActs = `{"B9": {"0": 7}, "A1": {
 "0": {"dialog_act": {"Hotel-Inform": [["name", "zoes house"]], "general-greet": [["none", "none"]]}, "span_info": []},
 "1": {"dialog_act": {"Hotel-Inform": [["phone", "01223 000000"]]}, "span_info": [["Hotel-Inform", "phone", "01223 000000", 5, 17], ["Hotel-Inform", "area", 3, 0, 2], ["Hotel-Inform", "area", "x", 3, 2]]},
 "7": {}}}`

func TestQuirks(t *testing.T) {
	dir := folder{"test/dialogues_001.json.gz": packed(t, quirks), "dialog_acts.json": quirkyActs}.write(t)
	got := try.Get(Load(t.Context(), dir, "test"))(t)
	want := []Dialogue{{ID: "A1", Services: []string{"hotel"}, Turns: []Turn{
		{
			ID: "0", User: true, Text: "Zoë’s house, please",
			States: []State{
				{Service: "hotel", Intent: "find_hotel", Values: []Value{
					{Slot: "hotel-name", Variants: []string{"zoes house", "zoe's"}}, {Slot: "hotel-area", Variants: []string{"north"}},
				}},
				{Service: "taxi", Intent: "NONE"},
			},
			Acts: []Act{{Service: "hotel", Does: "inform", Slot: "name", Value: "zoes house"}, {Service: "general", Does: "greet", Slot: "none", Value: "none"}},
		},
		{ID: "1", Text: "It’s 01223 000000.", Acts: []Act{
			{Service: "hotel", Does: "inform", Slot: "phone", Value: "01223 000000", Start: 7, End: 19},
			{Service: "hotel", Does: "inform", Slot: "area", Value: "3", Start: 0, End: 2},
		}},
	}}}
	try.Equal(t, "dialogues differ", want, got.Splits[0].Dialogues)
	warnings := []datasets.Warning{
		{What: "turn says nothing; left out", Count: 1, Where: []string{"A1: 2"}},
		{What: "span belongs to no act of the turn; counted as one", Count: 1, Where: []string{"A1: 1"}},
		{What: "span of an act is outside its utterance; left out", Count: 1, Where: []string{"A1: 1"}},
		{What: "acts are of no turn; left out", Count: 1, Where: []string{"A1: 7"}},
	}
	try.Equal(t, "warnings differ", warnings, got.Warnings)
	if want := "built from a part of MultiWOZ 2.2: test has 1 dialogues of 1000"; got.Caveat != want {
		t.Errorf("caveat %q, want %q", got.Caveat, want)
	}
	turn := &got.Splits[0].Dialogues[0].Turns[0]
	if v := turn.State("hotel").Value("hotel-area"); len(v) != 1 || turn.State("bus").Value("bus-day") != nil || turn.State("taxi").Value("taxi-type") != nil {
		t.Errorf("area is %q", v)
	}
}

// small is a sound dialogue.
const small = `[{"dialogue_id": "A1", "services": [], "turns": [{"turn_id": "0", "speaker": "USER", "utterance": "Hi", "frames": []}]}]`

func TestFind(t *testing.T) {
	check := func(f folder, want, wantErr string) {
		t.Helper()
		dir := f.write(t)
		at, err := find(dir)
		if wantErr != "" {
			if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), wantErr) {
				t.Errorf("error %v, want %q", err, wantErr)
			}
			return
		}
		if rel, _ := filepath.Rel(dir, at); err != nil || filepath.ToSlash(rel) != want {
			t.Errorf("found %s, error %v; want %s", rel, err, want)
		}
	}
	const file = "/test/dialogues_001.json"
	check(folder{file: small, "MultiWOZ_2.2" + file: small}, ".", "")
	check(folder{"dev/dialogues_001.json.gz": ""}, ".", "")
	check(folder{"data/MultiWOZ_2.2" + file: small, "v2.2-layout-derived-from-2.1" + file: small}, "data/MultiWOZ_2.2", "")
	check(folder{"v2.2-genuine" + file: small, "v2.2-layout-derived-from-2.1" + file: small}, "v2.2-genuine", "")
	check(folder{"v2.2-layout-derived-from-2.1" + file: small, "v2.2-genuine-sample" + file: small}, "v2.2-layout-derived-from-2.1", "")
	check(folder{"v2.2-genuine-sample" + file: small}, "", "has no MultiWOZ 2.2")
	check(folder{"test/other.json": small}, "", "has no MultiWOZ 2.2")
}

func TestFaults(t *testing.T) {
	check := func(f folder, want ...string) {
		t.Helper()
		dir := f.write(t)
		_, err := Load(t.Context(), dir, "test")
		if err == nil {
			t.Errorf("no error, want %q", want)
			return
		}
		got := strings.Split(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""), "\n")
		try.Equal(t, "faults differ", want, got)
	}
	file := func(content string) folder {
		return folder{"test/dialogues_001.json": content, "dialog_acts.json": "{}"}
	}
	const at = "test/dialogues_001.json:"
	check(file(strings.Replace(small, "[]}]}", "[]}]},\n"+small[1:], 1)[:len(small)*2]), at+`2: [1]: dialogue_id "A1" is already that of another dialogue`)
	edit := func(from, to string) folder {
		t.Helper()
		if !strings.Contains(small, from) {
			t.Fatalf("there is no %s", from)
		}
		return file(strings.Replace(small, from, to, 1))
	}
	check(edit(`"A1"`, `" "`), at+`1: [0]: "dialogue_id" is empty`)
	check(edit(`"services": []`, `"services": [1]`), at+"1: A1: services[0]: want a string, have a number")
	check(edit(`"USER"`, `"user"`), at+`1: A1: turns[0]: speaker is "user", want USER or SYSTEM`)
	check(edit(`"turn_id": "0"`, `"turn_id": null`), at+`1: A1: turns[0]: "turn_id" is missing, want a string`)
	check(edit(`"frames": []`, `"frames": [1, {}, {"service": "a", "state": 3}]`),
		at+"1: A1: turns[0].frames[0]: want an object, have a number", at+`1: A1: turns[0].frames[1]: "service" is missing, want a string`,
		at+"1: A1: turns[0].frames[2].state: want an object, have a number")
	check(edit(`"frames": []`, `"frames": [{"service": "a", "state": {"slot_values": {"x": 3}}}, {"service": "a"}]`),
		at+"1: A1: turns[0].frames[0].state.slot_values.x: want an array, have a number",
		at+`1: A1: turns[0]: service "a" has two frames in one turn`)
	acts := func(content string) folder {
		return folder{"test/dialogues_001.json": small, "dialog_acts.json": content}
	}
	const in = "dialog_acts.json:"
	check(acts(`{"A1": {"0": {"dialog_act": {"a": [["x"]], "b": 1}, "span_info": [["a", "x", "y", 1.5, 2]]}}}`),
		in+"1: A1: 0.dialog_act.a: has 1 items, want 2", in+"1: A1: 0.dialog_act.b: want an array, have a number",
		in+"1: A1: 0: offsets are 1.5 and 2, want integers")
	check(acts(`{"A1": {"0": {"span_info": [["a", "x", "y", [], 2]]}}}`), in+"1: A1: 0.span_info[0][3]: want a string or a number, have an array")
	check(folder{"test/dialogues_001.json.gz": "no"}, "test/dialogues_001.json.gz: is not a gzip file, or is damaged: unexpected EOF")
	whole := packed(t, small)
	check(folder{"test/dialogues_001.json.gz": whole[:len(whole)-9]}, "test/dialogues_001.json.gz: is not a gzip file, or is damaged: unexpected EOF")
	check(folder{"test/dialogues_001.json.gz": whole[:len(whole)-8] + "12345678"}, "test/dialogues_001.json.gz: is not a gzip file, or is damaged: gzip: invalid checksum")
	_, err := Load(t.Context(), file(small).write(t), "train")
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "split train") {
		t.Errorf("a split that is not there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Load(ctx, file(small).write(t), "test"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

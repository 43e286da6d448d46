package dialogre_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets/internal/dialogre"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

const small = `[[["Speaker 1: Hi, I'm Ada.", "Speaker 2, Speaker 1:: Hello!", "Speaker 2:Bye: now", "Speaker 3:"],
 [{"x": "Speaker 1", "y": "Ada", "x_type": "PER", "y_type": "STRING", "r": ["per:alternate_names", "per:title"], "rid": [30, 29], "t": ["", "am "]},
  {"x": "Ada", "y": "Oslo", "x_type": "PER", "y_type": "GPE", "r": ["unanswerable"], "rid": [37], "t": [""]}]],
 [["Speaker 1: Alone."], []]]`

func TestParse(t *testing.T) {
	got := try.Get(dialogre.Parse("small.json", []byte("\ufeff"+small)))(t)
	want := []dialogre.Dialogue{
		{
			Turns: []dialogre.Turn{
				{Speakers: []string{"Speaker 1"}, Text: "Hi, I'm Ada."},
				{Speakers: []string{"Speaker 2", "Speaker 1"}, Text: "Hello!"},
				{Speakers: []string{"Speaker 2"}, Text: "Bye: now"},
				{Speakers: []string{"Speaker 3"}},
			},
			Pairs: []dialogre.Pair{
				{X: "Speaker 1", Y: "Ada", XType: dialogre.Person, YType: dialogre.Text, Relations: []dialogre.Relation{
					{Name: "per:alternate_names"}, {Name: "per:title", Trigger: "am"},
				}},
				{X: "Ada", Y: "Oslo", XType: dialogre.Person, YType: dialogre.Place, Relations: []dialogre.Relation{{Name: dialogre.Unanswerable}}},
			},
		},
		{Turns: []dialogre.Turn{{Speakers: []string{"Speaker 1"}, Text: "Alone."}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFaults(t *testing.T) {
	check := func(text string, want ...string) {
		t.Helper()
		d, err := dialogre.Parse("f.json", []byte(text))
		if err == nil || d != nil {
			t.Errorf("%.60s: %d dialogues and no error", text, len(d))
			return
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%.60s: error %v, want %q in it", text, err, w)
			}
		}
	}
	one := func(pair string) string { return "[[[\"Speaker 1: a\"],\n[" + pair + "]]]" }
	with := func(old, replacement string) string {
		const sound = `{"x":"Speaker 1","y":"a","x_type":"PER","y_type":"PER","r":["per:boss"],"rid":[5],"t":[""]}`
		if !strings.Contains(sound, old) {
			t.Fatalf("%s is not in it", old)
		}
		return one(strings.Replace(sound, old, replacement, 1))
	}
	try.Get(dialogre.Parse("f.json", []byte(with("a", "a"))))(t)
	check("[]", "it has no dialogue")
	check(`[7,[[]],[[],[]],[["Speaker 1: a"],{}]]`, "[0]: want an array, have a number", "[1]: has 1 elements, want two",
		"[2][0]: it has no turn", "[3][1]: want an array, have an object")
	check(`[[["a","Speaker: b","Speaker 1 and 2: c",7,"Speaker 12345: x","`+strings.Repeat("x", 999)+`"],[]]]`,
		`[0][0][0]: begins with "a", want "Speaker 1:"`, "[0][0][1]", "[0][0][2]", "[0][0][3]: want a string, have a number", "[0][0][4]", "xxx…")
	check(with(`"t":[""]`, `"t":[""],"z":1`), `unknown field "z"; have x, y, x_type, y_type, r, rid, t`)
	check(with(`"Speaker 1"`, `" "`), `"x" is empty`)
	check(with(`"y_type":"PER"`, `"y_type":"DOG"`), `a type is "DOG", want one of`)
	check(with(`[5]`, `[5,6]`), "have 1, 2 and 1 elements")
	check(with(`["per:boss"],"rid":[5],"t":[""]`, `[],"rid":[],"t":[]`), "at least one")
	check(with(`per:boss`, `per:bos`), `[0][1][0]: "per:bos" is not a relation`)
	check(with(`[5]`, `[6]`), "[0][1][0]: rid is 6, want 5, the number of per:boss")
	check(with(`[5]`, `["5"]`), "want a number, have a string")
	check(with(`["per:boss"],"rid":[5],"t":[""]`, `["per:boss","unanswerable"],"rid":[5,37],"t":["",""]`), "unanswerable is listed with")
}

// TestRelease compares the release with the counts that its description gives.
func TestRelease(t *testing.T) {
	dir := filepath.Join(realdata.Datasets(t), "dialogre")
	type counts struct {
		Dialogues int            `json:"dialogues"`
		Turns     int            `json:"turns"`
		Pairs     int            `json:"argument_pairs"`
		Labels    int            `json:"relation_labels"`
		Answered  int            `json:"labels_without_unanswerable"`
		Triggers  int            `json:"labels_with_trigger"`
		Long      int            `json:"dialogues_with_at_least_12_turns"`
		Longer    int            `json:"dialogues_with_at_least_20_turns"`
		Relations map[string]int `json:"by_relation"`
	}
	var want struct{ Splits map[string]counts }
	data, err := os.ReadFile(filepath.Join(dir, "expected_stats.json"))
	if err == nil {
		err = json.Unmarshal(data, &want)
	}
	try.Do(t, err)
	several, silent := 0, 0
	for _, f := range dialogre.Files() {
		if f.License {
			continue
		}
		data := try.Get(os.ReadFile(filepath.Join(dir, f.Name)))(t)
		dialogues := try.Get(dialogre.Parse(f.Name, data))(t)
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.SHA256 || int64(len(data)) != f.Size {
			t.Errorf("%s: %d bytes, SHA-256 %x", f.Name, len(data), sum)
		}
		got := counts{Dialogues: len(dialogues), Relations: make(map[string]int)}
		for _, d := range dialogues {
			got.Turns += len(d.Turns)
			got.Pairs += len(d.Pairs)
			if len(d.Turns) >= 12 {
				got.Long++
			}
			if len(d.Turns) >= 20 {
				got.Longer++
			}
			for _, turn := range d.Turns {
				if len(turn.Speakers) > 1 {
					several++
				}
				if turn.Text == "" {
					silent++
				}
				if strings.HasPrefix(turn.Text, ":") || strings.HasPrefix(turn.Text, " ") {
					t.Errorf("text %q", turn.Text)
				}
			}
			for _, p := range d.Pairs {
				for _, r := range p.Relations {
					got.Relations[r.Name]++
					got.Labels++
					if r.Name != dialogre.Unanswerable {
						got.Answered++
					}
					if r.Trigger != "" {
						got.Triggers++
					}
				}
			}
		}
		if diff := cmp.Diff(want.Splits[strings.TrimSuffix(f.Name, ".json")], got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
	// One of train has no space after its colon either, and is counted there by
	// the description.
	if several != 45+1+24+8 || silent != 3 {
		t.Errorf("%d turns of several speakers, %d of no words, want 78 and 3", several, silent)
	}
}

func TestReadNothing(t *testing.T) {
	if _, err := dialogre.Read(t.Context(), filepath.Join(t.TempDir(), "none.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := dialogre.Read(ctx, "dialogre.go"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

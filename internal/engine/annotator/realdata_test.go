package annotator

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/door/annotate"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// A wozDialogue is a dialogue of MultiWOZ 2.2, as far as these tests need it.
type wozDialogue struct {
	ID    string `json:"dialogue_id"`
	Turns []struct {
		Speaker   string
		Utterance string
		Frames    []struct {
			Slots []struct {
				Slot  string
				Value json.RawMessage
				Start *int
				End   *int `json:"exclusive_end"`
			}
		}
	}
}

// readWOZ reads the dialogues of a split of MultiWOZ.
func readWOZ(tb testing.TB, split string) []wozDialogue {
	tb.Helper()
	f := try.Get(os.Open(filepath.Join(realdata.Datasets(tb), "multiwoz", "v2.2-layout-derived-from-2.1", split, "dialogues_001.json.gz")))(tb)
	defer f.Close()
	z := try.Get(gzip.NewReader(f))(tb)
	var out []wozDialogue
	try.Do(tb, json.NewDecoder(z).Decode(&out))
	return out
}

func (d wozDialogue) request() annotate.Request {
	r := annotate.Request{Layers: annotate.Layers()}
	for _, turn := range d.Turns {
		r.Utterances = append(r.Utterances, annotate.Utterance{Speaker: turn.Speaker, Text: turn.Utterance})
	}
	return r
}

// TestMultiWOZ measures how many of the annotated names and times of MultiWOZ are
// found without a gazetteer: as they are, or overlapping. Dialogues of dev were
// read while the rules were made, of test only totals.
func TestMultiWOZ(t *testing.T) {
	for _, split := range splits() {
		measureWOZ(t, split)
	}
}

// splits are those that are measured: part of dev, or all of dev and test.
func splits() []string { return []string{"dev", "test"}[:longtest.N(1, 2)] }

func measureWOZ(t *testing.T, split string) {
	t.Helper()
	dialogues := readWOZ(t, split)
	dialogues = dialogues[:longtest.N(300, len(dialogues))]
	a := New()
	type count struct{ exact, overlap, all int }
	kinds := map[string]*count{"name": {}, "time": {}, "place": {}}
	for _, dialogue := range dialogues {
		r := dialogue.request()
		d := try.Get(a.Annotate(t.Context(), r))(t)
		if err := d.Check(r); err != nil {
			t.Error(dialogue.ID, err)
		}
		spans := make([][]annotate.Mention, len(r.Utterances))
		for i, s := range d.Sentences {
			for _, e := range s.Entities {
				spans[s.Utterance] = append(spans[s.Utterance], annotate.Mention{Sentence: i, Span: e.Span})
			}
		}
		for u, turn := range dialogue.Turns {
			for _, f := range turn.Frames {
				for _, slot := range f.Slots {
					kind := ""
					switch _, name, _ := strings.Cut(slot.Slot, "-"); name {
					case "name":
						kind = "name"
					case "arriveby", "leaveat", "booktime":
						kind = "time"
					case "departure", "destination":
						kind = "place"
					}
					if kind == "" || slot.Start == nil || slot.End == nil {
						continue
					}
					runes := []rune(turn.Utterance)
					want := strings.TrimPrefix(strings.ToLower(string(runes[*slot.Start:*slot.End])), "the ")
					start, end := len(string(runes[:*slot.Start])), len(string(runes[:*slot.End]))
					c := kinds[kind]
					c.all++
					exact, overlap := false, false
					for _, m := range spans[u] {
						tokens := d.Sentences[m.Sentence].Tokens
						exact = exact || strings.ToLower(d.Text(r.Utterances, m)) == want
						overlap = overlap || tokens[m.Start].Start < end && tokens[m.End-1].End > start
					}
					if exact {
						c.exact++
					}
					if overlap {
						c.overlap++
					}
				}
			}
		}
	}
	for _, f := range []struct {
		kind           string
		exact, overlap float64 // floors, in percent
	}{{"name", 68, 90}, {"place", 60, 75}, {"time", 95, 95}} {
		c := kinds[f.kind]
		exact, overlap := 100*float64(c.exact)/float64(c.all), 100*float64(c.overlap)/float64(c.all)
		t.Logf("%-4s %-6s %5d   exact %5.1f %%   overlapping %5.1f %%", split, f.kind, c.all, exact, overlap)
		if exact < f.exact || overlap < f.overlap {
			t.Errorf("%s: of each %s %.1f %% are found exactly and %.1f %% overlapping, want at least %.0f and %.0f", split, f.kind, exact, overlap, f.exact, f.overlap)
		}
	}
}

// TestDialogRE measures how many of the names that DialogRE gives a speaker come
// into that speaker's cluster, and how many names in such clusters are right.
// Dialogues of dev were read while the rules were made, of test only totals.
func TestDialogRE(t *testing.T) {
	for _, split := range splits() {
		measureDialogRE(t, split)
	}
}

func measureDialogRE(t *testing.T, split string) {
	t.Helper()
	b := try.Get(os.ReadFile(filepath.Join(realdata.Datasets(t), "dialogre", split+".json")))(t)
	var dialogues [][2]json.RawMessage
	try.Do(t, json.Unmarshal(b, &dialogues))
	dialogues = dialogues[:longtest.N(300, len(dialogues))]
	a := New()
	right, agreed, found, gold, people, peopleFound := 0, 0, 0, 0, 0, 0
	for i, dialogue := range dialogues {
		var lines []string
		var pairs []struct {
			X, Y  string
			XType string `json:"x_type"`
			YType string `json:"y_type"`
			R     []string
		}
		try.Do(t, json.Unmarshal(dialogue[0], &lines))
		try.Do(t, json.Unmarshal(dialogue[1], &pairs))
		r := annotate.Request{Layers: annotate.Layers()}
		for _, line := range lines {
			speaker, text, _ := strings.Cut(line, ":")
			r.Utterances = append(r.Utterances, annotate.Utterance{Speaker: speaker, Text: strings.TrimLeft(text, ": ")})
		}
		d := try.Get(a.Annotate(t.Context(), r))(t)
		if err := d.Check(r); err != nil {
			t.Error(i, err)
		}
		names := map[string][]string{}
		for _, c := range d.Clusters {
			if !c.Speaker {
				continue
			}
			for _, m := range c.Mentions {
				if n := strings.ToLower(d.Text(r.Utterances, m)); m.Kind != annotate.Pronominal && !slices.Contains(names[c.Name], n) {
					names[c.Name] = append(names[c.Name], n)
				}
			}
		}
		var entities []string
		for k, s := range d.Sentences {
			for _, e := range s.Entities {
				if e.Type == "PERSON" {
					entities = append(entities, strings.ToLower(d.Text(r.Utterances, annotate.Mention{Sentence: k, Span: e.Span})))
				}
			}
		}
		want := map[string][]string{}
		for _, p := range pairs {
			if slices.Contains(p.R, "per:alternate_names") && strings.HasPrefix(p.X, "Speaker") && !strings.HasPrefix(p.Y, "Speaker") {
				want[p.X] = append(want[p.X], strings.ToLower(p.Y))
			}
			if p.YType == "PER" && !strings.HasPrefix(p.Y, "Speaker") && p.Y != strings.ToLower(p.Y) {
				people++
				if slices.Contains(entities, strings.ToLower(p.Y)) {
					peopleFound++
				}
			}
		}
		for s, list := range want {
			gold += len(list)
			for _, n := range list {
				if slices.Contains(names[s], n) {
					right++
				}
			}
		}
		for s, list := range names {
			for _, n := range list {
				if len(want[s]) == 0 {
					continue
				}
				found++
				if slices.ContainsFunc(want[s], func(w string) bool { return slices.Contains(strings.Fields(w), n) || strings.HasPrefix(n, w) }) {
					agreed++
				}
			}
		}
	}
	recall, precision := 100*float64(right)/float64(gold), 100*float64(agreed)/float64(found)
	capitals := 100 * float64(peopleFound) / float64(people)
	t.Logf("%s: speakers' names: %d annotated, %d of them found (recall %.1f %%); of speakers with such names %d found, %d right (precision %.1f %%)",
		split, gold, right, recall, found, agreed, precision)
	t.Logf("%s: people in capitals: %d of %d found (%.1f %%)", split, peopleFound, people, capitals)
	if recall < 28 || precision < 55 || capitals < 82 {
		t.Errorf("%s: recall %.1f %%, precision %.1f %%, people %.1f %%, want at least 28, 55 and 82", split, recall, precision, capitals)
	}
}

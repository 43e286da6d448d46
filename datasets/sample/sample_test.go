package sample_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"recallbench/datasets"
	"recallbench/datasets/locomo"
	"recallbench/datasets/sample"
	"recallbench/internal/testkit/try"
)

func open(t *testing.T) (*datasets.Set, datasets.Sample) {
	t.Helper()
	o := sample.Options{Categories: []int{1, 2, 3, 4, 5}, Category5: locomo.Abstain}
	set := try.Get(sample.Spec.Open(t.Context(), datasets.Env{}, o))(t)
	return set, try.All(t, set.All(t.Context()))[0]
}

func turnsOf(s datasets.Sample) map[string]datasets.Turn {
	turns := make(map[string]datasets.Turn)
	for _, session := range s.Sessions {
		for _, turn := range session.Turns {
			turns[turn.ID] = turn
		}
	}
	return turns
}

func TestCounts(t *testing.T) {
	set, _ := open(t)
	if len(set.Warnings) > 0 {
		t.Errorf("the sample has flaws: %v", set.Warnings)
	}
	c := try.Get(datasets.Count(t.Context(), set))(t)
	got := []int{c.Sessions, c.Turns, c.Detail[0].Images, c.Questions, c.Unproven}
	for _, id := range []string{"1", "2", "3", "4", "5"} {
		got = append(got, c.Categories[id].Count)
	}
	try.Equal(t, "sessions, turns, images, questions, those without evidence and of each category", []int{8, 171, 12, 61, 0, 11, 19, 7, 18, 6}, got)
}

// nearest returns a rule for the nearest such day before or after the one of speaking.
func nearest(day time.Weekday, step int) func(time.Time) time.Time {
	return func(said time.Time) time.Time {
		for said = said.AddDate(0, 0, step); said.Weekday() != day; {
			said = said.AddDate(0, 0, step)
		}
		return said
	}
}

func last(day time.Weekday) func(time.Time) time.Time { return nearest(day, -1) }

func next(day time.Weekday) func(time.Time) time.Time { return nearest(day, 1) }

func ago(days int) func(time.Time) time.Time {
	return func(said time.Time) time.Time { return said.AddDate(0, 0, -days) }
}

func on(month time.Month, day int) func(time.Time) time.Time {
	return func(said time.Time) time.Time {
		return time.Date(said.Year(), month, day, 0, 0, 0, 0, time.UTC)
	}
}

// TestDates works out the gold answer of every temporal question from the
// words of its evidence and the date of the session.
func TestDates(t *testing.T) {
	set, s := open(t)
	said := turnsOf(s)
	rules := map[string]struct {
		turn, words string
		layout      string
		day         func(time.Time) time.Time
	}{
		"When did Nadia bring her grandfather's dinghy home?": {"D1:5", "Last Saturday", "", last(time.Saturday)},
		"When did Elsie turn seven?":                          {"D1:12", "yesterday", "", ago(1)},
		"In which year did Nadia get Biscuit?":                {"D1:11", "three years since", "2006", func(d time.Time) time.Time { return d.AddDate(-3, 0, 0) }},
		"When did Freya try out for the band?":                {"D2:1", "last night", "", ago(1)},
		"When did Nadia have her first woodworking class?":    {"D2:6", "two days ago", "", ago(2)},
		"When was Owen given an allotment?":                   {"D2:11", "On Tuesday", "", last(time.Tuesday)},
		"When did Biscuit cut her paw?":                       {"D3:7", "on Thursday", "", last(time.Thursday)},
		"When was the school concert?":                        {"D3:18", "This coming Friday", "", next(time.Friday)},
		"When was the ceilidh for the library?":               {"D4:1", "last Saturday", "", last(time.Saturday)},
		"When did Nadia first swim with the Shiverers?":       {"D4:10", "the third of March", "", on(time.March, 3)},
		"When did Nadia turn thirty-four?":                    {"D5:3", "Last Wednesday", "", last(time.Wednesday)},
		"When was Kittiwake put on the water?":                {"D6:3", "On Saturday", "", last(time.Saturday)},
		"When did Owen sit his Welsh exam?":                   {"D6:10", "last Thursday", "", last(time.Thursday)},
		"When did Owen turn down the job of head of music?":   {"D6:14", "a fortnight ago", "", ago(14)},
		"When did Owen and Elsie sail with Nadia?":            {"D7:1", "last Sunday", "", last(time.Sunday)},
		"When did Mrs Petrakis break her hip?":                {"D7:9", "on Monday", "", last(time.Monday)},
		"When was Nadia asked to run the hydrotherapy pool?":  {"D7:14", "the day before yesterday", "", ago(2)},
		"When did Owen learn that he had passed his exam?":    {"D8:2", "on Thursday", "", last(time.Thursday)},
		"When will Nadia and Owen go sailing next?":           {"D8:21", "next Saturday", "", next(time.Saturday)},
	}
	for _, r := range s.Requests {
		g, _ := set.Gold(s.ID, r.ID)
		if g.Category != "2" {
			continue
		}
		rule, ok := rules[r.Text]
		if !ok {
			t.Errorf("%q has no rule for its day", r.Text)
			continue
		}
		if !slices.Contains(g.Evidence, rule.turn) {
			t.Errorf("%q: evidence %v, want %s in it", r.Text, g.Evidence, rule.turn)
		}
		turn := said[rule.turn]
		if !strings.Contains(turn.Text, rule.words) {
			t.Errorf("%q: %s does not say %q", r.Text, rule.turn, rule.words)
		}
		layout := "2 January 2006"
		if rule.layout != "" {
			layout = rule.layout
		}
		if want := rule.day(turn.Time).Format(layout); g.Answer != want {
			t.Errorf("%q: gold is %s, %q on %s is %s", r.Text, g.Answer, rule.words, turn.Time.Format("Monday 2 January 2006"), want)
		}
	}
}

// TestEvidence checks that the words of short factual answers stand in the
// turns that are said to hold them.
func TestEvidence(t *testing.T) {
	set, s := open(t)
	said := turnsOf(s)
	// Words that only join, and what is said in other words: the swim in the
	// hat, the vicar's wins, the leaking case, whose grandmother it was.
	other := words("a an the to in of and that from with because she swam won jam leak their")
	for _, r := range s.Requests {
		g, _ := set.Gold(s.ID, r.ID)
		if g.Category != "1" && g.Category != "4" {
			continue
		}
		var evidence []string
		for _, id := range g.Evidence {
			evidence = append(evidence, words(said[id].Text)...)
			if image := said[id].Image; image != nil {
				evidence = append(evidence, words(image.Caption)...)
			}
		}
		for _, w := range words(g.Answer) {
			if !slices.Contains(evidence, w) && !slices.Contains(other, w) {
				t.Errorf("%q: %q of the answer %q is not in %v", r.Text, w, g.Answer, g.Evidence)
			}
		}
	}
	for _, r := range s.Requests {
		if g, _ := set.Gold(s.ID, r.ID); g.Category == "1" {
			sessions := make(map[string]bool)
			for _, id := range g.Evidence {
				session, _, _ := strings.Cut(id, ":")
				sessions[session] = true
			}
			if len(sessions) < 2 {
				t.Errorf("%q: evidence %v lies in one session", r.Text, g.Evidence)
			}
		}
	}
}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
}

package memory

import (
	"encoding/json"
	"hash/maphash"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/jdkato/prose/v3/tag"

	"recallbench/internal/door/llm"
	"recallbench/internal/text/english"
	"recallbench/internal/text/pytext"
	"recallbench/internal/text/timex"
)

// A plainAnalyser reads texts with english and a tagger alone.
type plainAnalyser struct {
	tagger *tag.Tagger
	seed   maphash.Seed
}

func (a plainAnalyser) Sentences(text string, at time.Time) (out []Sentence, err error) {
	chatter := english.Set("affirmations")
	for _, tokens := range english.Sentences(text) {
		s := Sentence{Text: text, Times: timex.Find(text, at)}
		var tagged []tag.Token
		for _, t := range tokens {
			tagged = append(tagged, tag.Token{Text: t.Text})
		}
		a.tagger.TagTokens(tagged)
		for i, t := range tokens {
			s.Question = s.Question || t.Text == "?"
			w := Word{Start: t.Start, End: t.End, Low: t.Low, Tag: tagged[i].Tag, Upper: unicode.IsUpper([]rune(t.Text)[0])}
			w.Stem = maphash.String(a.seed, pytext.Stem(t.Low))
			switch {
			case english.Mark(t.Text):
				w.Kind = Mark
			case chatter[t.Low] || t.Low == "hi" || t.Low == "wow" || t.Low == "oh":
				w.Kind = Filler
			case pytext.StopWord(t.Low) || strings.HasPrefix(t.Low, "'") || t.Low == "n't":
				w.Kind = Function
			}
			s.Words = append(s.Words, w)
		}
		if s.Words[0].Low == "[" { // as a remark, in its brackets: image : a dog
			s.Remark, s.Words = true, s.Words[3:len(s.Words)-1]
		}
		for n := len(s.Words) - 1; n > 0 && strings.ContainsAny(s.Words[n].Low, ".!?"); n-- {
			s.Words = s.Words[:n]
		}
		out = append(out, s)
	}
	return out, nil
}

var spring = time.Date(2024, 3, 11, 18, 30, 0, 0, time.UTC)

func said(lines ...string) (out []llm.Line) {
	for _, l := range lines {
		speaker, text, _ := strings.Cut(l, ": ")
		out = append(out, llm.Line{Speaker: speaker, Time: spring, Text: text})
	}
	return out
}

func reply[T any](t *testing.T, task llm.Task) (out T) {
	t.Helper()
	tagger, err := tag.New()
	if err != nil {
		t.Fatal(err)
	}
	text, notes, ok, err := New(plainAnalyser{tagger, maphash.MakeSeed()}).Reply(t.Context(), task)
	if err != nil || !ok || len(notes) == 0 {
		t.Fatal(text, notes, ok, err)
	}
	if s, ok := any(&out).(*string); ok {
		*s = text
	} else if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEpisodes(t *testing.T) {
	for want, lines := range map[string][]string{
		"Ana bought a boat on 10 March 2024.":                       {"Ana: I bought a boat yesterday."},
		"Ana is selling their boat in April 2024 for Ben's cousin.": {"Ana: I'm selling my boat next month for your cousin.", "Ben: Wow"},
		"Ana and others moved their piano to Lisbon.":               {"Ana: We moved our piano to Lisbon."},
		"Ben plays the cello in choirs.":                            {"Ben: Oh, I play the cello in choirs!"},
		"The teacher gave Ana's harp to Ben.":                       {"Ana: The teacher gave my harp to you.", "Ben: Hi"},
		"Ana went sailing near the lighthouse.":                     {"Ana: Went sailing near the lighthouse."},
		"Asked by Ben \"Do you have a boat?\", Ana said yes.":       {"Ben: Do you have a boat?", "Ana: Yes."},
		"Asked by Ben \"Do you have a boat?\", Ana said no.":        {"Ben: Do you have a boat?", "Ana: No."},
		"Ana sold a boat; it has masts.":                            {"Ana: I sold a boat. It has masts."},
		"Ana shared an image of a red boat.":                        {"Ana: [image: a red boat]"},
		"Ana said: \"Это мой новый дом\".":                          {"Ana: Это мой новый дом."},
		"Asked \"Which pet does Carla own?\", Ben said a poodle.":   {"Ana: Which pet does Carla own?", "Ben: A poodle."},
	} {
		got := reply[llm.Episode](t, llm.EpisodeTask{Lines: said(lines...)})
		if !strings.Contains(got.Content, want) || !strings.HasPrefix(got.Content, "On 11 March 2024, ") || got.Time != "2024-03-11T18:30:00" {
			t.Errorf("%q tells %q, want %q", lines, got, want)
		}
	}
}

func TestFacts(t *testing.T) {
	lines := said("Ana: I teach chemistry at a grammar school in Leeds.", "Ben: I collect stamps from former colonies in Africa.", "Ana: Thanks!", "Ben: Take care.", "Ana: It was nice.")
	for want, task := range map[string]llm.StatementsTask{
		"Ana teaches chemistry at a grammar school in Leeds. Ben collects stamps from former colonies in Africa.": {Lines: lines},
		"Ben collects stamps from former colonies in Africa.":                                                     {Lines: lines, Prediction: "Ana teaches chemistry at a grammar school in Leeds."},
		"Ana teaches chemistry in Leeds.":                                                                         {Title: "Ana talked", Content: "On 11 March 2024, Ana talked. Ana teaches chemistry in Leeds. It was nice. Does she?"},
		"":                                                                                                        {},
	} {
		if got := strings.Join(reply[llm.Statements](t, task).Statements, " "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestBorders(t *testing.T) {
	talk := said("Ana: We planted tomatoes and beans behind the shed.", "Ben: Tomatoes need much water.", "Ana: The beans need it too.",
		"Ben: My beans died of frost.", "Ana: Frost harms tomatoes.", "Ben: I cover tomatoes at night.",
		"Ana: I cover beans with fleece.", "Ben: Fleece keeps frost off tomatoes.", "Ana: Beans need fleece.", "Ben: Frost harms beans.")
	at := func(d time.Duration, l llm.Line) llm.Line { l.Time = l.Time.Add(d); return l }
	for _, c := range []struct {
		history []llm.Line
		next    llm.Line
		want    string // why
	}{
		{talk, said("Ana: Frost killed beans behind the shed.")[0], "the talk goes on"},
		{talk, said("Ben: By the way, a concert hall opened downtown in Porto.")[0], "it turns to something else"},
		{append(talk, talk[:4]...), said("Ben: Carla opened a concert hall downtown.")[0], "most of its words are new"},
		{append(append(talk, talk...), talk...), talk[8], "the episode is long"},
		{talk[:2], said("Ben: Carla opened a concert hall downtown.")[0], "the talk goes on"},
		{talk[:2], at(24*time.Hour, talk[2]), "it is another day"},
		{talk[:2], at(2*time.Hour, talk[2]), "half an hour or more went by"},
		{talk[:2], at(29*time.Minute, talk[2]), "the talk goes on"},
		{nil, talk[0], "the episode has no message yet"},
	} {
		got := reply[llm.Boundary](t, llm.BoundaryTask{History: c.history, Next: c.next})
		if ends := !strings.HasPrefix(c.want, "the talk") && len(c.history) > 0; got.Why != c.want || got.NewEpisode != ends {
			t.Errorf("%q after %d messages: %+v, want %q", c.next.Text, len(c.history), got, c.want)
		}
	}
}

func TestSummaries(t *testing.T) {
	for want, facts := range map[string][]string{
		"Ana and Carla: cello, orchestra and paints. Ana's orchestra has a new cello. Ana plays the cello in an orchestra. Ana tunes the cello.": {"Carla paints.", "Ana tunes the cello.", "Ana plays the cello in an orchestra.", "Ana's orchestra has a new cello."},
		"": nil,
	} {
		if diff := cmp.Diff(want, reply[string](t, llm.SummaryTask{Facts: facts})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", facts, diff)
		}
	}
	if got := reply[string](t, llm.PredictTask{Title: "Ana talked.", Known: []string{"Ana sings", "", "Ben paints. "}}); got != "Ana talked. Ana sings. Ben paints." {
		t.Errorf("predicted %q", got)
	}
}

// TestNumberedFacts names the line that each fact is from, whatever the first
// line's number.
func TestNumberedFacts(t *testing.T) {
	lines := said("Ana: Hi!", "Ben: I collect stamps from Africa.", "Ana: I teach chemistry in Leeds. My sister Carla bakes bread.", "Ben: I collect stamps from Africa.")
	got := reply[llm.Facts](t, llm.FactsTask{Lines: lines, First: 5}).Data
	want := []llm.Fact{{Source: 6, Text: "Ben collects stamps from Africa."}, {Source: 7, Text: "Ana teaches chemistry in Leeds."}, {Source: 7, Text: "Ana's sister Carla bakes bread."}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	if got := reply[llm.Facts](t, llm.FactsTask{}).Data; got == nil || len(got) > 0 {
		t.Errorf("facts of no lines: %v, want an empty list", got)
	}
}

// TestRevise drops a fact that a later one tells again, and none for one of the
// same time.
func TestRevise(t *testing.T) {
	fact := llm.Line{Time: spring, Text: "Ben collects stamps from Africa."}
	for _, c := range []struct {
		text  string
		later time.Duration
		want  string
	}{
		{"Ben still collects old stamps from Africa and Asia.", time.Hour, "delete"},
		{"Ben still collects old stamps from Africa and Asia.", 0, "ignore"},
		{"Ben collects coins from Asia.", time.Hour, "ignore"},
		{"", time.Hour, "ignore"},
	} {
		got := reply[llm.Revision](t, llm.ReviseTask{Fact: fact, Later: []llm.Line{{Time: spring.Add(c.later), Text: c.text}}})
		if got.Action != c.want || got.Text != "" {
			t.Errorf("%q after %v: %+v, want %s", c.text, c.later, got, c.want)
		}
	}
}

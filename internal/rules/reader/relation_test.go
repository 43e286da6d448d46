package reader

import (
	"slices"
	"strings"
	"testing"
	"time"

	"recallbench/internal/door/llm"
)

// passagesOf makes a passage of each line, in their order, such as "Ana: Hello".
func passagesOf(lines ...string) []llm.Passage {
	var passages []llm.Passage
	for _, line := range lines {
		speaker, text, _ := strings.Cut(line, ": ")
		passages = append(passages, llm.Passage{Lines: []llm.Line{{Speaker: speaker, Text: text}}})
	}
	return passages
}

func TestBond(t *testing.T) {
	for question, want := range map[string]string{
		"Who is a sibling of Ana?":                         "sibling: ana",
		"Who is the brother or sister of Speaker 4?":       "sibling: speaker 4",
		"Who is Ana's sister?":                             "sibling: ana",
		"Whose parent is Ana?":                             "child: ana",
		"Whose child is Ana Marin?":                        "parent: ana marin",
		"Who has the same parents as Ana?":                 "sibling: ana",
		"To whom is Ana married?":                          "partner of marriage",
		"Who else belongs to the family of Ana?":           "relative: ana",
		"With whom does Ana go on a date?":                 "date: ana",
		"With whom does Ana share a home?":                 "roommate: ana",
		"Next to whom does Ana live?":                      "neighbour: ana",
		"For whom does Ana work?":                          "boss: ana",
		"Whose boss is Ana?":                               "subordinate: ana",
		"Who works under Ana?":                             "subordinate: ana",
		"With whom did Ana go to school?":                  "schoolmate: ana",
		"Whom does Ana think well of?":                     "liked: ana",
		"Of whom does Ana have a bad opinion?":             "disliked: ana",
		"Who lives in Oslo?":                               "person of a place or group: oslo",
		"What else is Ana called?":                         "other name: ana",
		"How old is Ana?":                                  "age: ana",
		"What does Ana do for a living?":                   "occupation: ana",
		"Where does Ana live?":                             "place: ana",
		"Where does Ana work?":                             "place of work: ana",
		"Which school did Ana attend?":                     "school: ana",
		"What company is Ana a part of?":                   "organisation: ana",
		"What pet does Ana have?":                          "pet: ana",
		"How old is Ana's son?":                            "",
		"Who is the boss of Ana's sister?":                 "",
		"What is the name of Ana's pet?":                   "",
		"Who did Ana go to the yoga class with in May?":    "",
		"Who is Ana's friend that bakes bread?":            "",
		"Who supports Ana when things are hard?":           "",
		"Where did Ana and Ben buy the lamp they liked?":   "",
		"Does Ana have friends?":                           "",
		"Who?":                                             "",
		"":                                                 "",
		"Who is a friend of " + strings.Repeat("x ", 9000): "",
	} {
		q := parse(question, nil, time.Time{})
		got := ""
		if b := q.bond(); b.tie != tieNone {
			var name []string
			for _, w := range b.whose {
				name = append(name, w.low)
			}
			got = string(b.tie) + ": " + strings.Join(name, " ")
		}
		if want == "partner of marriage" {
			want = "spouse: ana"
		}
		if got != want && len(question) < 1000 {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}

func TestRelations(t *testing.T) {
	r := testReader()
	for _, c := range []struct {
		name     string
		passages []llm.Passage
		question string
		want     []string
	}{
		{
			"my sister Ana", passagesOf("Ben: I have to go.", "Ben: I met Cleo and my sister Dora there.", "Eli: Really?", "Fay: Hm."),
			"Who is a sibling of Ben?",
			[]string{"Dora"},
		},
		{
			"said by the other end", passagesOf("Ben: Dora is late.", "Eli: Dora is my daughter, so watch out.", "Fay: Not now."),
			"Who is a parent of Dora?",
			[]string{"Eli"},
		},
		{
			"told of two others", passagesOf("Ben: What is it?", "Eli: I heard that Dora and Gus got married in spring.", "Fay: No!"),
			"To whom is Dora married?",
			[]string{"Gus"},
		},
		{
			"somebody's", passagesOf("Ben: What is it?", "Eli: Dora's brother is Gus, you know.", "Fay: No!"),
			"Who is the brother or sister of Dora?",
			[]string{"Gus"},
		},
		{
			"the one spoken of in the sentence before", passagesOf("Speaker 5: Jack? I hate him!", "Speaker 5: Ben has left.", "Speaker 9: Hm."),
			"Of whom does Speaker 5 have a bad opinion?",
			[]string{"Jack"},
		},
		{
			"a presentation", passagesOf("Speaker 5: Hello, I'm Dora Lind.", "Speaker 6: Hi, Gus!", "Speaker 5: And this is Ben."),
			"What else is Speaker 5 called?",
			[]string{"Dora Lind"},
		},
		{
			"a call", passagesOf("Speaker 5: I did not see it.", "Speaker 6: Hey, Dorrie, look at that.", "Speaker 19: Hey, Gus."),
			"By what other name does Speaker 5 go?",
			[]string{"Dorrie"},
		},
		{
			"a part of a name", passagesOf("Ben: It was Dora Lind, from the bank.", "Eli: Hi, Gus.", "Fay: Hm."),
			"What other name is used for Dora?",
			[]string{"Dora Lind"},
		},
		{
			"an occupation", passagesOf("Speaker 5: My lawyer is late.", "Speaker 5: I'm a plumber, not a saint.", "Speaker 9: Hm."),
			"What does Speaker 5 do for a living?",
			[]string{"plumber"},
		},
		{
			"an age", passagesOf("Speaker 5: I'm thirty-one and I have two cats.", "Speaker 9: I'm twelve."),
			"How old is Speaker 5?",
			[]string{"thirty-one"},
		},
		{
			"a place", passagesOf("Speaker 5: I flew to Lisbon with Ben.", "Speaker 9: I was in Oslo."),
			"Which place has Speaker 5 visited?",
			[]string{"Lisbon"},
		},
		{
			"a place of work, of her whom a name tells", passagesOf("Speaker 5: I know Dora. She is a clerk at the museum.", "Speaker 9: No.", "Speaker 8: Is it late?"),
			"At what kind of place does Dora have a job?",
			[]string{"museum"},
		},
		{
			"a school", passagesOf("Speaker 5: I was at Elm Hill School for a year.", "Speaker 9: No."),
			"Which school did Speaker 5 attend?",
			[]string{"Elm Hill School"},
		},
		{
			"a pet", passagesOf("Speaker 5: I left my ferret at home.", "Speaker 9: A dog!"),
			"What pet does Speaker 5 have?",
			[]string{"ferret"},
		},
		{
			"nobody is there", passagesOf("Speaker 5: it rains.", "Speaker 5: and it is late."),
			"Who is a friend of Speaker 5?",
			[]string{NoInformation},
		},
		{
			"hostile", passagesOf("\xff\x00, : "+strings.Repeat("Ana, ", 4000), ", : "+strings.Repeat("A", 50000), "Speaker 99999999999999999999: Hi, Ana."),
			"Who is a friend of Speaker 99999999999999999999?",
			[]string{"Ana", NoInformation, "\xff\x00"},
		},
	} {
		if got := ask(t, r, c.question, c.passages); !slices.Contains(c.want, got.Text) {
			t.Errorf("%s: %s %q, want one of %q; %q", c.name, c.question, got.Text, c.want, got.Notes)
		}
	}
}

// TestRelationsOfTwo checks that nobody is guessed in a chat of two, where a
// question about a relation is about others.
func TestRelationsOfTwo(t *testing.T) {
	got := ask(t, testReader(), "Who is a friend of Ana?", passagesOf("Ana: My friend bakes bread.", "Ben: Is it good, Ana?"))
	if got.Text == "Ben" {
		t.Errorf("%q: %q", got.Text, got.Notes)
	}
}

func TestNumbered(t *testing.T) {
	for name, want := range map[string]bool{
		"speaker 3": true, "guest 4": true, "ana": false, "speaker": false, "speaker 1 2": false,
		"speaker 99999999999999999999": false, " 3": false, "": false,
	} {
		if got := numbered(name); got != want {
			t.Errorf("numbered(%q) = %v, want %v", name, got, want)
		}
	}
}

// BenchmarkRelation reads the lines anew each time but for their words.
func BenchmarkRelation(b *testing.B) {
	r := testReader()
	var lines []string
	for i := range 10 {
		lines = append(lines, "Speaker "+string(rune('1'+i%9))+": I told my sister Ana that Ben and Cleo are friends of ours, you know.")
	}
	passages := passagesOf(lines...)
	for b.Loop() {
		ask(b, r, "Who is a friend of Speaker 3?", passages)
	}
}

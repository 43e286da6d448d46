package interchange_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"recallbench/internal/interchange"
	"recallbench/internal/record"
)

// doubled are questions of which some are asked twice.
func doubled() []record.Gold {
	return []record.Gold{
		{Sample: "c1", Request: "q0", Category: "1", Question: "Who sails?", Answer: "Ada"},
		{Sample: "c1", Request: "q1", Category: "4", Question: "Where?", Answer: "Rome"},
		{Sample: "c1", Request: "q2", Category: "4", Question: "Where?", Answer: "Oslo"},
		{Sample: "c1", Request: "q3", Category: "1", Question: "Where?", Answer: "Bonn"},
		{Sample: "c2", Request: "q0", Category: "1", Question: "Who  sails?", Answer: "Bo"},
		{Sample: "c2", Request: "q1", Category: "2", Question: "When?", Answer: "May"},
	}
}

func TestMatch(t *testing.T) {
	type answers = []interchange.Answer
	for _, c := range []struct {
		name      string
		in        answers
		want      string // texts by question
		unmatched string
		left      int
		other     int
	}{
		{name: "ids", in: answers{{Sample: "c2", Request: "q0", Text: "b"}, {Sample: "c1", Request: "q0", Text: "a"}}, want: "a...|b."},
		{name: "conversations by place", in: answers{{Conversation: "1", Question: " who SAILS?", Text: "b"}, {Conversation: "0", Question: "Who sails?", Text: "a"}}, want: "a...|b."},
		{name: "conversations by id", in: answers{{Conversation: "c2", Question: "Who sails?", Text: "b"}}, want: "....|b."},
		{name: "a question of one conversation alone", in: answers{{Question: "When?", Text: "m"}, {Conversation: "7", Question: "Where?", Text: "r"}}, want: ".r..|.m"},
		{name: "which conversation is not said", in: answers{{Line: 3, Question: "Who sails?", Text: "a"}}, want: "....|..", unmatched: `f:3: "Who sails?" is asked in several conversations, and which of them is meant the file does not say`},
		{name: "doubles in order", in: answers{{Conversation: "0", Question: "Where?", Text: "1"}, {Conversation: "0", Question: "Where?", Text: "2"}, {Conversation: "0", Question: "Where?", Text: "3"}}, want: ".123|.."},
		{
			name: "doubles by gold and category",
			in: answers{
				{Conversation: "0", Question: "Where?", Gold: "Bonn", Text: "b"},
				{Conversation: "0", Question: "Where?", Gold: "oslo", Category: "4", Text: "o"},
				{Conversation: "0", Question: "Where?", Category: "4", Gold: "Rome", Text: "r"},
			},
			want: ".rob|..",
		},
		{
			name: "one too many", in: answers{{Line: 1, Sample: "c2", Request: "q1", Text: "m"}, {Line: 2, Where: `"1"[3]`, Conversation: "1", Question: "When?", Text: "n"}, {Line: 4, Sample: "c2", Request: "q1", Text: "o"}},
			want: "....|.m", unmatched: `f:2: "1"[3]: "When?" has its answer at line 1 already; f:4: request "q1" of "c2" has its answer at line 1 already`,
		},
		{
			name: "not asked", in: answers{{Line: 1, Question: "Why?", Category: "2"}, {Question: "Why not?", Category: "5"}, {Line: 9, Sample: "c9", Request: "q1"}},
			want: "....|..", unmatched: `f:1: the dataset does not ask "Why?"; f:9: the dataset asks no request "q1" of "c9"`, left: 1,
		},
		{
			name: "a conversation that is not asked, by the place of one that is",
			in: answers{
				{Line: 1, Conversation: "1", Question: "When?", Gold: "June", Text: "x"},
				{Line: 2, Conversation: "2", Question: "When?", Gold: "May", Text: "m"},
			},
			want: "....|.m", unmatched: `f:1: "When?" has its answer at line 2 already`,
		},
		{name: "other gold", in: answers{{Question: "When?", Gold: "June", Text: "m"}}, want: "....|.m", other: 1},
		{name: "ids of other data, and a question", in: answers{{Sample: "9", Request: "9", Question: "When?", Text: "m"}}, want: "....|.m"},
	} {
		m := interchange.Match(doubled(), &interchange.File{Answers: c.in})
		got, missing := "", 0
		for i, a := range m.Answers {
			text := "."
			if a == nil {
				missing++
			} else {
				text = a.Text
			}
			if i == 4 {
				text = "|" + text
			}
			got += text //nolint:perfsprint // six letters
		}
		var unmatched []string
		for _, u := range m.Unmatched {
			unmatched = append(unmatched, u.Error("f"))
		}
		if got != c.want || missing != m.Missing || m.LeftOut["5"] != c.left || m.OtherGold != c.other {
			t.Errorf("%s: matched %s, want %s; %d missing, %v left out, %d beside other gold", c.name, got, c.want, m.Missing, m.LeftOut, m.OtherGold)
		}
		if diff := cmp.Diff(c.unmatched, strings.Join(unmatched, "; ")); diff != "" {
			t.Errorf("%s: unmatched (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestMatchShuffled checks that the order of a file does not matter where golds
// tell its answers apart, though it names conversations by their place only.
func TestMatchShuffled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var golds []record.Gold
		for sample := range rapid.IntRange(1, 4).Draw(t, "samples") {
			for request := range rapid.IntRange(1, 6).Draw(t, "requests") {
				golds = append(golds, record.Gold{
					Sample: fmt.Sprintf("c%d", sample), Request: fmt.Sprintf("q%d", request),
					Question: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "question"), Answer: fmt.Sprintf("%d.%d", sample, request),
				})
			}
		}
		var file interchange.File
		for _, i := range rapid.Permutation(index(golds)).Draw(t, "order") {
			g := golds[i]
			file.Answers = append(file.Answers, interchange.Answer{Conversation: g.Sample[1:], Question: g.Question, Gold: g.Answer, Text: g.Answer})
		}
		m := interchange.Match(golds, &file)
		for i, a := range m.Answers {
			if a == nil || a.Text != golds[i].Answer {
				t.Fatalf("question %d of %v has the answer %v", i, golds, a)
			}
		}
	})
}

func index[T any](s []T) []int {
	var all []int
	for i := range s {
		all = append(all, i)
	}
	return all
}

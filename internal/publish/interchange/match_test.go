package interchange_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"recallbench/internal/files/category"
	"recallbench/internal/publish/interchange"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

// locomoCategories are options of a dataset with LoCoMo's categories.
var locomoCategories = interchange.MatchOptions{Categories: []record.Category{
	{ID: "1", Name: "multi-hop", Aliases: map[string]string{"mem0": "single-hop"}},
	{ID: "2", Name: "temporal"},
	{ID: "3", Name: "open-domain"},
	{ID: "4", Name: "single-hop"},
	{ID: "5", Name: "adversarial"},
}}

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

// placed are mismatches of a file f with their places.
func placed(all []interchange.Mismatch) (texts []string) {
	for _, m := range all {
		texts = append(texts, fmt.Sprintf("f:%d: %s", m.Answer.Line, strings.TrimPrefix(m.Answer.Where+": "+m.Reason, ": ")))
	}
	return texts
}

func TestMatch(t *testing.T) {
	type answers = []said
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
		{name: "which conversation is not said", in: answers{{Line: 3, Question: "Who sails?", Text: "a"}}, want: "....|..", unmatched: `f:3: "Who sails?" is asked in several conversations, and the file does not say in which`},
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
			want: "....|.m", unmatched: `f:2: "1"[3]: "When?" has its answer at line 1 already; f:4: question "q1" of "c2" has its answer at line 1 already`,
		},
		{
			name: "not asked", in: answers{{Line: 1, Question: "Why?", Category: "2"}, {Question: "Why not?", Category: "5"}, {Line: 9, Sample: "c9", Request: "q1"}},
			want: "....|..", unmatched: `f:1: the dataset does not have the question "Why?"; f:9: the dataset has no question "q1" of "c9"`, left: 1,
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
		m := interchange.Match(doubled(), &interchange.File{Answers: answersOf(c.in...)}, locomoCategories)
		got, missing := "", 0
		for i, a := range m.Answers {
			text := "."
			if a == nil {
				missing++
			} else {
				text = a.Record.Answer
			}
			if i == 4 {
				text = "|" + text
			}
			got += text //nolint:perfsprint // six letters
		}
		if got != c.want || missing != m.Missing || m.LeftOut["5"] != c.left || m.Contradicting["gold"] != c.other {
			t.Errorf("%s: matched %s, want %s; %d missing, %v left out, %d beside other gold", c.name, got, c.want, m.Missing, m.LeftOut, m.Contradicting["gold"])
		}
		try.Equal(t, c.name, c.unmatched, strings.Join(placed(m.Unmatched), "; "))
	}
}

// TestContradictions holds what a file says of questions against those that its ids
// name, and finds what is behind many contradictions.
func TestContradictions(t *testing.T) {
	type answers = []said
	golds := []record.Gold{
		{Sample: "c1", Request: "q0", Category: "1", Question: "Who sails to Bergen?", Answer: "Ada; but not alone", Evidence: []string{"D1:5", "D2:1"}},
		{Sample: "c1", Request: "q1", Category: "4", Question: "When did Zoë's boat sink?", Answer: "1.5 years ago", Variants: []string{"in 2022"}},
		{Sample: "c1", Request: "q2", Category: "2", Question: "Where is Bo now?", Answer: "Oslo"},
		{Sample: "c1", Request: "q3", Category: "5", Question: "Why did Bo leave home?", Abstain: true},
		{Sample: "c2", Request: "q0", Category: "3", Question: "What does Ada like best?", Answer: "Rain"},
		{Sample: "c2", Request: "q1", Category: "3", Question: "What does Bo like best?", Answer: "Snow"},
	}
	id := func(sample, request string, a said) said {
		a.Sample, a.Request = sample, request
		return a
	}
	for _, c := range []struct {
		name    string
		in      answers
		options func(*interchange.MatchOptions)
		want    []string // contradictions
		counts  map[string]int
	}{
		{name: "as the dataset has it", in: answers{
			id("c1", "q0", said{Question: "who SAILS to Bergen", Gold: "ada", Category: "1.0"}),
			id("c1", "q1", said{Question: "When did Zoe’s boat  sink?", Gold: "In 2022", Category: "4"}),
			id("c1", "q2", said{Question: "Where is Bo now?", Gold: "Oslo."}),
			id("c1", "q3", said{Question: "Why did Bo leave home?", Gold: "He was bored"}),
		}},
		{name: "ids from 1", in: answers{
			id("c1", "q1", said{Line: 1, Question: "Who sails to Bergen?"}),
			id("c1", "q2", said{Line: 2, Question: "When did Zoë's boat sink?"}),
			id("c1", "q3", said{Line: 3, Question: "Where is Bo now?"}),
		}, want: []string{
			`f:1: question "q1" of "c1": question is "Who sails to Bergen?", the dataset's "When did Zoë's boat sink?"`,
			`f:2: question "q2" of "c1": question is "When did Zoë's boat sink?", the dataset's "Where is Bo now?"`,
			`f:3: question "q3" of "c1": question is "Where is Bo now?", the dataset's "Why did Bo leave home?"`,
		}, counts: map[string]int{"question": 3}},
		{name: "conversations that changed places, by the question", in: answers{
			id("c2", "q0", said{Question: "Who sails to Bergen?"}), id("c1", "q0", said{Question: "What does Ada like best?"}),
		}, options: func(o *interchange.MatchOptions) { o.By = interchange.ByQuestion }},
		{name: "every field", in: answers{
			id("c1", "q0", said{Line: 4, Question: "Who?", Gold: "Bo", Category: "2"}),
		}, want: []string{
			`f:4: question "q0" of "c1": question is "Who?", the dataset's "Who sails to Bergen?"; gold is "Bo", the dataset's "Ada; but not alone"; category is 2, the dataset's 1`,
		}, counts: map[string]int{"question": 1, "gold": 1, "category": 1}},
		{name: "a number is not another", in: answers{id("c1", "q1", said{Line: 1, Gold: "15 years ago"})}, want: []string{
			`f:1: question "q1" of "c1": gold is "15 years ago", the dataset's "1.5 years ago"`,
		}, counts: map[string]int{"gold": 1}},
		{name: "a conversation that does not ask it", in: answers{{Line: 1, Conversation: "c2", Question: "Where is Bo now?"}}, want: []string{
			`f:1: question "q2" of "c1": conversation is "c2", the dataset's "c1"`,
		}, counts: map[string]int{"conversation": 1}},
		{name: "conversations by other names", in: answers{
			{Conversation: "user_7", Question: "Where is Bo now?"}, {Conversation: "user_7", Question: "Who sails to Bergen?"}, {Conversation: "1", Question: "When did Zoë's boat sink?"},
		}},
		{
			name: "accepted", in: answers{id("c1", "q0", said{Gold: "Bo", Category: "2"})},
			options: func(o *interchange.MatchOptions) { o.Accept = []string{"gold", "category"} },
		},
		{
			name: "names of categories", in: answers{id("c1", "q0", said{Line: 1, Category: "multi-hop"}), id("c1", "q1", said{Line: 2, Category: "single_hop"})},
			want: []string{
				`f:1: question "q0" of "c1": category is multi-hop, the dataset's 1`,
				`f:2: question "q1" of "c1": category is single_hop, the dataset's 4`,
			}, counts: map[string]int{"category": 2},
		},
		{
			name: "names that are read", in: answers{id("c1", "q0", said{Category: "Multi-Hop"}), id("c1", "q1", said{Category: "single_hop"})},
			options: func(o *interchange.MatchOptions) { o.Vocabulary = category.LoCoMo },
		},
		{
			name: "names of others", in: answers{id("c1", "q0", said{Line: 1, Category: "multi-hop"})},
			options: func(o *interchange.MatchOptions) { o.Vocabulary = category.Mem0 },
			want: []string{
				`f:1: question "q0" of "c1": category is multi-hop (3), the dataset's 1`,
			}, counts: map[string]int{"category": 1},
		},
	} {
		o := locomoCategories
		if c.options != nil {
			c.options(&o)
		}
		m := interchange.Match(golds, &interchange.File{Answers: answersOf(c.in...)}, o)
		try.Equal(t, c.name, c.want, placed(m.Contradictions))
		if want := c.counts; !maps.Equal(want, m.Contradicting) {
			t.Errorf("%s: %v contradict, want %v", c.name, m.Contradicting, want)
		}
		if len(m.Unmatched) > 0 || c.name == "accepted" && (m.Accepted["gold"] != 1 || m.Accepted["category"] != 1) {
			t.Errorf("%s: %v unmatched, %v accepted", c.name, m.Unmatched, m.Accepted)
		}
	}
}

// TestMatchByName finds the requests of a dataset by the names of its release.
func TestMatchByName(t *testing.T) {
	questions := []record.Gold{
		{Sample: "s1", Request: "q1", Name: "a1", Category: "user", Question: "What?"},
		{Sample: "s2", Request: "q1", Name: "a1_abs", Category: "user", Question: "What else?"},
	}
	file := &interchange.File{Answers: answersOf(
		said{Line: 1, Request: "a1_abs", Category: "abstention", Text: "none"},
		said{Line: 2, Request: "a1", Text: "a kite"},
		said{Line: 3, Request: "a1", Text: "a ball"},
		said{Line: 4, Request: "a2", Text: "a boat"},
	)}
	m := interchange.Match(questions, file, interchange.MatchOptions{})
	if m.Missing != 0 || m.Answers[0].Record.Answer != "a kite" || m.Answers[1].Record.Answer != "none" || len(m.Contradictions) > 0 {
		t.Errorf("matched %+v", m)
	}
	try.Equal(t, "unmatched", []string{`f:3: question "a1" has its answer at line 2 already`, `f:4: the dataset has no question "a2"`}, placed(m.Unmatched))
}

package reader

import (
	"fmt"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/datasets/datasettest"
	"recallbench/datasets/sample"
	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/golden"
	"recallbench/methods/flatrag"
)

// TestTranscript holds what the reader answers, from which sentences, with which
// scores: to the questions of the embedded sample, of each session that the answer
// rests on and the one before; of a service; about a group; and how far texts meet
// conditions.
func TestTranscript(t *testing.T) {
	var b strings.Builder
	r := testReader()
	tell := func(question string, passages []llm.Passage) {
		reply := ask(t, r, question, passages)
		probe := r.probe(llm.ProbeTask{Question: question, Passages: passages})
		fmt.Fprintf(&b, "%s\n  %s\n  %s\n", question, reply.Text, strings.Join(append(reply.Notes, probe.Notes...), "\n  "))
	}
	set, err := sample.Spec.Open(t.Context(), datasets.Env{}, sample.Spec.Options)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range datasettest.Samples(t, set) {
		var passages []llm.Passage
		for _, session := range s.Sessions {
			var p llm.Passage
			for _, turn := range session.Turns {
				p.Lines = append(p.Lines, flatrag.Defaults().Images.Line(turn))
			}
			passages = append(passages, p)
		}
		for i, q := range s.Requests {
			k := i % len(passages)
			tell(q.Text, append(passages[k:len(passages):len(passages)], passages[:k]...))
		}
	}
	for _, question := range []string{
		"Which reference number did I get for Heron Lodge?", "What is the phone number of Otter Inn?", "What is the postcode of Heron Lodge?",
		"What is the address of Lantern Hall?", "How many stars does Otter Inn have?", "How expensive did you say Blue Ladle is?",
		"In which part of town is Otter Inn?", "What kind of food does Blue Ladle serve?", "For how many people did I book Heron Lodge?",
		"How many nights did I book at Heron Lodge?", "On what day do I check in at Heron Lodge?", "When does the train from Norwood to Selby arrive?",
		"When does the train from Selby to Norwood leave?", "What is the train ID of the train from Norwood to Selby?", "What kind of car will pick me up?",
		"Where did I want to go with the cab from Blue Ladle?", "What do I pay to enter Lantern Hall?", "What type of attraction is Lantern Hall?",
		"At which restaurant is my table for Friday at 19:15?", "What time is my table at Blue Ladle now?",
	} {
		tell(question, service())
	}
	group := passagesOf(
		"Speaker 1: Hello, I'm Dora Lind, and this is my brother Gus.", "Speaker 2: Hi, Dora! Gus and Mia are getting married in spring, I heard.",
		"Speaker 3: Gus? I hate him! He is my boss at the museum.", "Speaker 1: My lawyer is late. I'm a plumber, not a saint.",
		"Speaker 2: I'm thirty-one and I flew to Lisbon with my roommate Mia.", "Speaker 3: Hey, Buddy, I was at Elm Hill School for a year.",
		"Speaker 2: Dora's mother is Mrs. Lind, you know. I left my ferret with her.", "Speaker 3: Mr. Lind is my client, Speaker 1 is my friend.",
	)
	for _, question := range []string{
		"Who is a sibling of Speaker 1?", "What else is Speaker 1 called?", "To whom is Gus married?", "Of whom does Speaker 3 have a bad opinion?",
		"Who is the boss of Speaker 3?", "Where does Speaker 3 work?", "What does Speaker 1 do for a living?", "How old is Speaker 2?",
		"Which place has Speaker 2 visited?", "With whom does Speaker 2 share a home?", "Which school did Speaker 3 attend?", "Whose child is Dora?",
		"What pet does Speaker 2 have?", "Who is a friend of Speaker 3?", "By what other name does Speaker 3 go?", "Who lives in Lisbon?",
	} {
		tell(question, group)
	}
	e, err := NewEntailer()
	if err != nil {
		t.Fatal(err)
	}
	for _, condition := range []string{
		"outdoor activities", "not work", "museum or temple", "parks and gardens", "without sushi", "no seafood, no nuts", "romantic dinner", "vegetarian", "3 things",
	} {
		fmt.Fprintf(&b, "%s: %.3f\n", condition, e.score(append(texts(14), "Option: Vegan burger - ingredients: beans, bun; nut-free", "Task: Pay the bill - status: done | place: near the park"), condition))
	}
	golden.Check(t, "transcript.golden", b.String())
}

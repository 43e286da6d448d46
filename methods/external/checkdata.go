package external

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"recallbench/datasets"
)

// checkSample is the conversation that adapters are checked with.
func checkSample() datasets.Sample {
	day := func(d int) time.Time { return time.Date(2024, 2, d, 10, 30, 0, 0, time.UTC) }
	return sampleOf("conversation", []session{
		{day(3), []string{
			"Petra: I bought a copper kettle for my uncle Anton, who likes tea.", "Milo: Lovely! Where does he live now?",
			"Petra: He moved to a small flat in Bergen last autumn.", "Milo: Say hello to him from me.",
		}},
		{day(9), []string{
			"Milo: My pottery course begins on the fourth of March at the town hall.", "Petra: Finally! You have waited for that since spring.",
			"Milo: I will make you a bowl first.", "Petra: I need one, I broke the blue one yesterday.",
		}},
		{day(17), []string{
			"Petra: Anton called, the kettle arrived without a scratch.", "Milo: Great news.",
			"Petra: He wants to visit us in June with his dog Balder.", "Milo: Then I will book the cabin by the lake.",
		}},
	})
}

// otherSample shares no turn with the first.
func otherSample() datasets.Sample {
	return sampleOf("other", []session{{time.Date(2024, 5, 1, 8, 0, 0, 0, time.UTC), []string{
		"Ines: The orchard was full of ladders when we came back from the market.", "Joost: Did they pick the plums already?",
		"Ines: All but the three trees behind the old well.",
	}}})
}

// oddSamples are unusual conversations that an adapter must accept.
func oddSamples() []datasets.Sample {
	at := time.Date(2024, 5, 1, 8, 0, 0, 0, time.UTC)
	return []datasets.Sample{
		{ID: "no session"},
		sampleOf("no turn", []session{{at, nil}}),
		sampleOf("an empty text", []session{{at, []string{"Ana: ", "Ben: Yes."}}}),
		sampleOf("a text of 1 MB", []session{{at, []string{"Ana: " + strings.Repeat("word after word ", 65000)}}}),
		sampleOf("emoji, NUL and right-to-left", []session{{at, []string{"Ana: 👩🏽‍🚀 \x00 שלום עולם", "Ben: ok"}}}),
		sampleOf("no time", []session{{time.Time{}, []string{"Ana: When was that?", "Ben: Nobody knows."}}}),
		sampleOf("one speaker", []session{{at, []string{"Ana: I talk to myself.", "Ana: Often."}}}),
		sampleOf("five speakers", []session{{at, []string{"A: one", "B: two", "C: three", "D: four", "E: five"}}}),
	}
}

type session struct {
	time  time.Time
	turns []string // "Name: text"
}

func sampleOf(id string, sessions []session) datasets.Sample {
	s := datasets.Sample{ID: id}
	for i, in := range sessions {
		out := datasets.Session{ID: strconv.Itoa(i + 1), Time: in.time}
		for k, turn := range in.turns {
			speaker, text, _ := strings.Cut(turn, ": ")
			out.Turns = append(out.Turns, datasets.Turn{ID: fmt.Sprintf("%d:%d", i+1, k+1), Speaker: speaker, Text: text, Time: in.time})
		}
		s.Sessions = append(s.Sessions, out)
	}
	return s
}

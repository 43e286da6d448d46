package reader

import (
	"strings"
	"testing"
	"time"

	"recallbench/internal/door/llm"
)

// retrievedLines returns lines as a method does that retrieves single ones: a passage
// for each line, "speaker: text", the nearest first.
func retrievedLines(lines ...string) []llm.Passage {
	var all []llm.Passage
	for _, l := range lines {
		speaker, text, _ := strings.Cut(l, ": ")
		all = append(all, llm.Passage{Lines: []llm.Line{{Speaker: speaker, Text: text}}})
	}
	return all
}

// A ferry, two inns, a diner and a cab, told to a customer by an agent.
func service() []llm.Passage {
	return retrievedLines(
		"Customer: I would like the phone number and the postcode of Heron Lodge, please.",
		"Agent: Heron Lodge is a moderately priced inn in the north of town with 3 stars. It is at 12 Mill Lane, postcode zx4 7qd. You can call them on 05551 204 467.",
		"Agent: Otter Inn is an expensive 4-star hotel in the south part of town, at 9 Quay Street. Their phone number is 05551998877 and the postcode is zx61aa.",
		"Customer: Please book Heron Lodge for 3 people and five nights from Tuesday.",
		"Agent: Heron Lodge is booked. Your reference number is QK7LW2PA.",
		"Agent: Your table at Blue Ladle is booked, the confirmation number is 9TTXRM41.",
		"Customer: Can you get me a table at Blue Ladle for 2 at 19:15 on Friday? What is the reference number?",
		"Agent: Blue Ladle serves Peruvian food and is cheap.",
		"Customer: I need a train from Norwood to Selby that leaves after 9:30.",
		"Agent: KX204 leaves Norwood at 10:05 and arrives in Selby at 11:50. A ticket is 14.20 pounds.",
		"Agent: KX311 goes from Selby to Norwood, leaving at 16:40 and arriving by 18:25.",
		"Agent: A green skoda will pick you up, the contact number is 05557000111.",
		"Customer: I want a cab from Blue Ladle to Heron Lodge. I want to leave the restaurant by 21:45.",
		"Agent: Lantern Hall is a museum on Abbey Road. Admission is free.",
	)
}

func TestTypedValues(t *testing.T) {
	r := testReader()
	for question, want := range map[string]string{
		"Which reference number did I get for Heron Lodge?":               "QK7LW2PA",
		"I lost the confirmation for Blue Ladle. What was it?":            "9TTXRM41",
		"What is the phone number of Heron Lodge?":                        "05551 204 467",
		"Which number do I call to reach Otter Inn?":                      "05551998877",
		"What is the postcode of Heron Lodge?":                            "zx4 7qd",
		"What postcode does Otter Inn have?":                              "zx61aa",
		"What is the address of Heron Lodge?":                             "12 Mill Lane",
		"Which address did you give me for Lantern Hall?":                 "Abbey Road",
		"How many stars does Otter Inn have?":                             "4",
		"Is Heron Lodge cheap, moderate or expensive?":                    "moderate",
		"How expensive did you say Blue Ladle is?":                        "cheap",
		"In which part of town is Otter Inn?":                             "south",
		"What kind of food does Blue Ladle serve?":                        "Peruvian",
		"For how many people did I book Heron Lodge?":                     "3",
		"How many nights did I book at Heron Lodge?":                      "five",
		"On what day do I check in at Heron Lodge?":                       "Tuesday",
		"What time did I book the table at Blue Ladle for?":               "19:15",
		"How many guests did I name for the table at Blue Ladle?":         "2",
		"What time does the train from Norwood to Selby leave?":           "10:05",
		"When does the train from Norwood to Selby arrive?":               "11:50",
		"When does the train from Selby to Norwood arrive?":               "18:25",
		"What is the train ID of the train from Norwood to Selby?":        "KX204",
		"What kind of car will pick me up?":                               "green skoda",
		"At what time did I want the cab from Blue Ladle to leave?":       "21:45",
		"Where did I want to go with the cab from Blue Ladle?":            "Heron Lodge",
		"Which station does the train to Selby leave from?":               "Norwood",
		"From where will the cab to Heron Lodge pick me up?":              "Blue Ladle",
		"How long am I staying at Heron Lodge?":                           "five",
		"How much is a ticket for the train from Norwood to Selby?":       "14.20 pounds",
		"What do I pay to enter Lantern Hall?":                            "free",
		"What type of attraction is Lantern Hall?":                        "museum",
		"At which restaurant is my table for Friday at 19:15?":            "Blue Ladle",
		"What did you say the price range of Otter Inn is in the end?":    "expensive",
		"Same number of nights as last time at Heron Lodge. How many?":    "five",
		"What is the email address of Heron Lodge?":                       "",
		"How many rooms does Heron Lodge have?":                           "",
		"Which contact number did you give me for the cab that I booked?": "05557000111",
	} {
		reply := ask(t, r, question, service())
		if want != "" && reply.Text != want {
			t.Errorf("%s\n got %q, want %q\n%s", question, reply.Text, want, strings.Join(reply.Notes, "\n"))
		}
		if want == "" && typedNote(reply) {
			t.Errorf("%s\n got %q, want no value of a type\n%s", question, reply.Text, strings.Join(reply.Notes, "\n"))
		}
	}
}

// typedNote reports whether a reply says that it is a value of a type.
func typedNote(reply llm.Reply) bool {
	return strings.Contains(strings.Join(reply.Notes, "\n"), "value of type")
}

// A line that only says "it" is told apart by the one before it in its passage, or
// by what the prompt says beside it.
func TestTypedLinks(t *testing.T) {
	said := func(text string, about ...string) llm.Line {
		return llm.Line{Speaker: "Agent", Text: text, About: about}
	}
	r := testReader()
	const question = "What is the postcode of Heron Lodge?"
	for name, passages := range map[string][]llm.Passage{
		"in passages": {
			{Lines: []llm.Line{said("Otter Inn is nice."), said("The postcode is zx61aa.")}},
			{Lines: []llm.Line{said("Heron Lodge is nice."), said("The postcode is zx47qd.")}},
		},
		"beside lines": {
			{Lines: []llm.Line{said("The postcode is zx61aa.", "Otter Inn")}},
			{Lines: []llm.Line{said("The postcode is zx47qd.", "Agent", "Heron Lodge")}},
		},
	} {
		if reply := ask(t, r, question, passages); reply.Text != "zx47qd" {
			t.Errorf("%s: got %q\n%s", name, reply.Text, strings.Join(reply.Notes, "\n"))
		}
	}
}

// Of two values the newer one counts where lines have dates.
func TestTypedNewest(t *testing.T) {
	at := func(day int, text string) llm.Passage {
		return llm.Passage{Lines: []llm.Line{{Speaker: "Customer", Time: time.Date(2031, 5, day, 9, 0, 0, 0, time.UTC), Text: text}}}
	}
	r := testReader()
	older, newer := at(2, "Book the Blue Ladle for 4 people."), at(9, "Make the Blue Ladle 6 people.")
	for _, passages := range [][]llm.Passage{{older, newer}, {newer, older}} {
		if reply := ask(t, r, "After all changes, how many people is the table at Blue Ladle for in the end?", passages); reply.Text != "6" {
			t.Errorf("got %q, want 6\n%s", reply.Text, strings.Join(reply.Notes, "\n"))
		}
	}
}

// Friends who chat are no service: what has no shape of its own is left to the
// weights.
func TestTypedNeedsService(t *testing.T) {
	type both = [2]want
	for question, want := range map[string]both{
		"What kind of food does Ana like?":   {wantNone, "kind of food"},
		"When did Ana leave?":                {wantNone, "time of day"},
		"Where does Ana want to go?":         {wantNone, "destination"},
		"What is Ana's phone number?":        {"phone number", "phone number"},
		"How many people came?":              {"people", "people"},
		"How many dogs does Ana have?":       {wantNone, wantNone},
		"How long did Ana stay?":             {wantNone, "nights"},
		"What time does the shop open?":      {"time of day", "time of day"},
		"When was the last time Ana swam?":   {wantNone, "time of day"},
		"What did Ana give Ben as a reason?": {wantNone, wantNone},
	} {
		q := parse(question, nil, time.Time{})
		if got := (both{q.wanted(false), q.wanted(true)}); got != want {
			t.Errorf("%s: wants %q of friends and of a service, want %q", question, got, want)
		}
	}
}

func TestShapes(t *testing.T) {
	a := NewAnalyser()
	for _, test := range []struct {
		want  want
		text  string
		found string // values, by semicolon
	}{
		{"reference", "Your reference number is: A1B2C3D4 for the KX204 at 10:05 in zx47qd.", "A1B2C3D4"},
		{"reference", "THANKS a lot for the reference number PQRSTUVW!", "PQRSTUVW"},
		{"reference", "I need the reference number today.", ""},
		{"line number", "Take KX204 or LH 400, ref A1B2C3D4.", "KX204"},
		{"phone number", "Call (05551) 204-467, or 0555 19988.", "(05551) 204-467; 0555 19988"},
		{"phone number", "Call 12 or 345.", ""},
		{"postcode", "It is at ZX4 7QD, not at zx61aa.", "ZX4 7QD; zx61aa"},
		{"postcode", "The zip code is 90210 and the price 90210.", "90210"},
		{"address", "It is at 12-14 Anne's Road, the address is king's parade, and Jo is on Abbey Lane.", "12-14 Anne's Road; king's parade; Abbey Lane"},
		{"stars", "A 4-star inn, five stars, a rating of 3, 2 rooms.", "4; five; 3"},
		{"people", "A table for 4 at 7, 2 nights, 3 rooms, six of us, a party of 5, just me.", "six; 5; 4; 1"},
		{"nights", "For 3 people, 2 nights, 4 days.", "2; 4"},
		{"time of day", "It leaves at 9:05 am, at noon or at 5 o'clock; not 17.", "9:05 am; noon; 5 o'clock"},
		{"day of the week", "From Monday to next friday.", "Monday; friday"},
		{"price range", "A cheap room, moderately priced.", "cheap; moderate"},
		{"fee", "It is £5, 3.50 pounds per person, free to enter, free parking, no entrance fee.", "£5; 3.50 pounds per person; free; free"},
		{"part of town", "In the centre or the northern part.", "north; centre"},
		{"kind of food", "Do you want Thai food or a nice Greek place?", "Thai; Greek"},
		{"car", "A white skoda comes.", "white skoda"},
		{"destination", "From Norwood to Selby Hall by 9, to book it.", "Selby Hall"},
		{"point of departure", "From the Norwood Arms to Selby Hall, leaving Exley at 9.", "Norwood Arms; Exley"},
		{"name of a place", "How about Blue Ladle or an inn called red door?", "red door; Blue Ladle"},
	} {
		u := a.line(test.text, time.Time{})
		var got []string
		for i := range u.sentences {
			s := &u.sentences[i]
			for _, v := range s.values(u.text, test.want) {
				got = append(got, v.tell(s))
			}
		}
		if g := strings.Join(got, "; "); g != test.found {
			t.Errorf("%s in %q\n got %q\nwant %q", test.want, test.text, g, test.found)
		}
	}
}

// Which of two times of a journey is meant is told by its verb.
func TestSenses(t *testing.T) {
	a := NewAnalyser()
	for text, want := range map[string]sense{
		"it leaves at 9:05":                     leaving,
		"i need to leave the inn by 9:05":       leaving,
		"i want to go after 9:05":               leaving,
		"it arrives at 9:05":                    arriving,
		"i have to be there by 9:05":            arriving,
		"a train that will arrive by 9:05":      arriving,
		"a table at 9:05 please":                anyTime,
		"leaves at 8:05 and arrives at 9:05":    arriving,
		"arrives by 8:05 when leaving at 9:05":  leaving,
		"the 8:05 that gets me there by 9:05":   arriving,
		"it gets in at 8:05, and 9:05 is free.": anyTime,
	} {
		u := a.line(text, time.Time{})
		words := u.sentences[0].words
		for i := range words {
			if words[i].low == "9:05" {
				if got := senseAt(words, i); got != want {
					t.Errorf("%q: sense %d, want %d", text, got, want)
				}
			}
		}
	}
}

// Lines full of values are read in bounded time, without a panic, and answered
// with a line of plain text.
func TestTypedHostile(t *testing.T) {
	r := testReader()
	var text strings.Builder
	for _, l := range service() {
		text.WriteString(l.Lines[0].Text + " ")
	}
	for name, text := range map[string]string{
		"times":    strings.Repeat("9:05 ", 1<<18),
		"digits":   strings.Repeat("01 ", 1<<18),
		"a number": strings.Repeat("0", 1<<20),
		"codes":    strings.Repeat("A1B2C3D4 zx4 7qd ", 1<<16),
		"streets":  strings.Repeat("1 Mill, ", 1<<16),
		"capitals": strings.Repeat("Blue of ", 1<<16),
		"control":  strings.ReplaceAll(text.String(), " ", "\x00\n"),
		"cut":      text.String()[:len(text.String())/2],
		"marks":    strings.ReplaceAll(text.String(), " ", " ( - : ' "),
	} {
		for _, question := range []string{
			"What is the reference number?", "Which train ID is it?", "What is the phone number?", "What postcode is it?", "What is the address?",
			"How many stars are there?", "How many people?", "How many nights?", "What time does the train leave?", "Which day is it?",
			"What price range is it?", "How much is the fee?", "Which area is it in?", "What food is there?", "What car is it?",
			"What type of place is it?", "Where does it go?", "Which restaurant is it?",
		} {
			reply := ask(t, r, question, []llm.Passage{{Lines: []llm.Line{{Speaker: "User", Text: text, About: []string{text, "", "x"}}}}})
			if reply.Text == "" || strings.ContainsAny(reply.Text, "\x00\n") {
				t.Errorf("%s: %s answered %q", name, question, reply.Text)
			}
		}
	}
}

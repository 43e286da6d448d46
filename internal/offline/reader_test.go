package offline

import (
	"context"
	"strings"
	"testing"
	"time"

	"recallbench/internal/llm"
)

// A saying is a line of a test conversation: "speaker: text" at a time.
func line(at, text string) llm.Line {
	t, err := time.Parse("2006-01-02 15:04", at+" 14:00")
	if err != nil {
		panic(err)
	}
	speaker, text, _ := strings.Cut(text, ": ")
	return llm.Line{Speaker: speaker, Time: t, Text: text}
}

// The conversation of these tests: two friends over a year.
func conversation() []llm.Passage {
	return []llm.Passage{
		{ID: "1", Lines: []llm.Line{
			line("2021-03-06", "Priya: Hi Tomas! How have you been?"),
			line("2021-03-06", "Tomas: Busy! I started a beekeeping course last Tuesday. It's harder than it looks."),
			line("2021-03-06", "Priya: Wow, bees! I adopted a greyhound yesterday. His name is Comet."),
			line("2021-03-06", "Tomas: Lovely. How long have you wanted a dog?"),
			line("2021-03-06", "Priya: For six years, since I moved to Lisbon. I walk him twice a day."),
			line("2021-03-06", "Tomas: My sister Ilse gave me her old trumpet last month. I play the cello too, but badly."),
		}},
		{ID: "2", Lines: []llm.Line{
			line("2021-07-18", "Priya: We went to Norway for our holiday two weeks ago. The fjords were unreal!"),
			line("2021-07-18", "Tomas: What did you do there?"),
			line("2021-07-18", "Priya: We kayaked every morning and picked blueberries. [image: a photo of a red kayak on a lake] [image search: kayak norway]"),
			line("2021-07-18", "Tomas: I quit my job at the bank because I want to sell honey full time."),
			line("2021-07-18", "Priya: Brave! I just finished reading \"The Salt Road\". It was moving."),
			line("2021-07-18", "Tomas: I'm opening a shop in Porto next month. I have four hives now."),
		}},
		{ID: "3", Lines: []llm.Line{
			line("2022-01-09", "Tomas: The shop is doing great. Ilse painted the sign in yellow and black."),
			line("2022-01-09", "Priya: Congrats! I ran my third marathon in October and I felt proud and exhausted."),
			line("2022-01-09", "Tomas: I don't like running at all, it hurts my knees."),
			line("2022-01-09", "Priya: I'm flying to Chile in May to see the desert bloom."),
			line("2022-01-09", "Tomas: I make honey cake, honey ice cream and mead."),
		}},
	}
}

func ask(t testing.TB, r *reader, question string, passages []llm.Passage) llm.Reply {
	t.Helper()
	reply, err := r.Generate(context.Background(), llm.Request{Role: "reader", Task: llm.AnswerTask{Question: question, Passages: passages}})
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

func TestReader(t *testing.T) {
	tests := []struct{ question, want string }{
		{"When did Tomas start a beekeeping course?", "the Tuesday before 6 March 2021"},
		{"When did Priya adopt a greyhound?", "5 March 2021"},
		{"When did Ilse give Tomas her trumpet?", "February 2021"},
		{"When did Priya go to Norway?", "two weeks before 18 July 2021"},
		{"When is Tomas opening a shop?", "August 2021"},
		{"When did Priya run her third marathon?", "October 2021"},
		{"In which year did Priya run a marathon?", "2021"},
		{"When will Priya fly to Chile?", "May 2022"},
		{"When did Tomas quit his job at the bank?", "18 July 2021"},
		{"How long had Priya wanted a dog?", "six years"},
		{"How often does Priya walk her dog?", "twice a day"},
		{"How many hives does Tomas have?", "four"},
		{"How many marathons has Priya run?", "three"},
		{"What is the name of Priya's greyhound?", "Comet"},
		{"Where did Tomas open his shop?", "Porto"},
		{"Where did Priya go on holiday in July 2021?", "Norway"},
		{"Which country is Priya flying to?", "Chile"},
		{"Who gave Tomas a trumpet?", "sister Ilse"},
		{"Why did Tomas quit his job?", "because he wants to sell honey full time"},
		{"What book did Priya finish reading?", `"The Salt Road"`},
		{"How did Priya feel after her marathon?", "proud and exhausted"},
		{"What instruments does Tomas play?", "the cello"},
		{"Did Priya adopt a dog?", "Yes"},
		{"Does Tomas like running?", "No"},
		{"Would Tomas enjoy running a marathon?", "Likely no"},
		{"Did Tomas paint the sign in yellow or in green?", "yellow"},
		{"What color is the sign of the shop?", "yellow and black"},
		{"What is the capital of Mongolia?", NoInformation},
	}
	r := newReader()
	for _, test := range tests {
		reply := ask(t, r, test.question, conversation())
		if reply.Text != test.want {
			t.Errorf("%s\n got %q, want %q\n%s", test.question, reply.Text, test.want, strings.Join(reply.Notes, "\n"))
		}
	}
}

package reader

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"recallbench/internal/door/llm"
)

// line reads a line of a test conversation: a day, and "speaker: text".
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

// testReader returns a reader with empty caches.
func testReader() *Reader { return New(NewAnalyser()) }

func ask(tb testing.TB, r *Reader, question string, passages []llm.Passage) llm.Reply {
	tb.Helper()
	reply, _ := r.Reply(llm.AnswerTask{Question: question, Passages: passages})
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
		{"Where did Tomas open his shop?", "a shop in Porto"},
		{"Where did Priya go on holiday in July 2021?", "Norway"},
		{"Which country is Priya flying to?", "Chile"},
		{"Who gave Tomas a trumpet?", "sister Ilse"},
		{"Why did Tomas quit his job?", "his job at the bank because he wants to sell honey full time"},
		{"What book did Priya finish reading?", "Salt Road"},
		{"What instruments does Tomas play?", "cello, old trumpet"},
		{"Did Priya adopt a dog?", "Yes"},
		{"Does Tomas like running?", "No"},
		{"Would Tomas enjoy running a marathon?", "Likely no"},
		{"Did Tomas paint the sign in yellow or in green?", "yellow"},
		{"What color is the sign of the shop?", "yellow and black"},
		{"What is the capital of Mongolia?", NoInformation},
	}
	r := testReader()
	for _, test := range tests {
		reply := ask(t, r, test.question, conversation())
		if reply.Text != test.want {
			t.Errorf("%s\n got %q, want %q\n%s", test.question, reply.Text, test.want, strings.Join(reply.Notes, "\n"))
		}
	}
}

// Names, dates and objects can be others: nothing of the rules is tied to one
// conversation.
func TestReaderOtherNames(t *testing.T) {
	swap := strings.NewReplacer("Priya", "Wanjiru", "Tomas", "Leif", "greyhound", "parrot", "Comet", "Zazu", "Norway", "Peru", "Porto", "Ghent")
	passages := conversation()
	for i := range passages {
		for j := range passages[i].Lines {
			l := &passages[i].Lines[j]
			l.Speaker, l.Text, l.Time = swap.Replace(l.Speaker), swap.Replace(l.Text), l.Time.AddDate(-4, 1, 3)
		}
	}
	r := testReader()
	for question, want := range map[string]string{
		"When did Wanjiru adopt a parrot?":           "8 April 2017",
		"When did Wanjiru go to Peru?":               "two weeks before 21 August 2017",
		"What is the name of Wanjiru's parrot?":      "Zazu",
		"Where did Leif open his shop?":              "a shop in Ghent",
		"How long had Wanjiru wanted a dog?":         "six years",
		"Who gave Leif a trumpet?":                   "sister Ilse",
		"When did Leif start a beekeeping course?":   "the Tuesday before 9 April 2017",
		"Which country did Wanjiru go to on holiday": "Peru",
	} {
		if reply := ask(t, r, question, passages); reply.Text != want {
			t.Errorf("%s\n got %q, want %q\n%s", question, reply.Text, want, strings.Join(reply.Notes, "\n"))
		}
	}
}

// The order of passages and the company of others do not change what is said
// in them.
func TestReaderOrder(t *testing.T) {
	r := testReader()
	passages := conversation()
	passages[0], passages[2] = passages[2], passages[0]
	for question, want := range map[string]string{
		"When did Priya adopt a greyhound?": "5 March 2021",
		"How many hives does Tomas have?":   "four",
	} {
		if got := ask(t, r, question, passages).Text; got != want {
			t.Errorf("%s: got %q, want %q", question, got, want)
		}
	}
}

func TestReaderLists(t *testing.T) {
	passages := []llm.Passage{
		{Lines: []llm.Line{line("2023-02-01", "Noor: I visited Kenya with my cousin, the safari was great."), line("2023-02-01", "Emil: Nice!")}},
		{Lines: []llm.Line{line("2023-05-01", "Noor: I visited Japan in spring and ate far too much."), line("2023-05-01", "Emil: Lucky you.")}},
		{Lines: []llm.Line{line("2023-04-01", "Noor: My bike has a flat tyre."), line("2023-04-01", "Emil: I can lend you mine.")}},
	}
	got := ask(t, testReader(), "Which countries has Noor visited?", passages).Text
	for _, want := range []string{"Kenya", "Japan", ", "} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
}

func TestReaderWithoutPassages(t *testing.T) {
	r := testReader()
	for _, question := range []string{"When did Ana move?", "", "   ", "?", "Did it rain?"} {
		reply := ask(t, r, question, nil)
		if reply.Text != NoInformation || len(reply.Notes) == 0 {
			t.Errorf("%q: %+v", question, reply)
		}
	}
	// Lines without time or speaker are read too.
	got := ask(t, r, "Where is the key?", []llm.Passage{{Lines: []llm.Line{{Text: "The key is under the mat."}}}}).Text
	if !strings.Contains(got, "mat") {
		t.Errorf("got %q", got)
	}
	if got := ask(t, r, "When did the train leave?", []llm.Passage{{Lines: []llm.Line{{Text: "The train left yesterday."}}}}).Text; got == "" || strings.Contains(got, "0001") {
		t.Errorf("a line without a time was given a date: %q", got)
	}
}

// The notes say what kind of question it was and where the answer came from.
func TestReaderNotes(t *testing.T) {
	reply := ask(t, testReader(), "How many hives does Tomas have?", conversation())
	notes := strings.Join(reply.Notes, "\n")
	for _, want := range []string{`"how many"`, "four hives", "tomas"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes lack %q:\n%s", want, notes)
		}
	}
}

// Many askers at once get what one after another gets.
func TestReaderConcurrent(t *testing.T) {
	questions := []string{"When did Priya adopt a greyhound?", "How many hives does Tomas have?", "What book did Priya finish reading?", "Why did Tomas quit his job?"}
	want := make([]string, len(questions))
	for i, q := range questions {
		want[i] = ask(t, testReader(), q, conversation()).Text
	}
	shared := testReader()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i, q := range questions {
				reply, _ := shared.Reply(llm.AnswerTask{Question: q, Passages: conversation()})
				if reply.Text != want[i] {
					t.Errorf("%s: got %q, want %q", q, reply.Text, want[i])
				}
			}
		})
	}
	wg.Wait()
}

// Text that nobody would say is read in bounded time and without a panic.
func TestReaderHostile(t *testing.T) {
	r := testReader()
	at := time.Date(2023, 5, 8, 0, 0, 0, 0, time.UTC)
	for name, text := range map[string]string{
		"one long word":   strings.Repeat("a", 3<<20),
		"long sentence":   strings.Repeat("the cat sat and ", 200000),
		"sentences":       strings.Repeat("A cat sat. ", 200000),
		"questions":       strings.Repeat("Did the cat sit? ", 100000),
		"marks":           strings.Repeat("\"'“”[](){}", 100000),
		"brackets":        strings.Repeat("[", 1<<20),
		"dates":           strings.Repeat("the week before last May 7 ", 50000),
		"control":         strings.Repeat("cat\x00\x01\x1b[2J ", 100000),
		"not UTF-8":       strings.Repeat("c\xff\xfeat ", 100000),
		"combining marks": "cat" + strings.Repeat("\u0301", 1<<19),
		"emoji":           strings.Repeat("🐈‍⬛", 100000),
		"apostrophes":     strings.Repeat("cat's's's's ", 100000),
		"curly":           strings.Repeat("’s’m’re ", 100000),
	} {
		t.Run(name, func(t *testing.T) {
			passages := []llm.Passage{{Lines: []llm.Line{{Speaker: "Ana", Time: at, Text: text}, {Speaker: text[:min(len(text), 1000)], Text: "The cat sat on the mat."}}}}
			ask(t, r, "When did Ana's cat sit, and where?", passages)
			ask(t, r, text, passages)
		})
	}
}

func FuzzReader(f *testing.F) {
	for _, q := range []string{"When did Ana go?", "What is it or not?", "How many or which?", "Would Ana like tea or coffee?", "Who's \"A B\"?", "did", "What's Ana's", "why why why", "What is the phone number?", "When does the train from A to B leave?", "Where am I staying?"} {
		f.Add(q, "User", "Call (05551) 204-467 or leave A by 9:05 am for B, 12 Mill Lane.", "Agent", "How about A Inn? It is called B, for 4 people.")
		f.Add(q, "Ana", "I went there last Friday because \"Tea and Sun\" opened. [image: a photo of tea]", "Bo", "Did you feel happy? No, it's 5 o'clock!")
	}
	r := testReader()
	f.Fuzz(func(t *testing.T, question, speaker, text, other, reply string) {
		at := time.Date(2023, 5, 8, 0, 0, 0, 0, time.UTC)
		passages := []llm.Passage{
			{Lines: []llm.Line{{Speaker: speaker, Time: at, Text: text}, {Speaker: other, Time: at, Text: reply}}},
			{Lines: []llm.Line{{Speaker: other, Text: text}, {}}},
		}
		first := ask(t, r, question, passages)
		if strings.TrimSpace(first.Text) == "" {
			t.Fatal("no answer")
		}
		if again := ask(t, testReader(), question, passages); again.Text != first.Text {
			t.Fatalf("first %q, then %q", first.Text, again.Text)
		}
	})
}

// A history of 600 lines, every question at the whole of it.
func BenchmarkReaderHistory(b *testing.B) {
	var passages []llm.Passage
	for i := range 40 {
		for _, p := range conversation() {
			for j := range p.Lines {
				p.Lines[j].Time = p.Lines[j].Time.AddDate(i, 0, 0)
				p.Lines[j].Text += " It was number " + strconv.Itoa(i) + "."
			}
			passages = append(passages, p)
		}
	}
	r := testReader()
	for b.Loop() {
		ask(b, r, "When did Priya adopt a greyhound?", passages)
	}
}

// Questions for values, each at the fourteen lines of a service.
func BenchmarkReaderValues(b *testing.B) {
	r := testReader()
	passages := service()
	questions := []string{"What is the postcode of Heron Lodge?", "When does the train from Norwood to Selby arrive?", "At which restaurant is my table for Friday at 19:15?"}
	i := 0
	for b.Loop() {
		ask(b, r, questions[i%len(questions)], passages)
		i++
	}
}

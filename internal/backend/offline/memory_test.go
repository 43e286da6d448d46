package offline

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/llm"
	"recallbench/internal/engine/treetask"
)

// monday is when the lines of these tests are said.
var monday = time.Date(2024, 3, 11, 18, 30, 0, 0, time.UTC)

// chat makes lines of "Ana: ..." and the like.
func chat(lines ...string) (out []llm.Line) {
	for _, l := range lines {
		speaker, text, _ := strings.Cut(l, ": ")
		out = append(out, llm.Line{Speaker: speaker, Time: monday, Text: text})
	}
	return out
}

func TestStatements(t *testing.T) {
	r := testGenerator(t)
	for _, c := range []struct {
		name string
		task llm.StatementsTask
		want []string
	}{
		{
			"first person",
			llm.StatementsTask{Lines: chat("Ana: I'm learning Portuguese at the college in Porto.", "Ben: I've restored old tractors with my uncle.")},
			[]string{"Ana is learning Portuguese at the college in Porto.", "Ben has restored old tractors with their uncle."},
		},
		{
			"verbs agree",
			llm.StatementsTask{Lines: chat("Ana: I play the cello in an orchestra.", "Ben: I don't eat meat or cheese at restaurants.", "Ana: I always carry my inhaler and sunscreen.")},
			[]string{
				"Ana plays the cello in an orchestra.", "Ben doesn't eat meat or cheese at restaurants.",
				"Ana always carries their inhaler and sunscreen.",
			},
		},
		{
			"times become dates",
			llm.StatementsTask{Lines: chat("Ana: I sold my motorbike to a neighbour yesterday.", "Ben: I'm moving to Lisbon next month for my internship.")},
			[]string{"Ana sold their motorbike to a neighbour on 10 March 2024.", "Ben is moving to Lisbon in April 2024 for their internship."},
		},
		{
			"no subject",
			llm.StatementsTask{Lines: chat("Ana: Went sailing near the lighthouse with my cousin.", "Ben: Hi")},
			[]string{"Ana went sailing near the lighthouse with their cousin."},
		},
		{
			"chatter, questions, wishes and moods say nothing",
			llm.StatementsTask{Lines: chat(
				"Ana: Hey Ben! How are you?", "Ben: Thanks, Ana! I'm so glad to hear that.", "Ana: Take care and enjoy your weekend!",
				"Ben: Wow, that's amazing!", "Ana: Do you have any pets?",
			)},
			[]string{},
		},
		{
			"the second person is the other one",
			llm.StatementsTask{Lines: chat("Ana: I baked your rhubarb cake for the school fair.", "Ben: Nice")},
			[]string{"Ana baked Ben's rhubarb cake for the school fair."},
		},
		{
			"a fragment keeps its question",
			llm.StatementsTask{Lines: chat("Ana: What instrument does your daughter study?", "Ben: The bassoon, with a teacher from Vienna.")},
			[]string{`Asked "What instrument does your daughter study?", Ben said the bassoon, with a teacher from Vienna.`},
		},
		{
			"what is predicted is known",
			llm.StatementsTask{
				Lines:      chat("Ana: I teach chemistry at a grammar school in Leeds.", "Ben: I collect stamps from former colonies."),
				Prediction: "Ana and Ben talked. Ana teaches chemistry at a grammar school in Leeds.",
			},
			[]string{"Ben collects stamps from former colonies."},
		},
		{
			"from an episode",
			llm.StatementsTask{
				Title: "Ana and Ben talked about chemistry", Time: monday,
				Content: "On 11 March 2024, Ana and Ben talked about chemistry. Ana teaches chemistry at a grammar school in Leeds. It was nice.",
			},
			[]string{"Ana teaches chemistry at a grammar school in Leeds."},
		},
		{
			"another language stays as it is",
			llm.StatementsTask{Lines: chat("Ana: 我昨天在公园里看到一只很大的白色的狗 还有三只小猫 和 我的 朋友")},
			[]string{`Ana said: "我昨天在公园里看到一只很大的白色的狗 还有三只小猫 和 我的 朋友".`},
		},
		{
			"of few words, and with words that English has too",
			llm.StatementsTask{Lines: chat("Ana: 我昨天买了一辆新车。", "Ben: Mañana viajo con mi hermana mayor a Sevilla por trabajo.")},
			[]string{`Ana said: "我昨天买了一辆新车。".`, `Ben said: "Mañana viajo con mi hermana mayor a Sevilla por trabajo".`},
		},
		{"nothing", llm.StatementsTask{}, []string{}},
	} {
		got := made[llm.Statements](t, r, c.task).Statements
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

func TestEpisode(t *testing.T) {
	r := testGenerator(t)
	got := made[llm.Episode](t, r, llm.EpisodeTask{Lines: chat(
		"Ana: Hey Ben! I bought a sailing boat last Friday.",
		"Ben: Wow! Is it a wooden boat?",
		"Ana: Yes! It has two masts. [image: a photo of a boat in a harbour] [image search: red ketch]",
		"Ben: Great, thanks for sharing!",
	)})
	want := llm.Episode{
		Title: "Ana and Ben talked about sailing boat and masts",
		Content: "On 11 March 2024, Ana and Ben talked about sailing boat and masts. " +
			"Ana bought a sailing boat on the Friday before 11 March 2024. " +
			`Asked by Ben "Is it a wooden boat?", Ana said yes; it has two masts. ` +
			"Ana shared an image of a boat in a harbour (image search: red ketch).",
		Time: "2024-03-11T18:30:00",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestBoundary(t *testing.T) {
	r := testGenerator(t)
	long := chat("Ana: We planted tomatoes and beans behind the shed.", "Ben: Tomatoes need much water.", "Ana: The beans do too.",
		"Ben: My beans died of frost.", "Ana: Frost is bad for tomatoes as well.", "Ben: I cover the tomatoes at night.",
		"Ana: I cover the beans with fleece.", "Ben: Fleece keeps frost off.", "Ana: It keeps beetles off the beans too.")
	later := func(d time.Duration, l llm.Line) llm.Line { l.Time = l.Time.Add(d); return l }
	for _, c := range []struct {
		name    string
		history []llm.Line
		next    llm.Line
		want    bool
	}{
		{"the same subject", long, chat("Ben: Beetles ate my beans behind the shed.")[0], false},
		{"a turn to something else", long, chat("Ben: By the way, did you see the concert hall that opened downtown?")[0], true},
		{"an answer", append(long[:8:8], chat("Ana: What did you do on Sunday?")...), chat("Ben: I visited the concert hall downtown with Carla.")[0], false},
		{"another day", long[:2], later(24*time.Hour, long[2]), true},
		{"two hours later", long[:2], later(2*time.Hour, long[2]), true},
		{"minutes later", long[:2], later(4*time.Minute, long[2]), false},
		{"early in an episode", long[:2], chat("Ben: Concerts downtown cost twenty euros.")[0], false},
		{"nothing before", nil, long[0], false},
	} {
		got := made[llm.Boundary](t, r, llm.BoundaryTask{History: c.history, Next: c.next})
		if got.NewEpisode != c.want || got.Why == "" || got.Confidence < 0 || got.Confidence > 1 {
			t.Errorf("%s: got %+v, want ends %v", c.name, got, c.want)
		}
	}
}

func TestSummaryAndPrediction(t *testing.T) {
	r := testGenerator(t)
	for _, c := range []struct {
		task llm.Task
		want string
	}{
		{
			llm.SummaryTask{Facts: []string{
				"Ana plays the cello in an orchestra.", "Ana practises the cello each morning.", "Ana's orchestra toured Norway in 2022.",
			}},
			"Ana: cello, orchestra and Norway. Ana plays the cello in an orchestra. Ana practises the cello each morning. Ana's orchestra toured Norway in 2022.",
		},
		{
			&llm.PredictTask{Title: "Ana and Ben talked about music", Known: []string{"Ana plays the cello.", "Ben sings"}},
			"Ana and Ben talked about music. Ana plays the cello. Ben sings.",
		},
	} {
		got, err := r.Generate(t.Context(), llm.Request{Role: "builder", Task: c.task})
		if err != nil {
			t.Fatal(err)
		}
		if got.Text != c.want {
			t.Errorf("%s: got %q, want %q", c.task.Kind(), got.Text, c.want)
		}
	}
}

// Whatever a dataset holds, building goes on, in time, and replies with what
// the contract says.
func TestMemoriesHostile(t *testing.T) {
	r := testGenerator(t)
	long := strings.Repeat("I like my red boat and you said \"we can't\" - yesterday; ", 20000)
	texts := []string{
		"", " ", "\x00\xff\xfe", "[", "]", "[image:", "[image: ]", "'", `"`, "''''s", "I", "I'm", "you", "my", "…?!", "- - -", ";;;;", "@#$%&",
		"I I I I I", "and and and I", "let you", strings.Repeat("I ", 5000), strings.Repeat("a", 1<<20), strings.Repeat("我", 1<<18), strings.Repeat("[image: x] ", 5000),
		strings.Repeat("yes. no? ", 10000), long, "I'd I've I'll you're we'd", "Привет, как дела? Я купил новую машину вчера.", "’s ’m I’m you’re",
	}
	var lines []llm.Line
	for i, text := range texts {
		lines = append(lines, llm.Line{Speaker: texts[(i*7)%len(texts)], Time: monday, Text: text})
	}
	for _, l := range lines {
		made[llm.Boundary](t, r, llm.BoundaryTask{History: lines, Next: l})
		made[llm.Episode](t, r, llm.EpisodeTask{Lines: []llm.Line{l}})
		made[llm.Statements](t, r, llm.StatementsTask{Title: l.Text, Content: l.Text, Prediction: l.Text})
		for _, task := range []llm.Task{
			llm.PredictTask{Title: l.Text, Known: texts},
			llm.SummaryTask{Facts: []string{l.Text, l.Text}},
			llm.ProbeTask{Question: l.Text, Passages: []llm.Passage{{Lines: []llm.Line{l}}}},
		} {
			if _, err := r.Generate(t.Context(), llm.Request{Task: task}); err != nil {
				t.Errorf("%s of %.20q: %v", task.Kind(), l.Text, err)
			}
		}
	}
	e := made[llm.Episode](t, r, llm.EpisodeTask{Lines: lines})
	s := made[llm.Statements](t, r, llm.StatementsTask{Lines: lines})
	if len(e.Content) > 1<<15 || len(s.Statements) > 200 {
		t.Errorf("%d bytes of content and %d statements of hostile lines", len(e.Content), len(s.Statements))
	}
}

// What is built does not depend on who asks at the same time.
func TestMemoriesConcurrent(t *testing.T) {
	r := testGenerator(t)
	lines := longChat()
	want := made[llm.Statements](t, testGenerator(t), llm.StatementsTask{Lines: lines})
	got := make([]llm.Reply, 8)
	var group sync.WaitGroup
	for i := range got {
		group.Go(func() {
			got[i], _ = r.Generate(context.Background(), llm.Request{Task: llm.StatementsTask{Lines: lines}})
		})
	}
	group.Wait()
	for _, reply := range got {
		var s llm.Statements
		if err := json.Unmarshal([]byte(reply.Text), &s); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, s); d != "" {
			t.Errorf("(-alone +with others):\n%s", d)
		}
	}
}

// More of what a question is about makes a probe surer, what is beside it
// changes nothing, and nothing at all leaves it unsure.
func TestProbe(t *testing.T) {
	r := testGenerator(t)
	told := func(texts ...string) (out []llm.Passage) {
		for _, text := range texts {
			out = append(out, llm.Passage{Lines: []llm.Line{{Time: monday, Text: text}}})
		}
		return out
	}
	const question = "Which instrument does Ana play in the city orchestra?"
	h := func(texts ...string) float64 {
		return nats(t, r, llm.ProbeTask{Question: question, Passages: told(texts...)})
	}
	const some, full, beside = "Ana has an instrument.", "Ana plays the cello in the city orchestra.", "Ben sold the old tractor to a farmer."
	none, little, much := h(), h(some), h(some, full)
	if !(none > little && little > much+0.4) || none < 2 || none > 4 {
		t.Errorf("nothing has %.2f nats, something %.2f, the answer %.2f", none, little, much)
	}
	if got := h(some, full, beside); math.Abs(got-much) > 0.01 {
		t.Errorf("with what is beside the matter %.2f nats, without %.2f", got, much)
	}
}

// A passage that nobody says is read as told, sentence by sentence.
func TestToldLines(t *testing.T) {
	r := testGenerator(t)
	text := "On 11 March 2024, Ana and Ben talked about music. Ana plays the cello. Ben restores tractors with his uncle in Norway."
	for question, want := range map[string]string{"What does Ana play?": "cello", "What does Ben restore?": "tractors"} {
		reply, err := r.Generate(t.Context(), llm.Request{Task: llm.AnswerTask{
			Question: question, Passages: []llm.Passage{{Lines: []llm.Line{{Time: monday, Text: text}}}},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(reply.Text, want) || !strings.Contains(strings.Join(reply.Notes, " "), "score") {
			t.Errorf("%s got %q, want %q", question, reply.Text, want)
		}
	}
}

func TestNilTasks(t *testing.T) {
	r := testGenerator(t)
	for _, task := range []llm.Task{
		(*llm.BoundaryTask)(nil), (*llm.EpisodeTask)(nil), (*llm.PredictTask)(nil), (*llm.StatementsTask)(nil), (*llm.SummaryTask)(nil), (*llm.ProbeTask)(nil),
		(*treetask.ResolveTask)(nil), (*treetask.QueryTask)(nil), (*treetask.HandleTask)(nil), (*treetask.MemoryTask)(nil), (*llm.ScoreTask)(nil),
	} {
		if _, err := r.Generate(t.Context(), llm.Request{Role: "builder", Task: task}); err == nil || !strings.Contains(err.Error(), "nil") {
			t.Errorf("%T: got %v, want an error that says nil", task, err)
		}
	}
}

// FuzzStatements looks for lines that break the rules for persons.
func FuzzStatements(f *testing.F) {
	for _, text := range []string{"I'm off to Rome tomorrow.", "you're - I've; my", "[image: a photo of a dog]", "’s I’m"} {
		f.Add("Ana", text, "Ben")
	}
	r := testGenerator(f)
	f.Fuzz(func(t *testing.T, speaker, text, other string) {
		lines := []llm.Line{{Speaker: speaker, Time: monday, Text: text}, {Speaker: other, Time: monday, Text: text}}
		reply, err := r.Generate(t.Context(), llm.Request{Task: llm.StatementsTask{Lines: lines}})
		if err != nil {
			t.Fatal(err)
		}
		var s llm.Statements
		if err := json.Unmarshal([]byte(reply.Text), &s); err != nil {
			t.Fatal(err)
		}
	})
}

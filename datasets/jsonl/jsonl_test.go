package jsonl

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"recallbench/datasets"
	"recallbench/internal/testkit/try"
)

func TestOpen(t *testing.T) {
	set := try.Get(Spec.Open(t.Context(), datasets.Env{Base: "testdata"}, Options{Files: []string{"support.jsonl"}}))(t)
	first := time.Date(2024, 3, 4, 9, 30, 0, 0, time.UTC)
	second := time.Date(2024, 3, 6, 0, 0, 0, 0, time.UTC)
	want := []datasets.Sample{{
		ID:       "support",
		Speakers: []string{"Ann", "Raj"},
		Sessions: []datasets.Session{
			{ID: "1", Time: first, Turns: []datasets.Turn{
				{ID: "a1", Speaker: "Ann", Text: "My router died on Sunday.", Time: first},
				{ID: "1:2", Speaker: "Raj", Text: "Sorry to hear that. Is the lamp red?", Time: first},
				{
					ID: "1:3", Speaker: "Ann", Time: first.Add(2*time.Minute + 10*time.Second),
					Image: &datasets.Image{Caption: "a router with a red lamp"},
				},
			}},
			{ID: "2", Time: second, Turns: []datasets.Turn{
				{ID: "b1", Speaker: "Raj", Text: "The new one is on its way.", Time: second},
			}},
		},
		Requests: []datasets.Request{
			{ID: "q1", Text: "When did Ann's router die?"},
			{ID: "q2", Text: "What colour is the lamp?", Time: time.Date(2024, 3, 7, 0, 0, 0, 0, time.UTC)},
			{ID: "model", Text: "Which model is the router?"},
		},
	}}
	try.Equal(t, "samples differ", want, try.All(t, set.All(t.Context())))
	for id, want := range map[string]datasets.Gold{
		"q1":    {Category: "temporal", Answer: "3 March 2024", Evidence: []string{"a1"}},
		"q2":    {Category: "uncategorised", Answer: "red", Evidence: []string{"1:3"}},
		"model": {Category: "unanswerable", Abstain: true},
	} {
		if got, _ := set.Gold("support", id); !cmp.Equal(got, want) {
			t.Errorf("gold of %s is %+v, want %+v", id, got, want)
		}
	}
	var categories []string
	for _, c := range set.Categories {
		categories = append(categories, c.ID)
	}
	if got := strings.Join(categories, " "); got != "temporal uncategorised unanswerable" {
		t.Errorf("categories %s are not in the order of the file", got)
	}
}

// parse loads files whose content is given, named 1.jsonl, 2.jsonl and so on.
func parse(t *testing.T, contents ...string) (*datasets.Set, error) {
	t.Helper()
	files, paths := make(map[string]string), make([]string, len(contents))
	for i, content := range contents {
		paths[i] = fmt.Sprintf("%d.jsonl", i+1)
		files[paths[i]] = content
	}
	t.Chdir(try.Files(t, files))
	return load(t.Context(), nil, paths...)
}

const (
	aTurn     = `{"type":"turn","sample":"s","session":"1","speaker":"A","text":"Hi","id":"t1"}` + "\n"
	aQuestion = `{"type":"question","sample":"s","question":"Who?","answer":"A","evidence":["t1"]}` + "\n"
)

// TestParts takes turns and questions from different files, in any order, and
// numbers for names.
func TestParts(t *testing.T) {
	set, err := parse(t,
		`{"type":"question","sample":1,"question":"How many?","answer":7,"evidence":["x",2],"category":4}`,
		"\ufeff"+`{"type":"turn","sample":1,"session":1,"id":2,"speaker":"A","text":"Seven"}`+"\r\n"+
			`{"type":"turn","sample":1,"session":1,"id":"x","speaker":"B","text":"Seven!","time":null}`+"\n"+
			`{"type":"turn","sample":"idle","session":1,"speaker":"B","text":"Bye"}`)
	try.Do(t, err)
	if got, want := try.All(t, set.All(t.Context()))[0].Speakers, []string{"A", "B"}; !cmp.Equal(got, want) {
		t.Errorf("speakers %v, want %v", got, want)
	}
	want := datasets.Gold{Category: "4", Answer: "7", Evidence: []string{"x", "2"}}
	if got, _ := set.Gold("1", "q1"); !cmp.Equal(got, want) {
		t.Errorf("gold %+v, want %+v", got, want)
	}
	warnings := []datasets.Warning{{What: "conversation has no question; left out", Count: 1, Where: []string{"idle"}}}
	try.Equal(t, "warnings differ", warnings, set.Warnings)
}

func TestTimes(t *testing.T) {
	line := func(session, clock string) string {
		if clock != "" {
			clock = `,"time":"` + clock + `"`
		}
		return `{"type":"turn","sample":"s","session":"` + session + `","speaker":"A","text":"Hi"` + clock + "}\n"
	}
	question := `{"type":"question","sample":"s","question":"Who?","answer":"A"}`
	set := try.Get(parse(t, line("1", "")+line("1", "2024-01-02 10:00")+line("1", "")+line("2", "")+line("3", "2024-01-03")+question))(t)
	var got []string
	for _, session := range try.All(t, set.All(t.Context()))[0].Sessions {
		for _, turn := range session.Turns {
			got = append(got, turn.Time.Format("01-02 15:04"))
		}
	}
	if got, want := strings.Join(got, ", "), "01-02 10:00, 01-02 10:00, 01-02 10:00, 01-01 00:00, 01-03 00:00"; got != want {
		t.Errorf("times %s, want %s", got, want)
	}
	if !try.All(t, set.All(t.Context()))[0].Sessions[1].Time.IsZero() {
		t.Error("a session without times has one")
	}
}

func TestFaults(t *testing.T) {
	check := func(name, content string, want ...string) {
		t.Helper()
		_, err := parse(t, content)
		if err == nil {
			t.Errorf("%s: no error", name)
			return
		}
		if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
			t.Errorf("%s: error differs (-want +got):\n%s", name, diff)
		}
	}
	edit := func(line, from, to string) string {
		t.Helper()
		if !strings.Contains(line, from) {
			t.Fatalf("there is no %s in %s", from, line)
		}
		return strings.Replace(line, from, to, 1)
	}
	check("empty", "", `1.jsonl: has no question; want a line with "type": "question"`)
	check("no question", aTurn, `1.jsonl: has no question; want a line with "type": "question"`)
	check("no turns", aQuestion, `1.jsonl:1: question: conversation "s" has no turns`)
	check("wrong type", edit(aTurn, `"type":"turn"`, `"type":"turns"`)+aTurn+aQuestion,
		`1.jsonl:1: unknown type "turns"; did you mean "turn"? have turn, question`)
	check("unknown field", edit(aTurn, `"speaker":"A"`, `"speaker":"A","spaeker":"B"`)+aQuestion,
		`1.jsonl:1: turn: unknown field "spaeker"; did you mean "speaker"? have type, sample, session, time, id, speaker, text, image, forgets`)
	check("missing", `{"type":"turn"}`+"\n"+aTurn+aQuestion,
		`1.jsonl:1: turn: "sample" is missing, want a string`, `1.jsonl:1: turn: "session" is missing, want a string`,
		`1.jsonl:1: turn: "speaker" is missing, want a string`)
	check("no text", edit(aTurn, `,"text":"Hi"`, "")+aTurn+aQuestion, `1.jsonl:1: turn: "text" is missing`, `1.jsonl:2: turn: id "t1" is already that of another turn of conversation "s"`)
	check("blank", edit(aTurn, `"text":"Hi"`, `"text":" "`)+aQuestion, `1.jsonl:1: turn: "text" is empty and there is no image`)
	check("no image", edit(aTurn, `"text":"Hi"`, `"image":{}`)+aQuestion, "1.jsonl:1: turn: image: the image has no caption, url or query")
	check("two ids", aTurn+aTurn+aQuestion, `1.jsonl:2: turn: id "t1" is already that of another turn of conversation "s"`)
	check("session again", aTurn+edit(edit(aTurn, `"1"`, `"2"`), "t1", "t2")+edit(aTurn, "t1", "t3")+aQuestion,
		`1.jsonl:3: turn: session "1" continues after session "2" began; keep the turns of a session together`)
	check("time", edit(aTurn, `"id"`, `"time":"4 March","id"`)+aQuestion,
		`1.jsonl:1: turn: time is "4 March", want one like "2024-03-04", "2024-03-04 09:30" or "2024-03-04T09:30:00Z"`)
	check("back in time", edit(aTurn, `"id":"t1"`, `"time":"2024-03-04"`)+edit(aTurn, `"id"`, `"time":"2024-03-03 23:59","id"`)+aQuestion,
		"1.jsonl:2: turn: the time 2024-03-03 23:59 is before that of the previous turn, 2024-03-04 00:00; put the turns in order of time")
	check("question twice", aTurn+edit(aQuestion, `"question":`, `"id":"a","question":`)+edit(aQuestion, `"question":`, `"id":"a","question":`),
		`1.jsonl:3: question: id "a" is already that of another question of conversation "s"`)
	check("no answer", aTurn+edit(aQuestion, `"answer":"A",`, ""), `1.jsonl:2: question: "answer" is missing, want a string`)
	check("both", aTurn+edit(aQuestion, `"answer"`, `"abstain":true,"answer"`),
		"1.jsonl:2: question: abstain is true, but there is an answer; want one of them")
	check("answers", aTurn+edit(aQuestion, `"evidence"`, `"answers":["a"," "],"evidence"`)+edit(aQuestion, `"evidence"`, `"answers":"a","evidence"`)+
		edit(aQuestion, `"answer":"A"`, `"abstain":true,"answers":["A"]`),
		"1.jsonl:2: question: an answer is empty",
		"1.jsonl:3: question: answers: want an array, have a string",
		"1.jsonl:4: question: abstain is true, but there is an answer; want one of them")
	check("labels", aTurn+edit(aQuestion, `"evidence"`, `"labels":{"category":"x","b":""},"evidence"`)+edit(aQuestion, `"evidence"`, `"labels":[],"evidence"`),
		"1.jsonl:2: question: labels: a label has no name or no value",
		"1.jsonl:2: question: labels: category cannot be a label; use the question's field category",
		"1.jsonl:3: question: labels: want an object, have an array")
	entities := func(text string) string { return edit(aQuestion, `"evidence"`, `"entities":`+text+`,"evidence"`) }
	check("entities", aTurn+entities(`{}`)+entities(`[3,{"id":"E1","names":["a"],"kind":"x"},{"names":"a"}]`)+
		entities(`[{"id":"E1","names":[]},{"id":"E1","names":["a"]}]`),
		"1.jsonl:2: question: entities: want an array, have an object",
		"1.jsonl:3: question: entities[0]: want an object, have a number",
		`1.jsonl:3: question: entities[1]: unknown field "kind"; have id, names, mentions`,
		`1.jsonl:3: question: entities[2]: "id" is missing, want a string`,
		"1.jsonl:3: question: entities[2].names: want an array, have a string",
		"1.jsonl:4: question: entities[0]: names is empty or contains an empty name, want at least one name",
		`1.jsonl:4: question: entities[1]: id "E1" is already that of another entity of the question`)
	mentions := func(text string) string { return entities(`[{"id":"E1","names":["a"],"mentions":` + text + `}]`) }
	check("mentions", aTurn+mentions(`7`)+mentions(`[1,{"start":1.5,"end":2},{"turn":"t1","start":0}]`)+mentions(`[{"start":-1,"end":2},{"start":2,"end":2}]`),
		"1.jsonl:2: question: entities[0].mentions: want an array, have a number",
		"1.jsonl:3: question: entities[0].mentions[0]: want an object, have a number",
		"1.jsonl:3: question: entities[0].mentions[1].start: want an integer, have 1.5",
		`1.jsonl:3: question: entities[0].mentions[2]: "end" is missing, want a number`,
		"1.jsonl:4: question: entities[0]: start -1 and end 2 are not a range, want 0 <= start < end",
		"1.jsonl:4: question: entities[0]: start 2 and end 2 are not a range, want 0 <= start < end")
	check("places of mentions", edit(aTurn, "Hi", "Hé")+
		mentions(`[{"turn":"t2","start":0,"end":1},{"turn":"t1","start":0,"end":4},{"turn":"t1","start":0,"end":2},{"start":0,"end":5}]`),
		`1.jsonl:2: question: entity "E1" is mentioned in "t2", but conversation "s" has no such turn`,
		`1.jsonl:2: question: entity "E1": mention ends at byte 4 of turn t1, which has 3`,
		`1.jsonl:2: question: entity "E1": mention from byte 0 to 2 of turn t1 begins or ends within a character`,
		`1.jsonl:2: question: entity "E1": mention ends at byte 5 of the question, which has 4`)
	check("evidence of no turn", aTurn+edit(aQuestion, `["t1"]`, `["t2"]`), `1.jsonl:2: question: the evidence names turn "t2", which conversation "s" does not have`)
	check("long line", aTurn+aQuestion+strings.Repeat(" ", MaxLine)+"\n"+aTurn,
		"1.jsonl:3: the line is longer than 1 MiB; the lines after it were not read")
	lines := strings.Split(strings.TrimSpace(strings.Repeat("1.jsonl:N: want an object, have a number\n", 20)), "\n")
	for i := range lines {
		lines[i] = strings.Replace(lines[i], "N", strconv.Itoa(i+1), 1)
	}
	check("many", strings.Repeat("7\n", 50)+aTurn+aQuestion, append(lines, "1.jsonl: and 30 more faults")...)
}

func TestFiles(t *testing.T) {
	dir := try.Files(t, map[string]string{"a.jsonl": aTurn, "b.jsonl": aQuestion, "b2.jsonl": aQuestion + "\n", "c.jsonl": aTurn + aQuestion})
	a := filepath.Join(dir, "a.jsonl")
	open := func(files ...string) (*datasets.Set, error) {
		return Spec.Open(t.Context(), datasets.Env{Base: dir}, Options{Files: files})
	}
	both := try.Get(open(a, "b.jsonl"))(t)
	one := try.Get(open("c.jsonl"))(t)
	if diff := cmp.Diff(one, both, cmpopts.IgnoreUnexported(datasets.Set{}), cmpopts.IgnoreFields(datasets.Set{}, "SHA256", "Version")); diff != "" {
		t.Errorf("one file and two differ (-one +two):\n%s", diff)
	}
	if one.SHA256 == both.SHA256 {
		t.Error("one file and two have the same hash")
	}
	if changed, err := open(a, "b2.jsonl"); err != nil || changed.SHA256 == both.SHA256 {
		t.Errorf("a changed file leaves the hash as it was: %v", err)
	}
	check := func(want string, files ...string) {
		t.Helper()
		if _, err := open(files...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", files, err, want)
		}
	}
	check("files is empty")
	check(`files has "x" twice`, "x", "x")
	check("files has an empty name", "", a)
	check("is a folder, want a file", ".")
	if _, err := open("none.jsonl"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	check("a.jsonl.gz: is packed; unpack it first", "a.jsonl.gz")
}

// TestCategories reads names of categories by the vocabulary of the options.
func TestCategories(t *testing.T) {
	var questions strings.Builder
	for i, category := range []string{"Multi-Hop", "5", ""} {
		if category != "" {
			category = fmt.Sprintf(`, "category": %q`, category)
		}
		fmt.Fprintf(&questions, `{"type": "question", "sample": "s", "question": "Who is %d?", "answer": "Jo"%s}`+"\n", i, category)
	}
	dir := try.Files(t, map[string]string{
		"a.jsonl":  `{"type": "turn", "sample": "s", "session": "1", "speaker": "Ann", "text": "I am Jo."}` + "\n" + questions.String(),
		"map.yaml": "multi hop: when\n", "other.yaml": "billing: 1\n",
	})
	for _, c := range []struct{ vocabulary, want, setting, fault string }{
		{"", "Multi-Hop 5 uncategorised", "", ""},
		{"locomo", "1 5 uncategorised", "locomo", ""},
		{"mem0", "3 5 uncategorised", "mem0", ""},
		{"map.yaml", "when 5 uncategorised", "multi hop: when", ""},
		{"other.yaml", "", "", `a.jsonl:2: question: category "Multi-Hop" is not in ` + filepath.Join(dir, "other.yaml") + ", which has billing"},
		{"memo", "", "", `jsonl: categories: unknown map of categories`},
	} {
		set, err := Spec.Open(t.Context(), datasets.Env{Base: dir}, Options{Files: []string{"a.jsonl"}, Categories: c.vocabulary})
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: error is %v, want %q in it", c.vocabulary, err, c.fault)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", c.vocabulary, err)
		}
		var got []string
		for _, r := range try.All(t, set.All(t.Context()))[0].Requests {
			gold, _ := set.Gold("s", r.ID)
			got = append(got, gold.Category)
		}
		if strings.Join(got, " ") != c.want || set.Settings["categories"] != c.setting {
			t.Errorf("%s: categories are %q with the settings %v, want %s", c.vocabulary, got, set.Settings, c.want)
		}
	}
}

// TestScattered loads samples whose lines stand between those of others, in two
// files, as if they stood together.
func TestScattered(t *testing.T) {
	turn := func(sample string, n int) string {
		return fmt.Sprintf(`{"type":"turn","sample":%q,"session":"1","speaker":"A","text":"%s says %d"}`, sample, sample, n) + "\r\n"
	}
	ask := func(sample string) string {
		return fmt.Sprintf(`{"type":"question","sample":%q,"question":"Who?","answer":"A","entities":[{"id":"E","names":["A"],"mentions":[{"turn":"1:2","start":0,"end":1}]}]}`, sample) + "\n\n"
	}
	together := try.Get(parse(t, turn("a", 1)+turn("a", 2)+turn("a", 3)+ask("a")+turn("b", 1)+turn("b", 2)+ask("b")))(t)
	want := try.All(t, together.All(t.Context()))
	scattered := try.Get(parse(t, "\ufeff"+turn("a", 1)+ask("b")+turn("a", 2)+turn("b", 1), "\n"+ask("a")+turn("b", 2)+"\n"+turn("a", 3)))(t)
	if diff := cmp.Diff(want, try.All(t, scattered.All(t.Context()))); diff != "" {
		t.Errorf("samples differ (-together +scattered):\n%s", diff)
	}
	for _, set := range []*datasets.Set{together, scattered} {
		g, _ := set.Gold("b", "q1")
		if len(g.History) != 1 || g.History[0].Text != "b says 2" {
			t.Errorf("the history of gold is %v, want the turn that is mentioned", g.History)
		}
	}
}

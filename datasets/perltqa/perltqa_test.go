package perltqa_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/datasets/perltqa"
	"recallbench/internal/testkit/try"
)

// memories has one of each thing that the format has, and what is known to be
// odd in the release.
const memories = `{
"Ada Li": {
  "profile": {"Protagonist": "Ada Li", "Age": 28, "Gender": "female ", "Title": ""},
  "profile_description": "**Protagonist: Ada Li**\n\nAda Li is a chemist.",
  "social_relationship": "{'1_0': {'Supporting Characters': 'Bo Wu', 'Description': \"Ada Li's brother\", 'Relationship': 'brother'}}",
  "events": {
    "1_0_0": {"content": "They flew a kite.", "summary": "A kite", "Characters": ["1_0"], "Creation Time": "May 12, 2022", "Last Accessed Time": "", "Theme": "kites"},
    "1_0_1": {"content": "Bo&#39;s exam!", "summary": "", "Characters": ["1_0"], "Creation Time": "October 2021", "Last Accessed Time": "", "Theme": ""},
    "1_0_2": {"content": "They voted.", "summary": "A vote", "Creation Time": "during an election"},
    "1_0_3": {"content": "It rained.", "summary": "Rain.", "Creation Time": "May 10, 2022"}
  },
  "dialogues": {
    "1_0_0#0": {"events": "1_0_0", "contents": {"2022-05-12 10:00": ["Bo Wu: Look: a kite!", "Ada Li:", "Ada Li:Nice.", "Bo Wu：Yes.", "The wind drops."]}},
    "1_0_1#1": {"events": "1_0_1", "contents": {"2021-10-15 10:00": ["Bo Wu: I passed."]}}
  }
},
"Bo Wu": {
  "profile": {"Protagonist": "Bo Wu"}, "profile_description": "Bo.", "social_relationship": {}, "events": {}, "dialogues": {}
}
}`

const questions = `[
{"Ada Li": {
  "profile": [
    {"Question": "What gender is Ada Li?", "Answer": "Female.", "Reference Memory": "Gender", "Memory Anchors": [{"female": [-1, -1]}]},
    {"Question": "How old is she?", "Answer": 28, "Reference Memory": "Age", "Memory Anchors": 7}
  ],
  "social_relationship": [{"1_0": [{"Question": "Who is Bo Wu?", "Answer": "Her brother.", "Reference Memory": "['1_0']", "Memory Anchors": []}]}],
  "events": [
    {"1_0_0": [
      {"Question": "What did they fly?", "Answer": "A kite.", "Reference Memory": "['1_0_0']"},
      {"Question": "What did they fly?", "Answer": "A kite.", "Reference Memory": "['1_0_0', '1_0_3']"}
    ]},
    {"1_9_9": [{"Question": "What was lost?", "Answer": "A shoe.", "Reference Memory": "['1_9_9']"}]}
  ],
  "dialogues": [{"1_0_0#0": [
    {"Question": "What did Bo say?", "Answer": "Look.", "Reference Memory": "[1_0_0#0]"},
    {"Question": "And then?", "Answer": "Yes."}
  ]}]
}},
{"dragon beautiful": {"profile": [{"Question": "Who?", "Answer": "No one.", "Reference Memory": "Title"}], "social_relationship": [], "events": [], "dialogues": []}}
]`

func read(t *testing.T, memory, asked string, change func(*perltqa.Options)) (*datasets.Set, error) {
	t.Helper()
	t.Chdir(try.Files(t, map[string]string{"m.json": memory, "q.json": asked}))
	o := options(change)
	o.MemoryPath, o.QuestionsPath = "m.json", "q.json"
	return perltqa.Spec.Open(t.Context(), datasets.Env{}, o)
}

// wanted is the sample that the files above make.
func wanted() []datasets.Sample {
	at := func(y, m, d, h int) time.Time { return time.Date(y, time.Month(m), d, h, 0, 0, 0, time.UTC) }
	ada := func(id, text string, at time.Time) datasets.Turn {
		return datasets.Turn{ID: id, Speaker: "Ada Li", Text: text, Time: at}
	}
	bo := func(id, text string, at time.Time) datasets.Turn {
		return datasets.Turn{ID: id, Speaker: "Bo Wu", Text: text, Time: at}
	}
	session := func(id string, turns ...datasets.Turn) datasets.Session {
		return datasets.Session{ID: id, Time: turns[0].Time, Turns: turns}
	}
	var none time.Time
	october, tenth, twelfth, ten := at(2021, 10, 15, 10), at(2022, 5, 10, 0), at(2022, 5, 12, 0), at(2022, 5, 12, 10)
	return []datasets.Sample{{
		ID:       "Ada Li",
		Speakers: []string{"Ada Li", "Bo Wu"},
		Sessions: []datasets.Session{
			session("profile",
				ada("profile/Protagonist", "Protagonist: Ada Li", none),
				ada("profile/Age", "Age: 28", none),
				ada("profile/Gender", "Gender: female", none),
				ada("profile_description", "**Protagonist: Ada Li**\n\nAda Li is a chemist.", none)),
			session("social_relationship", ada("1_0", "Supporting Characters: Bo Wu; Relationship: brother; Description: Ada Li's brother", none)),
			session("1_0_2", ada("1_0_2", "Creation Time: during an election. A vote. They voted.", none)),
			session("1_0_1", ada("1_0_1", "Creation Time: October 2021. Bo's exam!", none)),
			session("1_0_1#1", bo("1_0_1#1/1", "I passed.", october)),
			session("1_0_3", ada("1_0_3", "Creation Time: May 10, 2022. Rain. It rained.", tenth)),
			session("1_0_0", ada("1_0_0", "Creation Time: May 12, 2022. A kite. They flew a kite.", twelfth)),
			session("1_0_0#0",
				bo("1_0_0#0/1", "Look: a kite!", ten),
				ada("1_0_0#0/3", "Nice.", ten),
				bo("1_0_0#0/4", "Yes.", ten),
				ada("1_0_0#0/5", "The wind drops.", ten)),
		},
		Requests: []datasets.Request{
			{ID: "q0", Text: "What gender is Ada Li?"},
			{ID: "q1", Text: "How old is she?"},
			{ID: "q2", Text: "Who is Bo Wu?"},
			{ID: "q3", Text: "What did they fly?"},
			{ID: "q4", Text: "What did they fly?"},
			{ID: "q5", Text: "What was lost?"},
			{ID: "q6", Text: "What did Bo say?"},
			{ID: "q7", Text: "And then?"},
		},
	}}
}

func TestParse(t *testing.T) {
	set := try.Get(read(t, memories, questions, nil))(t)
	try.Equal(t, "samples differ", wanted(), try.All(t, set.All(t.Context())))
	gold := make(map[string]datasets.Gold)
	for _, r := range try.All(t, set.All(t.Context()))[0].Requests {
		gold[r.ID], _ = set.Gold("Ada Li", r.ID)
	}
	found, missing := map[string]string{"reference": "found"}, map[string]string{"reference": "missing"}
	lines := []string{"1_0_0#0/1", "1_0_0#0/3", "1_0_0#0/4", "1_0_0#0/5"}
	wantGold := map[string]datasets.Gold{
		"q0": {Category: "profile", Answer: "Female.", Evidence: []string{"profile/Gender"}, Labels: found},
		"q1": {Category: "profile", Answer: "28", Evidence: []string{"profile/Age"}, Labels: found},
		"q2": {Category: "social_relationship", Answer: "Her brother.", Evidence: []string{"1_0"}, Labels: found},
		"q3": {Category: "events", Answer: "A kite.", Evidence: []string{"1_0_0"}, Labels: found},
		"q4": {Category: "events", Answer: "A kite.", Evidence: []string{"1_0_0", "1_0_3"}, Labels: found},
		"q5": {Category: "events", Answer: "A shoe.", Labels: missing},
		"q6": {Category: "dialogues", Answer: "Look.", Evidence: lines, Labels: found},
		"q7": {Category: "dialogues", Answer: "Yes.", Evidence: lines, Labels: found},
	}
	try.Equal(t, "gold differs", wantGold, gold)
	want := []string{
		"1 white space at an end of the text; removed: Ada Li: profile.Gender",
		"1 field of a profile is empty; left out: Ada Li: profile.Title",
		"1 value is a string with a Python literal; parsed: Ada Li: social_relationship",
		"1 text has HTML entities; decoded: Ada Li: events.1_0_1.content",
		`1 time of an event has no day; kept in its text and for sorting: Ada Li: events.1_0_1.Creation Time "October 2021"`,
		`1 time of an event is not a date; kept in its text only: Ada Li: events.1_0_2.Creation Time "during an election"`,
		"1 line of a dialogue is empty; left out: Ada Li: dialogues.1_0_0#0.contents.2022-05-12 10:00[1]",
		"1 line of a dialogue has no speaker; attributed to the character: Ada Li: dialogues.1_0_0#0.contents.2022-05-12 10:00[4]",
		"3 section of a memory is empty: Bo Wu: social_relationship, Bo Wu: events, Bo Wu: dialogues",
		`1 question names another memory than its group; the named one is used: Ada Li: events[0].1_0_0[1] "1_0_0, 1_0_3"`,
		"1 question is asked a second time; kept: Ada Li: events[0].1_0_0[1]",
		`1 question names a missing memory: Ada Li: events[1].1_9_9[0] "1_9_9"`,
		"1 question has no reference; that of its group is used: Ada Li: dialogues[0].1_0_0#0[1]",
		"1 question is about a character without a memory; left out: profile: dragon beautiful: profile[0]",
	}
	try.Equal(t, "warnings differ", want, warnings(set))
	const all = "profile,social_relationship,events,dialogues"
	if want := map[string]string{"sections": all, "unresolved": "ask"}; !cmp.Equal(want, set.Settings) {
		t.Errorf("settings %v, want %v", set.Settings, want)
	}
	if set.Version != "sha256:"+set.SHA256[:12] {
		t.Errorf("version %q does not name the hash %s", set.Version, set.SHA256)
	}
}

// warnings prints the warnings of a set.
func warnings(set *datasets.Set) []string {
	var lines []string
	for _, w := range set.Warnings {
		lines = append(lines, strings.Join([]string{string(rune('0' + w.Count)), w.What + ": " + strings.Join(w.Where, ", ")}, " "))
	}
	return lines
}

// TestOddValues reads values that are no strings where a text stands.
func TestOddValues(t *testing.T) {
	check := func(value, want string) {
		t.Helper()
		set, err := read(t, strings.Replace(memories, `"Age": 28`, `"Age": `+value, 1), questions, nil)
		if err != nil {
			t.Errorf("%s: %v", value, err)
			return
		}
		if got := try.All(t, set.All(t.Context()))[0].Sessions[0].Turns[1].Text; got != want {
			t.Errorf("%s is read as %q, want %q", value, got, want)
		}
	}
	check(`28.5`, "Age: 28.5")
	check(`true`, "Age: true")
	check(`["a", 1, null]`, "Age: a, 1")
	check(`{"Award": ["a medal", "a cup"], "None": null, "Role Model": "Marie Curie"}`, "Age: Award: a medal, a cup; Role Model: Marie Curie")
	check(`null`, "Gender: female")
}

// TestWhen has the times of events, which are free text.
func TestWhen(t *testing.T) {
	check := func(text, exact string, place int) {
		t.Helper()
		memory := strings.Replace(memories, `"May 10, 2022"`, `"`+text+`"`, 1)
		set, err := read(t, memory, questions, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for i, s := range try.All(t, set.All(t.Context()))[0].Sessions {
			if s.ID != "1_0_3" {
				continue
			}
			got := ""
			if !s.Time.IsZero() {
				got = s.Time.Format("2006-01-02 15:04")
			}
			if got != exact || i != place {
				t.Errorf("%q is at %q in place %d, want %q in place %d", text, got, i, exact, place)
			}
			if want := "Creation Time: " + text + ". "; text != "" && !strings.HasPrefix(s.Turns[0].Text, want) {
				t.Errorf("%q: the text is %q, want %q first", text, s.Turns[0].Text, want)
			}
		}
	}
	// The others are, from place 2: no date, October 2021, 15 October 2021, 12
	// May 2022 and the same at ten.
	check("May 12, 2022", "2022-05-12 00:00", 6)
	check("12 May 2022", "2022-05-12 00:00", 6)
	check("May 1st, 2023", "2023-05-01 00:00", 7)
	check("2022-05-12 09:30", "2022-05-12 09:30", 6)
	check("2022-05-13", "2022-05-13 00:00", 7)
	check("May 2022", "", 5)
	check("2022", "", 5)
	check("1961", "", 3)
	check("in the spring of 2023", "", 7)
	check("around May 12, 2022", "", 6)
	check("during a war", "", 3)
	check("0000-01-01", "", 3)
	check("last week", "", 3)
	check("", "", 3)
}

func TestSelection(t *testing.T) {
	check := func(name string, change func(*perltqa.Options), want string) {
		t.Helper()
		set, err := read(t, memories, questions, change)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		var got []string
		for _, r := range try.All(t, set.All(t.Context()))[0].Requests {
			g, _ := set.Gold("Ada Li", r.ID)
			got = append(got, r.ID+"="+strings.Join(g.Evidence, "+"))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: asks %s, want %s", name, got, want)
		}
	}
	check("one section", func(o *perltqa.Options) { o.Sections = []perltqa.Section{perltqa.Relationships} }, "q2=1_0")
	check("two", func(o *perltqa.Options) { o.Sections = []perltqa.Section{perltqa.Relationships, perltqa.Profile} },
		"q0=profile/Gender q1=profile/Age q2=1_0")
	check("drop", func(o *perltqa.Options) {
		o.Sections, o.Unresolved = []perltqa.Section{perltqa.Events}, perltqa.Drop
	}, "q3=1_0_0 q4=1_0_0+1_0_3")
	check("some", func(o *perltqa.Options) { o.MaxQuestions = 3 }, "q0=profile/Gender q2=1_0 q5=")

	// What is left out is not warned of.
	set, err := read(t, memories, questions, func(o *perltqa.Options) {
		o.Sections = []perltqa.Section{perltqa.Relationships}
	})
	try.Do(t, err)
	for _, w := range warnings(set) {
		if strings.Contains(w, "question") {
			t.Errorf("warned of what is left out: %s", w)
		}
	}
}

func TestOptions(t *testing.T) {
	check := func(change func(*perltqa.Options), want string) {
		t.Helper()
		if _, err := read(t, memories, questions, change); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	check(func(o *perltqa.Options) {
		o.Sections = []perltqa.Section{"event", perltqa.Events, perltqa.Events}
		o.MaxQuestions = -1
	}, `perltqa: sections: unknown value "event"; did you mean "events"? have profile, social_relationship, events, dialogues
sections has "events" twice
max_questions is -1, want 0 for all or more`)
	if _, err := read(t, memories, strings.Replace(questions, "Ada Li", "Ada", 1), nil); err == nil ||
		err.Error() != "q.json: no question is left: no character with a memory has one of sections profile,social_relationship,events,dialogues" {
		t.Errorf("nothing in common: %v", err)
	}
}

func TestFaults(t *testing.T) {
	check := func(name, from, to string, want ...string) {
		t.Helper()
		replace := strings.NewReplacer(from, to)
		memory, asked := replace.Replace(memories), replace.Replace(questions)
		if memory == memories && asked == questions {
			t.Fatalf("%s: the data has no %s", name, from)
		}
		_, err := read(t, memory, asked, nil)
		if err == nil {
			t.Errorf("%s: no error", name)
			return
		}
		if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
			t.Errorf("%s: error differs (-want +got):\n%s", name, diff)
		}
	}
	check("no character", questions, "[]", "q.json:1: it has no character")
	check("a name", `"Bo Wu": {`, `" \u0000": {`, "m.json:17:   : the name of the character is \"\\x00\", want one line of 1 to 200 bytes")
	check("two blocks", "dragon beautiful", "Ada Li", `q.json:20: [1].Ada Li: "Ada Li" is already the name of another character`)
	check("two memories", `"1_0_3": {`, `"1_0": {`, `m.json:10: Ada Li: events.1_0: "1_0" is already the id of another memory`)
	check("no contents", `"contents": {"2021-10-15 10:00": ["Bo Wu: I passed."]}`, `"content": {}`, `m.json:14: Ada Li: dialogues.1_0_1#1: "contents" is missing, want a value`)
	check("a literal", `'1_0': {'Supp`, `'1_0': set('Supp`, `m.json:5: Ada Li: social_relationship: the string is not a Python literal: invalid character 's' at start of value`)
	check("a key of a literal", `'1_0': {'Supporting`, `1: {'Supporting`, "m.json:5: Ada Li: social_relationship: the string is not a Python literal: object member name must be a string")
	check("keys of a literal", `'Description': \"`, `'Relationship': \"`, `m.json:5: Ada Li: social_relationship: the string is not a Python literal: field "Relationship" comes twice in one object`)
	long := strings.Repeat("x", 1<<20)
	const tail = `", want one line of 1 to 200 bytes`
	check("a long name", `"1_0_1#1"`, `"`+long+`"`, "m.json:14: Ada Li: dialogues."+long[:282]+"…"+long[:300-len(tail)]+tail)
}

func TestOpen(t *testing.T) {
	const folder = "perltqa/"
	half := map[string]string{folder + "perltmem_en_v2.sample.json": memories}
	sample := map[string]string{folder + "perltmem_en_v2.sample.json": memories, folder + "perltqa_en_v2.sample.json": questions}
	whole := map[string]string{folder + "perltmem_en_v2.json": memories, folder + "perltqa_en_v2.json": questions, "own/mine.json": questions}
	open := func(env datasets.Env, memory, asked string) (*datasets.Set, error) {
		return perltqa.Spec.Open(t.Context(), env, options(func(o *perltqa.Options) { o.MemoryPath, o.QuestionsPath = memory, asked }))
	}
	fails := func(name string, err error, want ...string) {
		t.Helper()
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: error %v, want %q", name, err, w)
			}
		}
	}
	_, err := open(datasets.Env{Dir: t.TempDir()}, "", "")
	fails("no files", err, "perltmem_en_v2.json: file does not exist", "perltqa_en_v2.json: file does not exist", "https://raw.githubusercontent.com/", "memory_path")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no files: %v does not wrap fs.ErrNotExist", err)
	}
	if _, err := open(datasets.Env{}, "", ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}

	_, err = open(datasets.Env{Dir: try.Files(t, half)}, "", "")
	fails("half a sample", err, "perltqa_en_v2.json: file does not exist")
	set := try.Get(open(datasets.Env{Dir: try.Files(t, sample)}, "", ""))(t)
	if set.Version != "sample sha256:"+set.SHA256[:12] || set.Warnings[0].What != "file is a sample of the release; not comparable with published scores" {
		t.Errorf("the sample has version %q and the first warning %v", set.Version, set.Warnings[0])
	}

	dir := try.Files(t, whole)
	for _, c := range []struct {
		env           datasets.Env
		memory, asked string
	}{
		{datasets.Env{Dir: dir}, "", ""},
		{datasets.Env{Dir: dir, Base: filepath.Join(dir, "own")}, "", "mine.json"},
		{datasets.Env{}, filepath.Join(dir, "perltqa", "perltmem_en_v2.json"), filepath.Join(dir, "own", "mine.json")},
	} {
		if set, err := open(c.env, c.memory, c.asked); err != nil || len(try.All(t, set.All(t.Context()))) != 1 || set.Version != "sha256:"+set.SHA256[:12] {
			t.Errorf("%q, %q: %v", c.memory, c.asked, err)
		}
	}
	_, err = open(datasets.Env{Base: dir}, "none.json", "own")
	fails("wrong paths", err, "none.json: no such file", "own: is a folder, want a file")
	if strings.Contains(err.Error(), "https:") {
		t.Errorf("wrong paths: %v tells where the release is", err)
	}
	if err := os.Truncate(filepath.Join(dir, "own", "mine.json"), 2<<30); err != nil { // sparse: takes no room
		t.Fatal(err)
	}
	_, err = open(datasets.Env{Dir: dir, Base: dir}, "", "own/mine.json")
	fails("2 GB", err, "larger than 64 MiB")
}

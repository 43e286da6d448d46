package locomo_test

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
	"recallbench/datasets/locomo"
	"recallbench/internal/testkit/try"
)

// small is a conversation with one of each thing that the format has.
const small = `[{
"sample_id": "c1",
"conversation": {
  "speaker_a": "Ada", "speaker_b": "Bo",
  "session_1_date_time": "1:56 pm on 8 May, 2023",
  "session_1": [
    {"speaker": "Ada", "dia_id": "D1:1", "text": "Hi Bo! "},
    {"speaker": "Bo", "dia_id": "D1:2", "text": "Look:", "img_url": ["http://x/y.jpg"], "blip_caption": "a red kite", "query": "kite", "re-download": true}
  ],
  "session_2_date_time": "12:06 am on 11 November, 2023",
  "session_2": [
    {"speaker": "Bo", "dia_id": "D2:1", "text": "It broke last week."}
  ],
  "session_3_date_time": "1:00 pm on 12 November, 2023"
},
"qa": [
  {"question": "What did Bo fly?", "answer": "a kite", "evidence": ["D1:2"], "category": 4},
  {"question": "In which year?", "answer": 2023, "evidence": ["D:1:2; D2:01", "D9:9", "D", "D1:2"], "category": 2},
  {"question": "What did Ada fly?", "adversarial_answer": "a kite", "evidence": ["D1:2"], "category": 5},
  {"question": "Is Bo clumsy?", "answer": "perhaps", "evidence": [], "category": 3}
],
"event_summary": {}, "observation": {}, "session_summary": {}
}]`

func options(change func(*locomo.Options)) locomo.Options {
	o := locomo.Spec.Options.(locomo.Options)
	if change != nil {
		change(&o)
	}
	return o
}

func TestParse(t *testing.T) {
	set := try.Get(locomo.Parse("small.json", []byte(small), all))(t)
	first := time.Date(2023, 5, 8, 13, 56, 0, 0, time.UTC)
	second := time.Date(2023, 11, 11, 0, 6, 0, 0, time.UTC)
	want := []datasets.Sample{{
		ID:       "c1",
		Speakers: []string{"Ada", "Bo"},
		Sessions: []datasets.Session{
			{ID: "session_1", Time: first, Turns: []datasets.Turn{
				{ID: "D1:1", Speaker: "Ada", Text: "Hi Bo!", Time: first},
				{ID: "D1:2", Speaker: "Bo", Text: "Look:", Time: first, Image: &datasets.Image{
					URL: "http://x/y.jpg", Caption: "a red kite", Query: "kite",
				}},
			}},
			{ID: "session_2", Time: second, Turns: []datasets.Turn{
				{ID: "D2:1", Speaker: "Bo", Text: "It broke last week.", Time: second},
			}},
		},
		Requests: []datasets.Request{
			{ID: "q0", Text: "What did Bo fly?"},
			{ID: "q1", Text: "In which year?"},
			{ID: "q2", Text: "What did Ada fly?"},
			{ID: "q3", Text: "Is Bo clumsy?"},
		},
	}}
	try.Equal(t, "samples differ", want, try.All(t, set.All(t.Context())))
	gold := make(map[string]datasets.Gold)
	for _, r := range try.All(t, set.All(t.Context()))[0].Requests {
		gold[r.ID], _ = set.Gold("c1", r.ID)
	}
	wantGold := map[string]datasets.Gold{
		"q0": {Category: "4", Answer: "a kite", Evidence: []string{"D1:2"}},
		"q1": {Category: "2", Answer: "2023", Evidence: []string{"D1:2", "D2:1"}},
		"q2": {Category: "5", Evidence: []string{"D1:2"}, Abstain: true, Lure: "a kite"},
		"q3": {Category: "3", Answer: "perhaps"},
	}
	try.Equal(t, "gold differs", wantGold, gold)
	wantWarnings := []datasets.Warning{
		{What: "white space at an end of the text; removed", Count: 1, Where: []string{"c1: session_1[0].text"}},
		{What: "date of a session that is missing; ignored", Count: 1, Where: []string{"c1: session_3_date_time"}},
		{What: "answer is a number; taken as its digits", Count: 1, Where: []string{"c1: qa[1]"}},
		{What: "evidence is not a single turn id; the ids in it are used", Count: 1, Where: []string{`c1: qa[1].evidence[0] "D:1:2; D2:01"`}},
		{What: "evidence names no turn; left out", Count: 1, Where: []string{"c1: qa[1].evidence[1] D9:9"}},
		{What: "evidence has no turn id; left out", Count: 1, Where: []string{`c1: qa[1].evidence[2] "D"`}},
		{What: "evidence names a turn twice; counted once", Count: 1, Where: []string{"c1: qa[1].evidence[3] D1:2"}},
		{What: "question has no evidence", Count: 1, Where: []string{"c1: qa[3]"}},
	}
	try.Equal(t, "warnings differ", wantWarnings, set.Warnings, cmp.Transformer("sorted", sortedWarnings))
	if want := map[string]string{"categories": "1,2,3,4,5", "category5": "abstain"}; !cmp.Equal(want, set.Settings) {
		t.Errorf("settings %v, want %v", set.Settings, want)
	}
	if !strings.HasPrefix(set.SHA256, strings.TrimPrefix(set.Version, "sha256:")) {
		t.Errorf("version %q does not name the hash %s", set.Version, set.SHA256)
	}
}

func sortedWarnings(ws []datasets.Warning) map[string]datasets.Warning {
	m := make(map[string]datasets.Warning)
	for _, w := range ws {
		m[w.What] = w
	}
	return m
}

func TestSelection(t *testing.T) {
	two := strings.TrimSuffix(small, "]") + "," + strings.Replace(small[1:], `"c1"`, `"c2"`, 1)
	check := func(name string, o locomo.Options, want string) {
		t.Helper()
		set, err := locomo.Parse("two.json", []byte(two), o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		var got []string
		for _, s := range try.All(t, set.All(t.Context())) {
			for _, r := range s.Requests {
				got = append(got, s.ID+"/"+r.ID)
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s: asks %s, want %s", name, got, want)
		}
		if len(set.Categories) != len(o.Categories) {
			t.Errorf("%s: %d categories, want %d", name, len(set.Categories), len(o.Categories))
		}
	}
	check("default", options(nil), "c1/q0 c1/q1 c1/q3 c2/q0 c2/q1 c2/q3")
	check("one category", options(func(o *locomo.Options) { o.Categories = []int{2} }), "c1/q1 c2/q1")
	check("one conversation", options(func(o *locomo.Options) { o.Conversations = []string{"c2"} }), "c2/q0 c2/q1 c2/q3")
	check("adversarial", options(func(o *locomo.Options) {
		o.Categories, o.Category5 = []int{5}, locomo.Abstain
	}), "c1/q2 c2/q2")

	// What is left out is not warned of.
	set, err := locomo.Parse("two.json", []byte(two), options(func(o *locomo.Options) {
		o.Categories, o.Conversations = []int{4}, []string{"c2"}
	}))
	try.Do(t, err)
	for _, w := range set.Warnings {
		for _, where := range w.Where {
			if strings.HasPrefix(where, "c1") || strings.Contains(where, "qa[") {
				t.Errorf("warned of what is left out: %s: %s", where, w.What)
			}
		}
	}
}

func TestOptions(t *testing.T) {
	check := func(change func(*locomo.Options), want string) {
		t.Helper()
		_, err := locomo.Parse("small.json", []byte(small), options(change))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	check(func(o *locomo.Options) { o.Categories = nil }, "categories is empty")
	check(func(o *locomo.Options) { o.Categories = []int{1, 7, 1} },
		"categories: unknown value \"7\"; have 1, 2, 3, 4, 5\ncategories has \"1\" twice")
	check(func(o *locomo.Options) { o.Categories = []int{4, 5} },
		"categories has 5 but category5 is drop; leave 5 out, or set category5 to abstain")
	check(func(o *locomo.Options) { o.Category5 = locomo.Abstain },
		"category5 is abstain but categories has no 5; add 5, or set category5 to drop")
	check(func(o *locomo.Options) { o.Conversations = []string{"c1", "c1"} }, `conversations has "c1" twice`)
	check(func(o *locomo.Options) { o.Conversations = []string{"c9"} }, `small.json:1: unknown conversation "c9"; did you mean "c1"? have c1`)
	check(func(o *locomo.Options) { o.Categories = []int{1} },
		"small.json: no question is left: no conversation has one of categories 1")
}

func TestFaults(t *testing.T) {
	check := func(name, from, to string, want ...string) {
		t.Helper()
		if !strings.Contains(small, from) {
			t.Fatalf("%s: the conversation has no %s", name, from)
		}
		_, err := locomo.Parse("f.json", []byte(strings.ReplaceAll(small, from, to)), all)
		if err == nil {
			t.Errorf("%s: no error", name)
			return
		}
		if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
			t.Errorf("%s: error differs (-want +got):\n%s", name, diff)
		}
	}
	check("two samples", "}]", "},"+small[1:], `f.json:23: [1]: sample_id "c1" is already that of another conversation`)
	check("no conversation", `"conversation": {`, `"dialog": {`, `f.json:1: c1: "conversation" is missing, want a value`)
	check("no sessions", `"session_`, `"Session_`, "f.json:3: c1: there is no session; want session_1, session_2 and so on")
	check("no turns", small[strings.Index(small, `"speaker_a"`):strings.Index(small, `"qa"`)],
		`"speaker_a": "Ada", "speaker_b": "Bo", "session_1": []},`, "f.json:3: c1: no session has a turn")
	check("one speaker", `"speaker_b": "Bo"`, `"speaker_b": "Ada"`, `f.json:3: c1: speaker_b is "Ada", the same as speaker_a`)
	check("unknown speaker", `"speaker": "Bo", "dia_id": "D2:1"`, `"speaker": "Bob", "dia_id": "D2:1"`,
		`f.json:12: c1: session_2[0]: speaker is "Bob", want "Ada" or "Bo"`)
	check("date", "8 May, 2023", "2023-05-08",
		`f.json:5: c1: session_1_date_time: "1:56 pm on 2023-05-08" is not a date in the expected format; want one like "1:56 pm on 8 May, 2023"`)
	check("order of dates", "11 November, 2023", "11 November, 2022", "f.json:10: c1: session_2_date_time: is before the date of a session before it")
	check("turn id", `"dia_id": "D1:1"`, `"dia_id": "1"`, `f.json:7: c1: session_1[0]: dia_id is "1", want one like "D1:2"`)
	check("two turns", `"dia_id": "D1:1"`, `"dia_id": "D1:2"`, `f.json:8: c1: session_1[1]: dia_id "D1:2" is already that of another turn`)
	check("category 6", `"category": 3`, `"category": 6`, "f.json:20: c1: qa[3]: category is 6, want 1, 2, 3, 4 or 5")
	check("no answer", `"answer": "perhaps", `, "", `f.json:20: c1: qa[3]: "answer" is missing, want a string`)
	check("blank answer", `"answer": "perhaps"`, `"answer": " "`, `f.json:20: c1: qa[3]: "answer" is empty`)
	check("several", `"D1:2"`, `7`,
		"f.json:17: c1: qa[0].evidence[0]: want a string, have a number",
		"f.json:18: c1: qa[1].evidence[3]: want a string, have a number",
		"f.json:19: c1: qa[2].evidence[0]: want a string, have a number",
		"f.json:8: c1: session_1[1].dia_id: want a string, have a number")
}

// TestTolerated has what is put right and warned of beyond the flaws of the
// release.
func TestTolerated(t *testing.T) {
	check := func(from, to, want string) {
		t.Helper()
		set, err := locomo.Parse("f.json", []byte(strings.Replace(small, from, to, 1)), all)
		if err != nil {
			t.Error(err)
			return
		}
		if count(set, want, "") == 0 {
			t.Errorf("no warning %q in %v", want, set.Warnings)
		}
	}
	check("In which year?", "What did Bo fly?", "question is asked a second time; kept")
	check(`"adversarial_answer": "a kite"`, `"adversarial_answer": "a kite", "answer": "No"`,
		"adversarial question has an answer; the gold answer is still an abstention")
	check("It broke", " It broke", "white space at an end of the text; removed")
	if set, err := locomo.Parse("f.json", []byte("\ufeff"+small), all); err != nil || len(try.All(t, set.All(t.Context()))) != 1 {
		t.Errorf("with a byte order mark: %v", err)
	}
}

func TestOpen(t *testing.T) {
	dir := try.Files(t, map[string]string{"locomo/locomo10.json": small, "own/mine.json": small, "big.json": ""})
	open := func(env datasets.Env, path string) (*datasets.Set, error) {
		return locomo.Spec.Open(t.Context(), env, options(func(o *locomo.Options) { o.Path = path }))
	}
	_, err := open(datasets.Env{Dir: t.TempDir()}, "")
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "bench data fetch locomo") {
		t.Errorf("no file: %v", err)
	}
	for _, c := range []struct {
		env  datasets.Env
		path string
	}{
		{datasets.Env{Dir: dir}, ""},
		{datasets.Env{Base: filepath.Join(dir, "own")}, "mine.json"},
		{datasets.Env{}, filepath.Join(dir, "own", "mine.json")},
	} {
		if set, err := open(c.env, c.path); err != nil || len(try.All(t, set.All(t.Context()))) != 1 {
			t.Errorf("path %q: %v", c.path, err)
		}
	}
	if _, err := open(datasets.Env{Base: dir}, "none.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such path: %v", err)
	}
	if _, err := open(datasets.Env{Base: dir}, "own"); err == nil || !strings.Contains(err.Error(), "is a folder, want a file") {
		t.Errorf("a folder: %v", err)
	}
	big := filepath.Join(dir, "big.json")
	if err := os.Truncate(big, 2<<30); err != nil { // sparse: takes no room
		t.Fatal(err)
	}
	if _, err := open(datasets.Env{}, big); err == nil || !strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("2 GB: %v", err)
	}
}

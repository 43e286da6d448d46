package errata_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/datasets/errata"
	"recallbench/internal/testkit/try"
)

const header = `{"errata":"recallbench-errata/1","name":"mine","dataset":"locomo","license":"CC0-1.0","source":"https://example.org"}`

func parse(t *testing.T, lines ...string) *errata.Overlay {
	t.Helper()
	o := try.Get(errata.Parse("mine.jsonl", []byte(strings.Join(append([]string{header}, lines...), "\n"))))(t)
	return o
}

// TestFaultsOfFile wants all faults of a file at once.
func TestFaultsOfFile(t *testing.T) {
	_, err := errata.Parse("mine.jsonl", []byte(`{"errata":"recallbench-errata/2","name":"my errata","dataset":"locomo","licence":"CC0-1.0","source":"x","data_sha256":["ab"]}

{"id":"a/q1","question":"Who?","action":"corect","answers":["Ann"]}
{"id":"a/q2","question":"Who?","action":"correct"}
{"id":"a/q3","question":"Who?","action":"exclude","answers":["Ann"]}
{"id":"a/q4","question":"Who?","action":"evidence"}
{"id":"a/q4","action":"exclude"}
{"id":"a/q5","question":"Who?","action":"exclude","evidnce":["D1:1"]}
[]
{"id":"a/q6"
`))
	want := `mine.jsonl:1: unknown field "licence"; did you mean "license"? have errata, name, version, dataset, data_sha256, license, source, attribution
mine.jsonl:1: "license" is missing, want a string
mine.jsonl:3: unknown action "corect"; did you mean "correct"? have correct, also, premise, unanswerable, exclude, evidence
mine.jsonl:4: the action correct has no answers, want one or more
mine.jsonl:5: the action exclude takes no answers; correct and also do
mine.jsonl:6: the action evidence has no evidence, want the ids of one or more turns
mine.jsonl:7: "question" is missing
mine.jsonl:8: unknown field "evidnce"; did you mean "evidence"? have id, question, gold, action, answers, kind, why, evidence, category, by, ref
mine.jsonl:9: want an object, have an array
mine.jsonl:10: column 14: unexpected end of JSON input; the file is cut off
mine.jsonl:7: a/q4 already has an entry, in line 6`
	if err == nil {
		t.Fatal("no error")
	}
	try.Equal(t, "faults differ", strings.Split(want, "\n"), strings.Split(err.Error(), "\n"))
	for file, want := range map[string]string{
		strings.Replace(header, "errata/1", "errata/2", 1):                  `mine.jsonl:1: errata is "recallbench-errata/2", want "recallbench-errata/1"`,
		strings.Replace(header, `"mine"`, `"my errata"`, 1):                 "mine.jsonl:1: name is \"my errata\", want at most 64 letters, digits, dots, hyphens and underscores, and neither dot nor hyphen first",
		strings.Replace(header, `"name"`, `"data_sha256":["ab"],"name"`, 1): `mine.jsonl:1: data_sha256 has "ab", want 64 hexadecimal digits in lower case`,
		"":                "mine.jsonl:1: the file is empty, want a header such as {\"errata\":\"recallbench-errata/1\", …}",
		header:            "mine.jsonl: has no entry",
		header + "\n\xff": "mine.jsonl:2: byte 0xff at offset 118 is not UTF-8; save the file as UTF-8",
	} {
		if _, err := errata.Parse("mine.jsonl", []byte(file)); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", file, err, want)
		}
	}
}

var questions = []errata.Question{
	{Sample: "a", Request: "q0", Text: "Where does Mia live?", Answer: "Bath", Turns: map[string]bool{"D1:1": true}},
	{Sample: "a", Request: "q1", Text: "When did  Mia go?", Answer: "2 May", Turns: map[string]bool{"D1:1": true}},
	{Sample: "a", Request: "q2", Text: "Why did Mia go?", Turns: map[string]bool{"D1:1": true}},
	{Sample: "b", Request: "q0", Text: "Who won?", Answer: "Tom"},
}

// TestFaultsOfMatching wants all faults of all overlays at once.
func TestFaultsOfMatching(t *testing.T) {
	mine := parse(
		t,
		`{"id":"a/q0","question":"where does MIA  live?","gold":"Bath","action":"correct","answers":["York"],"evidence":["D1:1"]}`,
		`{"id":"a/q1","question":"Where does Mia live?","action":"exclude"}`,
		`{"id":"a/q7","question":"Who won?","action":"exclude"}`,
		`{"id":"a/q2","question":"Why did Mia go?","action":"also","answers":["rain"],"evidence":["D2:1"]}`,
		`{"id":"b/q0","question":"Who won?","gold":"Tim","action":"exclude"}`,
	)
	other, err := errata.Parse("other.jsonl", []byte(strings.Replace(header, "mine", "other", 1)+"\n"+`{"id":"a/q0","question":"Where does Mia live?","action":"exclude"}`))
	try.Do(t, err)
	foreign, err := errata.Parse("foreign.jsonl", []byte(strings.Replace(header, `"locomo"`, `"perltqa"`, 1)+"\n"+`{"id":"a/q0","question":"Where does Mia live?","action":"exclude"}`))
	try.Do(t, err)
	data := errata.Data{Dataset: "locomo", Questions: questions}
	_, err = errata.Match(data, mine, other, foreign)
	if err == nil {
		t.Fatal("no error")
	}
	want := `mine.jsonl:3: a/q1: the question reads "When did  Mia go?" in the dataset, "Where does Mia live?" here
mine.jsonl:5: a/q2: the right answer is an abstention, to which also can add nothing; use correct to replace it
mine.jsonl:5: a/q2: conversation a has no turn D2:1, which is named as evidence
mine.jsonl:6: b/q0: the entry disputes "Tim", but the dataset's answer is "Tom": the entry is stale
other.jsonl:2: a/q0: mine.jsonl:2 already has an entry about it; remove one of them
foreign.jsonl:1: mine is about the dataset perltqa, not locomo`
	try.Equal(t, "faults differ", strings.Split(want, "\n"), strings.Split(err.Error(), "\n"))
}

// TestStale wants stale entries passed over where the option says so, and an unknown
// category refused.
func TestStale(t *testing.T) {
	mine := parse(
		t,
		`{"id":"a/q0","question":"Where does Mia live?","gold":"Leeds","action":"correct","answers":["York"]}`,
		`{"id":"a/q9","question":"Who?","action":"exclude"}`,
		`{"id":"b/q0","question":"Who won?","action":"correct","answers":["Ann"],"category":"2"}`,
	)
	match := func(o errata.Options, overlays ...*errata.Overlay) (errata.Matching, error) {
		return errata.Match(errata.Data{
			Dataset: "locomo", Questions: questions, Categories: []string{"1", "2"}, Options: o,
		}, overlays...)
	}
	m, err := match(errata.Options{Stale: errata.SkipStale}, mine, mine)
	want := []errata.Change{{Sample: "b", Request: "q0", Overlay: "mine", Action: errata.Correct, Answers: []string{"Ann"}, Category: "2"}}
	if diff := cmp.Diff(want, m.Changes); diff != "" || err != nil || len(m.Notes) != 3 {
		t.Errorf("stale entries passed over: error %v, notes %q (-want +got):\n%s", err, m.Notes, diff)
	}
	if got, want := m.Changes[0].Under(errata.Corrected), (errata.Ruling{Answers: []string{"Ann"}, Category: "2"}); !cmp.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if !m.Changes[0].Under(errata.Excluded).Out || !m.Changes[0].Under(errata.Lenient).Published {
		t.Error("a correction is out under excluded alone")
	}
	wrong := parse(t, `{"id":"b/q0","question":"Who won?","action":"exclude","category":"3"}`)
	if _, err := match(errata.Options{}, wrong); err == nil || !strings.Contains(err.Error(), `b/q0: unknown category "3"`) {
		t.Errorf("error %v", err)
	}
}

// TestLongMemEvalIssues wants the entries of the shipped overlay matched by the release's
// names, whatever the ids and the texts of the questions are.
func TestLongMemEvalIssues(t *testing.T) {
	o := try.Get(errata.Open(t.Context(), datasets.Env{}, "longmemeval-issues"))(t)
	d := errata.Data{Dataset: "longmemeval"}
	for i, e := range o.Entries {
		d.Questions = append(d.Questions, errata.Question{Sample: fmt.Sprint("s", i), Request: "q1", Name: e.ID, Text: "Which?", Answer: "15"})
	}
	m, err := errata.Match(d, o)
	if err != nil || len(m.Changes) != 7 || m.Changes[0].Sample != "s0" || m.Changes[6].Action != errata.Correct {
		t.Errorf("error %v, got %+v", err, m)
	}
	d.Questions[6].Answer = "11.6"
	if _, err := errata.Match(d, o); err == nil || err.Error() != `longmemeval-issues:8: 370a8ff4: the entry disputes "15", but the dataset's answer is "11.6": the entry is stale` {
		t.Errorf("error %v", err)
	}
	d.Questions = d.Questions[:6]
	if m, err := errata.Match(d, o); err != nil || !strings.Contains(strings.Join(m.Notes, "\n"), "1 entries are about questions that are not asked here, such as 370a8ff4") {
		t.Errorf("notes %q, error %v", m.Notes, err)
	}
}

func TestUnder(t *testing.T) {
	answers, evidence := []string{"York"}, []string{"D1:1"}
	published, out := errata.Ruling{Published: true}, errata.Ruling{Out: true}
	kept, lenient := errata.Ruling{Published: true, Evidence: evidence}, errata.Ruling{Published: true, Answers: answers, Evidence: evidence}
	for action, want := range map[errata.Action][]errata.Ruling{
		errata.Correct:      {published, out, {Answers: answers, Evidence: evidence}, lenient},
		errata.Also:         {published, out, lenient, lenient},
		errata.Premise:      {published, out, out, kept},
		errata.Unanswerable: {published, out, out, kept},
		errata.Exclude:      {published, out, out, kept},
		errata.Evidence:     {published, kept, kept, kept},
	} {
		c := errata.Change{Action: action, Evidence: evidence}
		if action == errata.Correct || action == errata.Also {
			c.Answers = answers
		}
		for i, k := range errata.Keys() {
			if diff := cmp.Diff(want[i], c.Under(k)); diff != "" {
				t.Errorf("%s under %s (-want +got):\n%s", action, k, diff)
			}
		}
	}
}

// TestHash wants the same hash of files that differ in white space alone.
func TestHash(t *testing.T) {
	const line = `{"id":"a/q1","question":"Who?","action":"exclude"}`
	one := parse(t, line)
	if two := parse(t, "", " "+strings.ReplaceAll(line, ",", ", ")+"\r"); two.SHA256 != one.SHA256 || len(one.SHA256) != 64 {
		t.Errorf("hashes %s and %s", one.SHA256, two.SHA256)
	}
	if three := parse(t, strings.Replace(line, "exclude", "premise", 1)); three.SHA256 == one.SHA256 {
		t.Error("another action has the same hash")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(header + "\n" + `{"id":"a/q1","question":"Who?","action":"correct","answers":["Ann"]}`))
	f.Add([]byte(`{"errata":`))
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := errata.Parse("f", data)
		if (o == nil) == (err == nil) {
			t.Fatalf("overlay %v, error %v", o, err)
		}
		if err == nil {
			_, _ = errata.Match(errata.Data{Dataset: o.Dataset, Questions: questions}, o)
		}
	})
}

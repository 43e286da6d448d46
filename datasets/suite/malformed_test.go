package suite_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/datasets/beam"
	"recallbench/datasets/dialogrel"
	"recallbench/datasets/errata"
	"recallbench/datasets/jsonl"
	"recallbench/datasets/locomo"
	"recallbench/datasets/longmemeval"
	"recallbench/datasets/multiwozlong"
	"recallbench/datasets/perltqa"
	"recallbench/datasets/personamem"
)

// A damaged dataset has files that are not as their layout says.
type damaged struct {
	spec    *datasets.Spec // nil for errata
	options any
	files   map[string]string
	want    []string // what the error says, a line each
}

const (
	oneConversation = `{"id": 1, "category": "Coding"}`
	overlayHeader   = `{"errata": "recallbench-errata/1", "name": "mine", "dataset": "locomo", "license": "CC0-1.0", "source": "here"}`
)

var damages = []damaged{
	{
		longmemeval.Spec,
		longmemeval.Options{Path: "f.json", Abstention: longmemeval.Ask},
		map[string]string{"f.json": `[
 {"question_id": "a", "question_type": 7, "question": "Why?", "answer": {}, "question_date": "2023/02/30 (Thu) 10:00", "haystack_dates": ["yesterday"], "haystack_session_ids": ["x"], "haystack_sessions": [[{"role": "user", "content": 4}]], "answer_session_ids": "x"},
 {"question_id": "a", "question_type": "multi-session", "question": "", "answer": "b", "question_date": "2023/02/28 (Tue) 10:00", "haystack_dates": [], "haystack_session_ids": [], "haystack_sessions": [], "answer_session_ids": []},
 7,
 {"question_id": "b", "question_type": "multi-session", "question": "Why?", "ans`},
		[]string{
			`f.json:2: a: question_type: want a string, have a number`,
			`f.json:2: a: answer is an object, want a string with an answer or an integer`,
			`f.json:2: a: question_date: the date is "2023/02/30 (Thu) 10:00", want one like "2023/05/30 (Tue) 23:17"`,
			`f.json:2: a: answer_session_ids: want an array, have a string`,
			`f.json:2: a: haystack_dates[0]: the date is "yesterday", want one like "2023/05/30 (Tue) 23:17"`,
			`f.json:2: a: haystack_sessions[0][0].content: want a string, have a number`,
			`f.json:3: a: "question" is empty`,
			`f.json:3: a: haystack_sessions: no session has a turn`,
			`f.json:3: a: question_id is already that of the question in line 2`,
			`f.json:4: question: want an object, have a number`,
			`f.json:5: offset 586: unexpected end of JSON input; the file is cut off`,
		},
	},
	{beam.Spec, beam.Options{Path: ".", Sizes: []string{"100K"}, Chat: beam.Full, Markers: beam.Keep}, map[string]string{
		"100K/1/chat.json": `[{"turns": [[{"role": "tool", "id": 0, "time_anchor": "May", "content": 1}]]}, {"turns": []}, {"turns": [[`, "100K/1/topic.json": "{}",
		"100K/2/chat.json": "[{\"turns\": \"\xff\"}]", "100K/2/topic.json": oneConversation, "100K/2/probing_questions/probing_questions.json": "\xff",
		"100K/3/chat.json": "[]", "100K/3/topic.json": oneConversation, "100K/3/probing_questions/probing_questions.json": `{"abstention": [{"question": 7}], "abstention": []}`,
	}, []string{
		`100K/1/probing_questions/probing_questions.json: no such file or directory`,
		`100K/1/chat.json:1: 100K-1: batch 1: turns[0][0]: role is "tool", want user`,
		`100K/1/chat.json:1: 100K-1: batch 1: turns[0][0].content: want a string, have a number`,
		`100K/1/chat.json:1: 100K-1: batch 1: turns[0][0]: time_anchor is "May", want one like "March-15-2024"`,
		`100K/1/chat.json:1: 100K-1: batch 2: turns: the batch has no turns`,
		`100K/1/chat.json:1: offset 106: unexpected end of JSON input; the file is cut off`,
		`100K/1/topic.json:1: 100K-1: "category" is missing, want a string`,
		`100K/2/chat.json:1: byte 0xff at offset 12 is not UTF-8; save the file as UTF-8`,
		`100K/2/chat.json:1: 100K-2: there is no batch with turns`,
		`100K/2/probing_questions/probing_questions.json:1: byte 0xff at offset 0 is not UTF-8; save the file as UTF-8`,
		`100K/3/chat.json:1: 100K-3: there is no batch with turns`,
		`100K/3/probing_questions/probing_questions.json:1: offset 34: field "abstention" comes twice in one object`,
	}},
	{locomo.Spec, locomo.Options{Path: "f.json", Categories: []int{1, 2, 3, 4}, Category5: locomo.Drop}, map[string]string{"f.json": `[
 {"sample_id": "a", "conversation": {"speaker_a": "A", "speaker_b": "A", "session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "x"}, {"speaker": "C", "dia_id": "D1:1", "text": 7}], "session_1_date_time": "2023-05-08"}, "qa": [{"question": "Why?", "category": "2", "answer": [], "evidence": ["D1:1"]}]},
 {"sample_id": "a", "conversation": {"speaker_a": "A", "speaker_b": "B"}, "qa": {}},
 {"sample_id": "c"}]`}, []string{
		`f.json:2: a: speaker_b is "A", the same as speaker_a`,
		`f.json:2: a: session_1_date_time: "2023-05-08" is no date as the format has it; want one like "1:56 pm on 8 May, 2023"`,
		`f.json:2: a: session_1[1].text: want a string, have a number`,
		`f.json:2: a: session_1[1]: dia_id "D1:1" is already that of another turn`,
		`f.json:2: a: qa[0].category: want a number, have a string`,
		`f.json:2: a: qa[0].answer: want a string, have an array`,
		`f.json:3: [1]: sample_id "a" is already that of another conversation`,
		`f.json:3: a: there is no session; want session_1, session_2 and so on`,
		`f.json:3: [1].qa: want an array, have an object`,
		`f.json:4: c: "conversation" is missing, want an object`,
		`f.json:4: c: "qa" is missing, want an array`,
	}},
	{locomo.Spec, locomo.Options{Path: "f.json", Categories: []int{1, 2, 3, 4}, Category5: locomo.Drop}, map[string]string{"f.json": `[{"sample_id": "a", "conv`}, []string{
		`f.json:1: offset 25: unexpected end of JSON input; the file is cut off`,
	}},
	{perltqa.Spec, perltqa.Spec.Options, map[string]string{
		"perltqa/perltmem_en_v2.json": `{"Ada": {"profile": [], "profile_description": {}, "social_relationship": 7, "events": {"e1": {"content": {}}, "e1": {}}}}`,
		"perltqa/perltqa_en_v2.json":  `[{"Ada": {"profile": [{"Question": "Why?"}]}},`,
	}, []string{
		`perltqa/perltmem_en_v2.json:1: offset 111: field "e1" comes twice in one object`,
		`perltqa/perltqa_en_v2.json:1: offset 46: unexpected end of JSON input; the file is cut off`,
	}},
	{perltqa.Spec, perltqa.Spec.Options, map[string]string{
		"perltqa/perltmem_en_v2.json": `{"Ada": {"profile": [], "profile_description": {}, "social_relationship": 7, "events": {"e1": {"content": {}}, "e2": 7}, "dialogues": {"d": {}, "e": {"contents": {"May": [7]}}}}}`,
		"perltqa/perltqa_en_v2.json":  `[{"Ada": {"profile": [{"Question": "Why?"}]}}, {"Ada": {}}, 7]`,
	}, []string{
		`perltqa/perltmem_en_v2.json:1: Ada: profile_description: want a string or a number, have an object`,
		`perltqa/perltmem_en_v2.json:1: Ada: social_relationship: want an object, have a number`,
		`perltqa/perltmem_en_v2.json:1: Ada: events.e1.content: want a string or a number, have an object`,
		`perltqa/perltmem_en_v2.json:1: Ada: events.e2: want an object, have a number`,
		`perltqa/perltmem_en_v2.json:1: Ada: dialogues.d: "contents" is missing, want an object`,
		`perltqa/perltmem_en_v2.json:1: Ada: dialogues.e.contents.May[0]: want a string, have a number`,
		`perltqa/perltqa_en_v2.json:1: Ada: profile[0]: "Answer" is missing, want a string`,
		`perltqa/perltqa_en_v2.json:1: [1].Ada: "Ada" is already the name of another character`,
		`perltqa/perltqa_en_v2.json:1: [2]: want an object, have a number`,
	}},
	{multiwozlong.Spec, multiwozlong.Spec.Options, map[string]string{
		"multiwoz/test/dialogues_001.json": `[{"dialogue_id": "A", "services": 7, "turns": [{"turn_id": "0", "speaker": "ME", "utterance": 7, "frames": {}}, {"turn_id": "0", "speaker": "USER", "utterance": "x", "frames": []}]}, {"dialogue_id": "A"}, {"dialogue_id": "B", "services": [], "turns": []}]`,
		"multiwoz/test/dialogues_002.json": `[{"dialogue_id": "C", "serv`,
		"multiwoz/dialog_acts.json":        "[]",
	}, []string{
		`multiwoz-long: multiwoz/test/dialogues_001.json:1: A: services: want an array, have a number`,
		`multiwoz/test/dialogues_001.json:1: A: turns[0]: speaker is "ME", want USER or SYSTEM`,
		`multiwoz/test/dialogues_001.json:1: A: turns[0].utterance: want a string, have a number`,
		`multiwoz/test/dialogues_001.json:1: A: turns[0].frames: want an array, have an object`,
		`multiwoz/test/dialogues_001.json:1: A: turns[1]: turn_id "0" is already that of another turn`,
		`multiwoz/test/dialogues_001.json:1: [1]: dialogue_id "A" is already that of another dialogue`,
		`multiwoz/test/dialogues_001.json:1: B: turns: is empty, want one turn or more`,
		`multiwoz/test/dialogues_002.json:1: offset 27: unexpected end of JSON input; the file is cut off`,
		`multiwoz/dialog_acts.json:1: want an object, have an array`,
	}},
	{personamem.Spec, personamem.Spec.Options, map[string]string{
		"personamem/questions_32k.csv": `question_id,question_type,topic,user_question_or_message,correct_answer,all_options,shared_context_id,end_index_in_shared_context
q1,t,x,Why?,(e),"['(a) A', '(b) B']",a,1
q1,,x,Why?,(a),"['(a) A', '(b) B']",a,9
q2,t,x,Why?,(a),"[A]",b,soon
q3,t,x
q4,t,x,Why?,(a),"['(a) A', '(a) B']",a,0
q5,t,x,Why?,(a),"['(a) A', '(b) B']",b,1
q6,t,x,"Why?
`,
		"personamem/shared_contexts_32k.jsonl": `{"a": [{"role": "tool", "content": 7}, 7]}
{"a": []}
{"c": {}}
[]
{"d": [`,
	}, []string{
		`personamem/questions_32k.csv:2: q1: correct_answer is "(e)", want the letter of an option, such as "(c)"`,
		`personamem/questions_32k.csv:3: q1: question_id is already that of line 2`,
		`personamem/questions_32k.csv:3: q1: question_type is empty`,
		`personamem/questions_32k.csv:4: q2: end_index_in_shared_context is "soon", want an integer from 1`,
		`personamem/questions_32k.csv:4: q2: all_options is no Python literal: 1:2: "A" is no literal; the names that are read are None, True and False`,
		`personamem/questions_32k.csv:5: column 1: wrong number of fields`,
		`personamem/questions_32k.csv:6: q4: end_index_in_shared_context is "0", want an integer from 1`,
		`personamem/questions_32k.csv:6: q4: all_options[1] is "(a) B", want a text that begins with a letter of its own, such as "(a)"`,
		`personamem/questions_32k.csv:8: column 14: extraneous or missing " in quoted-field`,
		`personamem/shared_contexts_32k.jsonl:1: a[0]: role is "tool", want user, assistant or system`,
		`personamem/shared_contexts_32k.jsonl:1: a[0].content: want a string, have a number`,
		`personamem/shared_contexts_32k.jsonl:1: a[1]: want an object, have a number`,
		`personamem/shared_contexts_32k.jsonl:2: context "a" is already in line 1`,
		`personamem/shared_contexts_32k.jsonl:3: c: want an array, have an object`,
		`personamem/shared_contexts_32k.jsonl:4: want an object, have an array`,
		`personamem/shared_contexts_32k.jsonl:5: column 8: unexpected end of JSON input; the file is cut off`,
		`personamem/questions_32k.csv:3: q1: end_index_in_shared_context is 9, more than context "a" has messages, or none of them is a turn`,
		`personamem/questions_32k.csv:7: q5: there is no context "b"`,
	}},
	{dialogrel.Spec, dialogrel.Spec.Options, map[string]string{"dialogre/test.json": `[[["Hello.", 7], [{"x": "", "y": 7, "x_type": "CAT", "y_type": "PER", "r": ["per:boss", "per:cat"], "rid": [1, 2], "t": ["", ""]}]], [[]], 7, [[], []]]`}, []string{
		`dialogre-l: dialogre/test.json:1: [0][0][0]: begins with "Hello.", want "Speaker 1:" or several with commas between`,
		`dialogre/test.json:1: [0][0][1]: want a string, have a number`,
		`dialogre/test.json:1: [0][1][0]: x is empty`,
		`dialogre/test.json:1: [0][1][0].y: want a string, have a number`,
		`dialogre/test.json:1: [0][1][0]: x_type is "CAT", want one of PER, GPE, ORG, STRING, VALUE`,
		`dialogre/test.json:1: [0][1][0].rid[0]: is 1, want 5, the number of per:boss`,
		`dialogre/test.json:1: [0][1][0].r[1]: "per:cat" is no relation of DialogRE`,
		`dialogre/test.json:1: [1]: has 1 elements, want two: turns and pairs of arguments`,
		`dialogre/test.json:1: [2]: want an array, have a number`,
		`dialogre/test.json:1: [3][0]: there is no turn in it`,
	}},
	{dialogrel.Spec, dialogrel.Spec.Options, map[string]string{"dialogre/test.json": `[[["Hello."`}, []string{
		`dialogre-l: dialogre/test.json:1: offset 11: unexpected end of JSON input; the file is cut off`,
	}},
	{jsonl.Spec, jsonl.Options{Files: []string{"a.jsonl", "b.jsonl"}}, map[string]string{
		"a.jsonl": `{"type": "turn", "sample": "s", "session": "1", "time": "soon", "id": "a", "speaker": "A", "text": "x"}
{"type": "turn", "sample": "s", "session": "1", "id": "a", "speaker": "A", "text": "x"}
{"type": "turn", "sample": "s", "session": 1.5, "id": [], "speaker": "", "text": 7}
{"type": "turn", "samp
{"type": "chat"}`,
		"b.jsonl": `{"type": "question", "sample": "t", "question": "Why?", "answer": "x"}
{"type": "question", "sample": "s", "question": "Why?", "id": "q", "answer": {}, "evidence": ["9"]}
[]
{"type": "question", "sample": "s", "question": "Why?", "id": "q", "answer": "x", "time": "2024-02-30"}`,
	}, []string{
		`a.jsonl:1: turn: time is "soon", want one like "2024-03-04", "2024-03-04 09:30" or "2024-03-04T09:30:00Z"`,
		`a.jsonl:2: turn: id "a" is already that of another turn of sample "s"`,
		`a.jsonl:3: turn: "speaker" is empty`,
		`a.jsonl:3: turn: id: want a string or a number, have an array`,
		`a.jsonl:3: turn: text: want a string, have a number`,
		`a.jsonl:3: turn: "text" is empty and there is no image`,
		`a.jsonl:4: column 23: unexpected end of JSON input; the file is cut off`,
		`a.jsonl:5: unknown type "chat"; have turn, question`,
		`b.jsonl:2: question: answer: want a string or a number, have an object`,
		`b.jsonl:3: want an object, have an array`,
		`b.jsonl:4: question: time is "2024-02-30", want one like "2024-03-04", "2024-03-04 09:30" or "2024-03-04T09:30:00Z"`,
		`b.jsonl:4: question: id "q" is already that of another question of sample "s"`,
		`b.jsonl:2: question: evidence "9" is no turn of sample "s"`,
		`b.jsonl:1: question: sample "t" has no turns`,
	}},
	{nil, "f.jsonl", map[string]string{"f.jsonl": overlayHeader + `
{"id": "a/q1", "question": "Why?", "action": "correct"}
{"id": "a/q1", "question": 7, "action": "remove", "answers": "x"}
[]
{"id": "a/q2", "question": "Why?", "action": "evidence", "evidence": []
{"id": "a/q2", "question": "Why?", "action": "exclude", "answer": "x"}`}, []string{
		`f.jsonl:2: the action correct has no answers, want one or more`,
		`f.jsonl:3: unknown action "remove"; have correct, also, premise, unanswerable, exclude, evidence`,
		`f.jsonl:3: answers: want an array, have a string`,
		`f.jsonl:4: want an object, have an array`,
		`f.jsonl:5: column 73: unexpected end of JSON input; the file is cut off`,
		`f.jsonl:6: unknown field "answer"; did you mean "answers"? have id, question, gold, action, answers, kind, why, evidence, category, by, ref`,
		`f.jsonl:3: a/q1 has an entry already, in line 2`,
	}},
}

// open opens the dataset with its files in a folder, and closes it again.
func (d damaged) open(t *testing.T, dir string) error {
	t.Helper()
	for name, text := range d.files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := datasets.Env{Dir: dir, Base: dir}
	if d.spec == nil {
		_, err := errata.Open(t.Context(), env, "f.jsonl")
		return err
	}
	set, err := d.spec.Open(t.Context(), env, d.options)
	if err == nil {
		set.Close()
	}
	return err
}

// TestMalformed wants all faults of all files at once, each with its place.
func TestMalformed(t *testing.T) {
	for _, d := range damages {
		dir := t.TempDir()
		err := d.open(t, dir)
		if err == nil {
			t.Errorf("no error, want %q", d.want)
			continue
		}
		got := strings.Split(filepath.ToSlash(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")), "\n")
		if diff := cmp.Diff(d.want, got); diff != "" {
			t.Errorf("faults differ (-want +got):\n%s", diff)
		}
	}
}

// TestHostile wants a short error where each fault quotes a text of 64 KiB.
func TestHostile(t *testing.T) {
	long := strings.Repeat(`\u001b[31mx`, 1<<13)
	var pairs []string
	for _, word := range []string{"Why?", "a", "A", "ME", "CAT", "tool", "Ada", "remove"} {
		pairs = append(pairs, `"`+word+`"`, `"`+long+`"`)
	}
	swap := strings.NewReplacer(pairs...)
	for _, d := range damages {
		d.files = maps.Clone(d.files)
		for name, text := range d.files {
			d.files[name] = swap.Replace(text)
		}
		err := d.open(t, t.TempDir())
		if err == nil {
			t.Errorf("no error, want %q", d.want)
		} else if text := err.Error(); len(text) > 32<<10 || strings.Contains(text, "\x1b") {
			t.Errorf("%.80s: the error has %d bytes, or a control character", text, len(text))
		}
	}
}

package suite_test

import (
	"compress/gzip"
	"errors"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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
	"recallbench/internal/testkit/try"
)

// A damaged dataset has files that are not as their layout says.
type damaged struct {
	spec    *datasets.Spec // nil for errata
	options any
	files   map[string]string
	want    int // faults, a line each
}

const (
	oneConversation = `{"id": 1, "category": "Coding"}`
	overlayHeader   = `{"errata": "recallbench-errata/1", "name": "mine", "dataset": "locomo", "license": "CC0-1.0", "source": "here"}`
)

var damages = []damaged{
	{
		longmemeval.Spec,
		longmemeval.Options{Path: "f.json", Abstention: longmemeval.Ask, Turns: longmemeval.Both},
		map[string]string{"f.json": `[
 {"question_id": "a", "question_type": 7, "question": "Why?", "answer": {}, "question_date": "2023/02/30 (Thu) 10:00", "haystack_dates": ["yesterday"], "haystack_session_ids": ["x"], "haystack_sessions": [[{"role": "user", "content": 4}]], "answer_session_ids": "x"},
 {"question_id": "a", "question_type": "multi-session", "question": "", "answer": "b", "question_date": "2023/02/28 (Tue) 10:00", "haystack_dates": [], "haystack_session_ids": [], "haystack_sessions": [], "answer_session_ids": []},
 7,
 {"question_id": "b", "question_type": "multi-session", "question": "Why?", "ans`},
		7,
	},
	{beam.Spec, beam.Options{Path: ".", Sizes: []string{"100K"}}, map[string]string{
		"100K/1/chat.json": `[{"turns": [[{"role": "tool", "id": 0, "time_anchor": "May", "content": 1}]]}, {"turns": []}, {"turns": [[`, "100K/1/topic.json": "{}",
		"100K/2/chat.json": "[{\"turns\": \"\xff\"}]", "100K/2/topic.json": oneConversation, "100K/2/probing_questions/probing_questions.json": "\xff",
		"100K/3/chat.json": "[]", "100K/3/topic.json": oneConversation, "100K/3/probing_questions/probing_questions.json": `{"abstention": [{"question": 7}], "abstention": []}`,
	}, 11},
	{locomo.Spec, locomo.Options{Path: "f.json", Categories: []int{1, 2, 3, 4}, Category5: locomo.Drop}, map[string]string{"f.json": `[
 {"sample_id": "a", "conversation": {"speaker_a": "A", "speaker_b": "A", "session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "x"}, {"speaker": "C", "dia_id": "D1:1", "text": 7}], "session_1_date_time": "2023-05-08"}, "qa": [{"question": "Why?", "category": "2", "answer": [], "evidence": ["D1:1"]}]},
 {"sample_id": "a", "conversation": {"speaker_a": "A", "speaker_b": "B"}, "qa": {}},
 {"sample_id": "c"}]`}, 9},
	{locomo.Spec, locomo.Options{Path: "f.json", Categories: []int{1, 2, 3, 4}, Category5: locomo.Drop}, map[string]string{"f.json": `[{"sample_id": "a", "conv`}, 1},
	{perltqa.Spec, perltqa.Spec.Options, map[string]string{
		"perltqa/perltmem_en_v2.json": `{"Ada": {"profile": [], "profile_description": {}, "social_relationship": 7, "events": {"e1": {"content": {}}, "e1": {}}}}`,
		"perltqa/perltqa_en_v2.json":  `[{"Ada": {"profile": [{"Question": "Why?"}]}},`,
	}, 2},
	{perltqa.Spec, perltqa.Spec.Options, map[string]string{
		"perltqa/perltmem_en_v2.json": `{"Ada": {"profile": [], "profile_description": {}, "social_relationship": 7, "events": {"e1": {"content": {}}, "e2": 7}, "dialogues": {"d": {}, "e": {"contents": {"May": [7]}}}}}`,
		"perltqa/perltqa_en_v2.json":  `[{"Ada": {"profile": [{"Question": "Why?"}]}}, {"Ada": {}}, 7]`,
	}, 7},
	{multiwozlong.Spec, multiwozlong.Spec.Options, map[string]string{
		"multiwoz/test/dialogues_001.json": `[{"dialogue_id": "A", "services": 7, "turns": [{"turn_id": "0", "speaker": "ME", "utterance": 7, "frames": {}}, {"turn_id": "0", "speaker": "USER", "utterance": "x", "frames": []}]}, {"dialogue_id": "A"}, {"dialogue_id": "B", "services": [], "turns": []}]`,
		"multiwoz/test/dialogues_002.json": `[{"dialogue_id": "C", "serv`,
		"multiwoz/dialog_acts.json":        "[]",
	}, 8},
	{personamem.Spec, personamem.Spec.Options, map[string]string{
		"personamem/documents.json.gz": packed(`[{"id": "a_0", "content": "[USER] x"}, {"id": "a_0", "content": 7}, {"id": "a_1", "content": "x"}, {}, 7]`),
		"personamem/queries.json.gz": packed(`[{"id": "q", "query": "Why?\n(a) A\n(b) B", "gold_answers": ["c"], "gold_ids": ["a_0", "a_2"], "meta": {"question_type": "t", "retrieval_query": "Why?"}},
{"id": "q", "query": "Why?\n(a) A", "gold_answers": [], "gold_ids": [], "meta": {"question_type": "t", "retrieval_query": "Why?"}},
{"id": "r", "query": "Why?", "gold_answers": [7], "gold_ids": {}, "meta": 7},
{"id": "s", "query": "Why?", "gold_answers": [], "gold_ids": [], "meta": {"question_type": "", "retrieval_query": "What?"}}]`),
	}, 12},
	{dialogrel.Spec, dialogrel.Spec.Options, map[string]string{"dialogre/test.json": `[[["Hello.", 7], [{"x": "", "y": 7, "x_type": "CAT", "y_type": "PER", "r": ["per:boss", "per:cat"], "rid": [1, 2], "t": ["", ""]}]], [[]], 7, [[], []]]`}, 7},
	{dialogrel.Spec, dialogrel.Spec.Options, map[string]string{"dialogre/test.json": `[[["Hello."`}, 1},
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
	}, 10},
	{nil, "f.jsonl", map[string]string{"f.jsonl": overlayHeader + `
{"id": "a/q1", "question": "Why?", "action": "correct"}
{"id": "a/q1", "question": 7, "action": "remove", "answers": "x"}
[]
{"id": "a/q2", "question": "Why?", "action": "evidence", "evidence": []
{"id": "a/q2", "question": "Why?", "action": "exclude", "answer": "x"}`}, 6},
}

// open opens the dataset with its files in a folder.
func (d damaged) open(t *testing.T) (set *datasets.Set, dir string, err error) {
	t.Helper()
	dir = try.Files(t, d.files)
	env := datasets.Env{Dir: dir, Base: dir}
	if d.spec == nil {
		_, err = errata.Open(t.Context(), env, "f.jsonl")
		return nil, dir, err
	}
	set, err = d.spec.Open(t.Context(), env, d.options)
	return set, dir, err
}

// packed is a text as gzip packs it.
func packed(text string) string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	if err = errors.Join(err, z.Close()); err != nil {
		panic(err)
	}
	return b.String()
}

// place is how the text of a fault begins.
var place = regexp.MustCompile(`^(?:[a-z-]+: )?[^: ]+\.(?:jsonl?|json\.gz)(?::[0-9]+)?: `)

// TestMalformed wants all faults of the shape of all files at once, each with its place.
func TestMalformed(t *testing.T) {
	for _, d := range damages {
		_, dir, err := d.open(t)
		if err == nil {
			t.Errorf("no error, want %d faults", d.want)
			continue
		}
		got := strings.Split(filepath.ToSlash(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")), "\n")
		if len(got) != d.want {
			t.Errorf("%d faults, want %d:\n%v", len(got), d.want, err)
		}
		for _, fault := range got {
			if !place.MatchString(fault) {
				t.Errorf("no place: %s", fault)
			}
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
		_, _, err := d.open(t)
		if err == nil {
			t.Errorf("no error, want %d faults", d.want)
		} else if text := err.Error(); len(text) > 32<<10 || strings.Contains(text, "\x1b") {
			t.Errorf("%.80s: the error has %d bytes, or a control character", text, len(text))
		}
	}
}

package token

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

func encoder(tb testing.TB, o object) *Encoder {
	tb.Helper()
	e := try.Get(OpenEncoder(filepath.Join(write(tb, marshal(tb, o)), "tokenizer.json")))(tb)
	return e
}

// roberta puts the special tokens of RoBERTa and BART around texts of bytes.
func roberta() object {
	o := with(qwen(), object{"type": "RobertaProcessing", "sep": []any{"</s>", 903}, "cls": []any{"<s>", 902}}, "post_processor")
	return with(o, byteLevel(true), "pre_tokenizer")
}

// pairs has a template of its own for pairs.
func pairs() object {
	cls := object{"SpecialToken": object{"id": "[CLS]", "type_id": 0}}
	return with(bert(), object{
		"type":   "TemplateProcessing",
		"single": []object{cls, {"Sequence": object{"id": "A", "type_id": 0}}},
		"special_tokens": object{
			"[CLS]": object{"ids": []int{2}}, "[SEP]": object{"ids": []int{3, 3}},
		},
	}, "post_processor")
}

func TestEncode(t *testing.T) {
	id := func(o object, token string) int32 {
		vocab := o["model"].(object)["vocab"].(object)
		n, ok := vocab[token].(int)
		if !ok {
			t.Fatalf("no token %q", token)
		}
		return int32(n)
	}
	q := qwen()
	for _, tt := range []struct {
		name string
		o    object
		text string
		most int
		want []int32
	}{
		{"pieces", bert(), "Hello, unaffable 中!", 0, []int32{2, 7, 8, 4, 5, 6, 10, 9, 3}},
		{"unknown words", bert(), "hi unaffx", 0, []int32{2, 1, 1, 3}},
		{"nothing", bert(), "", 0, []int32{2, 3}},
		{"a name of a special token", bert(), "[SEP]", 0, []int32{2, 1, 1, 1, 3}},
		{"cut", bert(), "hello hello hello", 4, []int32{2, 7, 7, 3}},
		{"cut to nothing", bert(), "hello", 2, []int32{2, 3}},
		{"no room for the special tokens", bert(), "hello", 1, []int32{2}},
		{"merges", q, "hello wor", 0, []int32{id(q, "hello"), id(q, "Ġwor")}},
		{"an added token", q, "h<think>h", 0, []int32{id(q, "h"), 901, id(q, "h")}},
		{"bytes", q, "é\x00", 0, []int32{id(q, "Ã©"), id(q, "Ā")}},
		{"around bytes", roberta(), "hello", 0, []int32{902, id(q, "hello"), 903}},
		{"a template", pairs(), "hello", 0, []int32{2, 7}},
	} {
		try.Equal(t, tt.name, tt.want, encoder(t, tt.o).Encode(tt.text, tt.most))
	}
}

func TestOpenEncoderFaults(t *testing.T) {
	slot := func(kind string, value object) []object { return []object{{kind: value}} }
	for _, tt := range []struct {
		o    object
		want string
	}{
		{with(bert(), object{"type": "BertProcessing", "sep": []any{3, "[SEP]"}, "cls": []any{"[CLS]", 2}}, "post_processor"), `want a token with its id like ["[SEP]", 102]`},
		{with(bert(), object{"type": "BertProcessing", "sep": []any{"[SEP]", -3}, "cls": []any{"[CLS]", 2}}, "post_processor"), "a token has the id -3"},
		{with(bert(), object{"type": "Other"}, "post_processor"), `post_processor.type: "Other" is not supported`},
		{with(pairs(), slot("SpecialToken", object{"id": "[X]"}), "post_processor", "single"), `post_processor.single[0]: token "[X]" is not in special_tokens`},
		{with(pairs(), slot("Sequence", object{"id": "C"}), "post_processor", "single"), "post_processor.single[0]: want"},
		{with(pairs(), []object{}, "post_processor", "single"), "post_processor.single: the text A stands in it 0 times"},
	} {
		_, err := OpenEncoder(filepath.Join(write(t, marshal(t, tt.o)), "tokenizer.json"))
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "tokenizer.json: ") {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
	if _, err := OpenEncoder(filepath.Join(t.TempDir(), "none.json")); err == nil {
		t.Error("no file is no fault")
	}
}

// What is encoded is what is counted, and no id is beyond the vocabulary.
func TestEncodeIsCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"hello", " ", "wor", "é", "中", "\n", "'ll", "<think>", "[SEP]", "\xff", "123", "unaffable", "!", "\u0301", "▁"}
	for name, o := range map[string]object{"qwen": qwen(), "llama 3": llama3(), "bert": bert(), "roberta": roberta()} {
		e := encoder(t, o)
		for range 500 {
			var b strings.Builder
			for range rng.IntN(12) {
				b.WriteString(pieces[rng.IntN(len(pieces))])
			}
			got := e.Encode(b.String(), 0)
			if want := e.t.Count(b.String()) + len(e.Surround(nil)); len(got) != want {
				t.Fatalf("%s: %q is %d ids, counted as %d", name, b.String(), len(got), want)
			}
			for _, id := range got {
				if id < 0 || int(id) >= e.Vocab() {
					t.Fatalf("%s: %q has the id %d, beyond %d", name, b.String(), id, e.Vocab())
				}
			}
		}
	}
}

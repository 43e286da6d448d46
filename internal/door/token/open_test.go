package token

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recallbench/internal/testkit/golden"
	"recallbench/internal/testkit/try"
)

func TestOpen(t *testing.T) {
	dir := write(t, marshal(t, llama3()))
	base, folder := filepath.Split(dir)
	for _, tt := range []struct{ name, base string }{
		{dir, ""},
		{filepath.Join(dir, "tokenizer.json"), "/elsewhere"},
		{folder, base},
		{filepath.Join(folder, "tokenizer.json"), base},
		{".", dir},
		{"tokenizer.json", dir},
	} {
		c := try.Get(Open(tt.name, tt.base))(t)
		if want := regexp.MustCompile(`^` + folder + `/tokenizer\.json sha256:[0-9a-f]{8}$`); !want.MatchString(c.Name()) {
			t.Errorf("Open(%q, %q).Name() = %q, want it to match %v", tt.name, tt.base, c.Name(), want)
		}
		if n := c.Count("hello world"); n != 2 {
			t.Errorf("Open(%q, %q) counts %d tokens, want 2", tt.name, tt.base, n)
		}
	}
	for _, name := range Encodings() {
		c, err := Open(name, "/elsewhere")
		if err != nil || c.Name() != name {
			t.Errorf("Open(%q) = %v, %v", name, c, err)
		}
	}
}

// TestOpenErrors shows what is said of each fault.
func TestOpenErrors(t *testing.T) {
	var b strings.Builder
	dir := t.TempDir()
	for _, name := range []string{"", "o200k", "models/qwen", "empty", "unreadable"} {
		if name == "empty" {
			try.Do(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		}
		if name == "unreadable" {
			try.Do(t, os.MkdirAll(filepath.Join(dir, name, "tokenizer.json"), 0o700))
		}
		_, err := Open(name, dir)
		if err == nil {
			t.Fatalf("Open(%q) found one", name)
		}
		b.WriteString(err.Error() + "\n\n")
	}
	good := marshal(t, llama3())
	missing := with(llama3(), byteVocab(helloMerges[2:]), "model", "vocab")
	holes := byteVocab(nil)
	delete(holes, "a")
	delete(holes, "Ġ")
	negative := byteVocab(nil)
	negative["a"] = -7
	cases := map[string][]byte{
		"empty file":            nil,
		"not JSON":              []byte("PK\x03\x04"),
		"torn":                  good[:len(good)/2],
		"a list":                []byte("[]"),
		"another file":          []byte(`{"tokenizer_class": "Qwen2Tokenizer"}`),
		"Git LFS":               []byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\n"),
		"vocabulary is text":    []byte("{\n \"model\": {\"type\": \"BPE\", \"vocab\": \"vocab.txt\"}}"),
		"id is text":            []byte(`{"model": {"type": "BPE", "vocab": {"a": "0"}, "merges": []}}`),
		"id is huge":            []byte(`{"model": {"type": "BPE", "vocab": {"a": 1e30}, "merges": []}}`),
		"no vocabulary":         []byte(`{"model": {"type": "BPE", "merges": []}}`),
		"unigram":               []byte(`{"model": {"type": "Unigram", "vocab": [["a", -1.5]]}}`),
		"word level":            marshal(t, with(llama3(), "WordLevel", "model", "type")),
		"merge of one":          marshal(t, with(llama3(), []string{"h e", "hello"}, "model", "merges")),
		"merge of three":        marshal(t, with(llama3(), []any{[]string{"h", "e"}, []string{"h", "e", "l"}}, "model", "merges")),
		"merges are numbers":    marshal(t, with(llama3(), []int{1}, "model", "merges")),
		"merges without tokens": marshal(t, missing),
		"bytes without tokens":  marshal(t, with(with(llama3(), holes, "model", "vocab"), []string{}, "model", "merges")),
		"negative id":           marshal(t, with(with(llama3(), negative, "model", "vocab"), []string{}, "model", "merges")),
		"unknown token unknown": marshal(t, with(bert(), "<none>", "model", "unk_token")),
		"dropout":               marshal(t, with(llama3(), 0.1, "model", "dropout")),
		"suffix":                marshal(t, with(llama3(), "</w>", "model", "end_of_word_suffix")),
		"template":              marshal(t, with(llama3(), object{"type": "TemplateProcessing", "single": []object{{"SpecialToken": object{"id": "<s>"}}, {"Sequence": object{"id": "A"}}}}, "post_processor")),
		"template without text": marshal(t, with(llama3(), object{"type": "TemplateProcessing"}, "post_processor")),
		"characters":            marshal(t, with(llama3(), object{"type": "BertPreTokenizer"}, "pre_tokenizer")),
		"added otherwise":       marshal(t, with(llama3(), []object{{"content": "X", "lstrip": true}}, "added_tokens")),
		"behind ByteLevel": marshal(t, with(qwen(), object{
			"type": "Sequence", "pretokenizers": []object{byteLevel(true), {"type": "Digits"}},
		}, "pre_tokenizer")),
		"several": marshal(t, with(with(qwen(), object{"type": "Sequence", "pretokenizers": []object{
			splitStep("(a"),
			{"type": "UnicodeScripts"},
			{"type": "Split", "pattern": object{"String": "x"}, "behavior": "Isolated"},
			{"type": "Split", "pattern": object{"Regex": "x"}, "behavior": "Contiguous"},
		}}, "pre_tokenizer"), object{"type": "Precompiled", "precompiled_charsmap": "AAAA"}, "normalizer")),
	}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		_, err := Open("model", filepath.Dir(rename(t, write(t, cases[name]))))
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		text, ok := strings.CutSuffix(err.Error(), "\n\t"+layout)
		if !ok {
			t.Errorf("%s: %v does not say what the layout is", name, err)
		}
		b.WriteString(name + "\n" + text + "\n\n")
	}
	golden.Check(t, "errors.txt", b.String())
}

// rename gives a folder the name "model".
func rename(tb testing.TB, dir string) string {
	tb.Helper()
	to := filepath.Join(tb.TempDir(), "model")
	try.Do(tb, os.Rename(dir, to))
	return to
}

// FuzzParse opens what is no tokenizer.json, or one of another make.
func FuzzParse(f *testing.F) {
	for _, file := range []object{qwen(), llama3(), bert()} {
		data := marshal(f, file)
		f.Add(data)
		f.Add(bytes.Replace(data, []byte("Split"), []byte("Digits"), 1))
		f.Add(bytes.Replace(data, []byte("NFC"), []byte("Strip"), 1))
	}
	f.Add([]byte(`{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}`))
	f.Add([]byte(`{"pre_tokenizer": {"type": "BertPreTokenizer"}, "model": {"type": "WordPiece", "unk_token": "a", "vocab": {"a": 1}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := parse(data)
		if err != nil {
			return
		}
		for _, text := range []string{"", "a", "hello wörld 123\n", "\xff<think> e\u0301"} {
			tokens := h.Split(text)
			if n := h.Count(text); n != len(tokens) {
				t.Errorf("Count(%q) = %d, but it splits into %q", text, n, tokens)
			}
		}
	})
}

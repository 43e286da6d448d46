package token

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"recallbench/internal/testkit/try"
)

// object is a JSON object of a tokenizer.json.
type object = map[string]any

// byteVocab returns a vocabulary of all bytes and the results of merges, which
// are pairs in the spelling of a byte-level model.
func byteVocab(merges [][2]string, more ...string) object {
	vocab := object{}
	for _, r := range byteRunes {
		vocab[string(r)] = len(vocab)
	}
	for _, m := range merges {
		vocab[m[0]+m[1]] = len(vocab)
	}
	for _, token := range more {
		vocab[token] = len(vocab)
	}
	return vocab
}

func splitStep(pattern string) object {
	return object{"type": "Split", "pattern": object{"Regex": pattern}, "behavior": "Isolated", "invert": false}
}

func byteLevel(regex bool) object {
	return object{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": regex}
}

func special(content string, id int) object {
	return object{"id": id, "content": content, "special": true}
}

// template puts a special token before a text.
func template(token string) object {
	return object{
		"type": "TemplateProcessing",
		"single": []object{
			{"SpecialToken": object{"id": token, "type_id": 0}},
			{"Sequence": object{"id": "A", "type_id": 0}},
		},
		"special_tokens": object{token: object{"id": token, "ids": []int{1}, "tokens": []string{token}}},
	}
}

var helloMerges = [][2]string{
	{"h", "e"},
	{"l", "l"},
	{"he", "ll"},
	{"hell", "o"},
	{"Ġ", "w"},
	{"o", "r"},
	{"Ġw", "or"},
	{"Ã", "©"},
	{"1", "2"},
	{"12", "3"},
	{"Ċ", "Ċ"},
}

// qwen is laid out as the tokenizer of Qwen3 is.
func qwen() object {
	return object{
		"version":        "1.0",
		"normalizer":     object{"type": "NFC"},
		"pre_tokenizer":  object{"type": "Sequence", "pretokenizers": []object{splitStep(qwenPattern), byteLevel(false)}},
		"post_processor": byteLevel(false),
		"added_tokens": []object{
			special("<|im_start|>", 900),
			{"id": 901, "content": "<think>", "special": false},
		},
		"model": object{
			"type": "BPE", "dropout": nil, "unk_token": nil, "continuing_subword_prefix": "", "end_of_word_suffix": "",
			"fuse_unk": false, "byte_fallback": false, "ignore_merges": false,
			"vocab": byteVocab(helloMerges), "merges": helloMerges,
		},
	}
}

// llama3 is laid out as the tokenizer of Llama 3 is.
func llama3() object {
	var merges []string
	for _, m := range helloMerges {
		merges = append(merges, m[0]+" "+m[1])
	}
	return object{
		"pre_tokenizer": object{"type": "Sequence", "pretokenizers": []object{splitStep(llamaPattern), byteLevel(false)}},
		"post_processor": object{
			"type": "Sequence", "processors": []object{byteLevel(true), template("<|begin_of_text|>")},
		},
		"added_tokens": []object{special("<|begin_of_text|>", 900)},
		"model": object{
			"type": "BPE", "ignore_merges": true,
			"vocab": byteVocab(helloMerges, "Ġworld"), "merges": merges,
		},
	}
}

// bert is laid out as the tokenizer of BERT is.
func bert() object {
	vocab := object{}
	for _, token := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "hello", ",", "!", "中"} {
		vocab[token] = len(vocab)
	}
	return object{
		"normalizer": object{
			"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true,
		},
		"pre_tokenizer":  object{"type": "BertPreTokenizer"},
		"post_processor": object{"type": "BertProcessing", "sep": []any{"[SEP]", 3}, "cls": []any{"[CLS]", 2}},
		"model": object{
			"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
			"vocab": vocab,
		},
	}
}

// with returns o with one value changed. Keys lead to it.
func with(o object, value any, keys ...string) object {
	o = maps.Clone(o)
	if len(keys) == 1 {
		o[keys[0]] = value
	} else {
		o[keys[0]] = with(o[keys[0]].(object), value, keys[1:]...)
	}
	return o
}

func marshal(tb testing.TB, o object) []byte {
	tb.Helper()
	data := try.Get(json.Marshal(o))(tb)
	return data
}

// write writes the tokenizer.json o to a new folder, and returns the folder.
func write(tb testing.TB, data []byte) string {
	tb.Helper()
	dir := tb.TempDir()
	try.Do(tb, os.WriteFile(filepath.Join(dir, "tokenizer.json"), data, 0o600))
	return dir
}

func compiled(tb testing.TB, o object) *tokenizer {
	tb.Helper()
	return try.Get(parse(marshal(tb, o)))(tb)
}

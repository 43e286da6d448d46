package token

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	oracle "github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"

	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// converted returns an encoding of OpenAI as a tokenizer.json, with a merge
// for each way in which a token is put together: the layout of Llama 3.
func converted(tb testing.TB, encoding string, cut object) []byte {
	tb.Helper()
	ranks := try.Get(loader.NewOfflineLoader().LoadTiktokenBpe(encoding + ".tiktoken"))(tb)
	spell := func(s string) string {
		runes := make([]rune, len(s))
		for i := range len(s) {
			runes[i] = byteRunes[s[i]]
		}
		return string(runes)
	}
	tokens := make([]string, 0, len(ranks))
	vocab := make(map[string]int, len(ranks))
	for token, rank := range ranks {
		tokens = append(tokens, token)
		vocab[spell(token)] = rank
	}
	slices.SortFunc(tokens, func(a, b string) int { return ranks[a] - ranks[b] })
	var merges []string
	for _, token := range tokens {
		for i := 1; i < len(token); i++ {
			_, left := ranks[token[:i]]
			_, right := ranks[token[i:]]
			if left && right {
				merges = append(merges, spell(token[:i])+" "+spell(token[i:]))
			}
		}
	}
	return marshal(tb, object{
		"pre_tokenizer": cut,
		"model":         object{"type": "BPE", "ignore_merges": true, "vocab": vocab, "merges": merges},
	})
}

// asLlama cuts with a pattern as the tokenizer of Llama 3 does.
func asLlama(pattern string) object {
	return object{"type": "Sequence", "pretokenizers": []object{splitStep(pattern), byteLevel(false)}}
}

// texts are texts of many kinds: hand-made ones and, where the data is, what
// is said and asked in LoCoMo.
func texts(t *testing.T) []string {
	t.Helper()
	all := []string{
		"", " ", "\n", "\r\n\r\n  x", "a\u00a0b\u3000c\u2028d\u0085e", "\t\tif x != nil {\n\t\t\treturn\n\t\t}\n",
		"It's o'clock; DON'T, we'Ll, 'tis", "1 22 333 4444 55555 3.14159 1,000,000 ½ ²³ Ⅷ ٣٤",
		"naïve café — “quotes” … e\u0301 ǅ ʰ ª", "🙂🙃👩‍👩‍👧‍👦🏳️‍🌈 🥰", "我喜欢喝茶。日本語のテキスト 한국어 ภาษาไทย हिन्दी العربية עברית",
		"<|endoftext|><|im_start|>user<think></think>", "https://example.org/a/b?c=d&e=%20f#g", "\x00\x01\x7f\u200b\ufeff",
		"Antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis", "snake_case camelCase PascalCase SHOUT",
		strings.Repeat("ab", 200), strings.Repeat(" ", 300) + "x", strings.Repeat("\n", 300), strings.Repeat("=", 300), "((((())))){{}}[]",
	}
	data := try.Get(os.ReadFile(filepath.Join(realdata.Datasets(t), "locomo", "locomo10.json")))(t)
	var locomo any
	try.Do(t, json.Unmarshal(data, &locomo))
	n := 0
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if n++; n%longtest.N(320, 32) == 0 {
				all = append(all, v)
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(v[key])
			}
		}
	}
	walk(locomo)
	for i := 0; i+20 < len(all); i += 100 {
		all = append(all, strings.Join(all[i:i+20], "\n"))
	}
	return all
}

// TestConverted counts with OpenAI's encodings as tokenizer.json files, and
// compares with another implementation of the encodings.
func TestConverted(t *testing.T) {
	oracle.SetBpeLoader(loader.NewOfflineLoader())
	texts := texts(t)
	for _, tt := range []struct {
		encoding string
		cut      object
	}{
		{"r50k_base", byteLevel(true)}, // GPT-2's
		{"cl100k_base", asLlama(llamaPattern)},
		{"o200k_base", asLlama(o200kPattern)},
	}[:longtest.N(1, 3)] {
		t.Run(tt.encoding, func(t *testing.T) {
			t.Parallel()
			h := try.Get(parse(converted(t, tt.encoding, tt.cut)))(t)
			want := try.Get(oracle.GetEncoding(tt.encoding))(t)
			total := 0
			for _, s := range texts {
				var tokens []string
				for _, id := range want.Encode(s, nil, nil) {
					tokens = append(tokens, want.Decode([]int{id}))
				}
				got := h.Split(s)
				if !slices.Equal(got, tokens) && utf8.ValidString(s) {
					t.Errorf("Split(%q)\n got %q\nwant %q", s, got, tokens)
				}
				if n := h.Count(s); n != len(tokens) {
					t.Errorf("Count(%q) = %d, oracle says %d", s, n, len(tokens))
				}
				total += len(tokens)
			}
			t.Logf("%d texts, %d tokens", len(texts), total)
		})
	}
}

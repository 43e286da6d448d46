package token

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	loader "github.com/pkoukk/tiktoken-go-loader"
	library "github.com/tiktoken-go/tokenizer/codec"

	"recallbench/internal/testkit/try"
)

func codec(tb testing.TB, name string) *tokenizer {
	tb.Helper()
	c := try.Get(New(name))(tb)
	return c.(*tokenizer)
}

func TestCount(t *testing.T) {
	for _, tt := range []struct {
		encoding, text string
		want           int
	}{
		// From the OpenAI cookbook, "How to count tokens with tiktoken".
		{"cl100k_base", "tiktoken is great!", 6},
		{"cl100k_base", "antidisestablishmentarianism", 6},
		{"cl100k_base", "2 + 2 = 4", 7},
		{"o200k_base", "2 + 2 = 4", 7},
		{"o200k_base", "", 0},
		// White space that later versions of the library miscount.
		{"o200k_base", "\n    \n", 1},
		{"cl100k_base", "\n    \n", 1},
	} {
		if got := codec(t, tt.encoding).Count(tt.text); got != tt.want {
			t.Errorf("%s: Count(%q) = %d, want %d", tt.encoding, tt.text, got, tt.want)
		}
	}
}

// libraryCodecs are the encodings as another library has them.
var libraryCodecs = map[string]func() *library.Codec{
	"o200k_base":  sync.OnceValue(library.NewO200kBase),
	"cl100k_base": sync.OnceValue(library.NewCl100kBase),
}

// sameAsLibrary compares the tokens of a text, cut into words, with
// those that the library finds by its regular expression.
func sameAsLibrary(t *testing.T, c *tokenizer, text string) {
	t.Helper()
	if strings.Contains(text, "ſ") || !utf8.ValidString(text) {
		return // the library does not fold the long s, the reference does
	}
	_, want, err := libraryCodecs[c.name]().Encode(text)
	if err != nil {
		return
	}
	if got := c.Split(text); !slices.Equal(got, want) {
		t.Errorf("%s: %q is split into %q, the library says %q", c.name, text, got, want)
	}
}

// Texts of characters that word patterns tell apart, in any order.
func TestWordsLikeLibrary(t *testing.T) {
	parts := []string{
		"a", "B", "é", "É", "ǅ", "ʰ", "ª", "中", "\u0301", "\u0903", "1", "²", "Ⅷ", "'", "'s", "'LL", "'d", "’", "-", "/", "_", "$", "🙂",
		" ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u2028", "\u200d", "word", "CamelCase", "DON'T",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range Encodings() {
		c := codec(t, name)
		for range 20_000 {
			var text strings.Builder
			for range 1 + r.IntN(8) {
				text.WriteString(parts[r.IntN(len(parts))])
			}
			sameAsLibrary(t, c, text.String())
		}
	}
}

func TestForModel(t *testing.T) {
	for want, models := range map[string]string{
		"o200k_base": "gpt-4o gpt-4o-mini-2024-07-18 chatgpt-4o-latest gpt-4.1-mini gpt-4.5-preview gpt-5 gpt-5-mini-2025-08-07 gpt-5.1 gpt-5.1-codex " +
			"o1 o3-mini o4-mini-2025-04-16 gpt-oss:20b openai/gpt-4o ft:gpt-4o-mini-2024-07-18:org::id",
		"cl100k_base": "gpt-4 gpt-4-0613 gpt-4-turbo-2024-04-09 gpt-3.5-turbo gpt-35-turbo text-embedding-3-small text-embedding-ada-002",
		"":            "gpt- gpt-40 gpt-6 o2 o1x olmo text-embedding-004 Qwen/Qwen3-8B my-gpt-4",
	} {
		for model := range strings.FieldsSeq(models) {
			if got, ok := ForModel(model); got != want || ok != (want != "") {
				t.Errorf("ForModel(%q) = %q, %v, want %q", model, got, ok, want)
			}
		}
	}
}

func TestPatterns(t *testing.T) {
	for _, tt := range []struct{ expr, text, want string }{
		{gpt2Pattern, "it's  x\n\n y", "it|'s| | x|\n\n| y"},
		{`[一-龥]+|\s`, "a 一龥\u00a0b", "a| |一龥|\u00a0|b"},
		{`[!"#\[\\\]][A-Za-z]+`, `x[ab\c!`, `x|[ab|\c|!`},
	} {
		if got := strings.Join(try.Get(newPattern(tt.expr, true))(t).cut(nil, tt.text), "|"); got != tt.want {
			t.Errorf("%s cuts %q into %q, want %q", tt.expr, tt.text, got, tt.want)
		}
	}
	for _, expr := range []string{`(a`, `a(?=b)`, `^a`, `a$`, `\d+`, `\w`, `\bx`, `a++`} {
		if _, err := newPattern(expr, true); err == nil {
			t.Errorf("%s is taken", expr)
		}
	}
}

func TestDecode(t *testing.T) {
	const text = "Ana\u2019s dog Rex was asleep \u2014 \u043f\u0440\u0438\u0432\u0435\u0442 \U0001F600\n\n  x=1;"
	for _, encoding := range Encodings() {
		ids, _, err := libraryCodecs[encoding]().Encode(text)
		try.Do(t, err)
		whole := make([]int, len(ids))
		for i, id := range ids {
			whole[i] = int(id)
		}
		if got, err := Decode(encoding, whole); err != nil || got != text {
			t.Errorf("%s: %q, %v", encoding, got, err)
		}
		for _, id := range []int{-1, 1 << 40, 300000} {
			if _, err := Decode(encoding, []int{id}); err == nil || !strings.Contains(err.Error(), "is not a token of "+encoding) {
				t.Errorf("%s: id %d: error %v", encoding, id, err)
			}
		}
	}
	// As OpenAI's tiktoken has it.
	if got, err := Decode("cl100k_base", []int{15339, 1917}); err != nil || got != "hello world" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Decode("none", nil); err == nil {
		t.Error("an unknown encoding decodes")
	}
}

// TestVocabularies compares the embedded vocabularies with OpenAI's files.
func TestVocabularies(t *testing.T) {
	for _, encoding := range Encodings() {
		ranks := try.Get(loader.NewOfflineLoader().LoadTiktokenBpe(encoding + ".tiktoken"))(t)
		v := embedded[encoding].vocabulary()
		for token, rank := range ranks {
			if id, ok := v.id(token); v.token(rank) != token || !ok || int(id) != rank {
				t.Fatalf("%s: token %d is %q, %q is %d", encoding, rank, v.token(rank), token, id)
			}
		}
		try.Equal(t, encoding, len(ranks), len(v.ends))
	}
}

package token

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	oracle "github.com/pkoukk/tiktoken-go"
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

// TestOracle compares with another implementation of the encodings.
func TestOracle(t *testing.T) {
	oracle.SetBpeLoader(loader.NewOfflineLoader())
	for _, name := range Encodings() {
		want := try.Get(oracle.GetEncoding(name))(t)
		c := codec(t, name)
		for _, s := range []string{
			"[1:56 pm on 8 May, 2023] Ana: I can't believe it's $3.50!\n- they're 12345 km away\n",
			"naïve café — “quotes” … 🙂🙃 中文\r\n\r\n\tif x /= 3 {\n",
			"<|endoftext|> <|im_start|>user",
			strings.Repeat("one long line of plain words without an end ", 100),
		} {
			if got, want := c.Count(s), len(want.Encode(s, nil, nil)); got != want {
				t.Errorf("%s: Count(%q) = %d, oracle says %d", name, s, got, want)
			}
		}
	}
}

func TestNewUnknown(t *testing.T) {
	_, err := New("p50k_base")
	if err == nil || !strings.Contains(err.Error(), "have o200k_base, cl100k_base") {
		t.Errorf("New(p50k_base) = %v, want an error that lists the encodings", err)
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

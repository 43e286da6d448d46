package token

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The tokens of each kind of tokenizer, found by hand from its merges.
var splits = []struct {
	name string
	file object
	text string
	want string // tokens with | between
}{
	{"qwen", qwen(), "hello world", "hello| wor|l|d"},
	{"qwen", qwen(), "hell ell", "hell| |e|ll"},
	{"qwen: a digit a word", qwen(), "x 123", "x| |1|2|3"},
	{"qwen: a character of two bytes", qwen(), "é", "é"},
	{"qwen: composed first", qwen(), "e\u0301é", "é|é"},
	{"qwen: special is plain", qwen(), "<|im_start|>", "<|||i|m|_|s|t|a|r|t|||>"},
	{"qwen: added is a token", qwen(), "a<think> hello", "a|<think>| |hello"},
	{"qwen: line feeds", qwen(), "!\n\nhello", "!|\n\n|hello"},
	{"llama3: words of the vocabulary are whole", llama3(), "hello world", "hello| world"},
	{"llama3: three digits a word", llama3(), "1231", "123|1"},
	{"llama3: folded case", llama3(), "x'LL", "x|'|L|L"},
	{"gpt2", with(qwen(), byteLevel(true), "pre_tokenizer"), "hello  world", "hello| | wor|l|d"},
	{"prefix space", with(with(qwen(), true, "pre_tokenizer"), object{
		"type": "ByteLevel", "add_prefix_space": true, "use_regex": true,
	}, "pre_tokenizer"), "wor", " wor"},
	{"bert", bert(), "Hello, unaffable!", "hello|,|un|aff|able|!"},
	{"bert: no piece", bert(), "unaffablex hello", "unaffablex|hello"},
	{"bert: too long", with(bert(), 3, "model", "max_input_chars_per_word"), "un unaff", "un|unaff"},
	{"bert: accents and characters", bert(), "hellö中un", "hello|中|un"},
	{"bert: control characters", bert(), "hel\x00lo\tun ", "hello|un"},
	{"not UTF-8", qwen(), "\xff", "\xef|\xbf|\xbd"},
}

func TestSplit(t *testing.T) {
	for _, tt := range splits {
		t.Run(tt.name, func(t *testing.T) {
			h := compiled(t, tt.file)
			text := tt.text
			got := h.Split(text)
			if diff := cmp.Diff(tt.want, strings.Join(got, "|")); diff != "" {
				t.Errorf("Split(%q) (-want +got):\n%s", text, diff)
			}
			if n := h.Count(text); n != len(got) {
				t.Errorf("Count(%q) = %d, want %d", text, n, len(got))
			}
		})
	}
}

// bytesOf reports whether the tokens of a text join to it.
func bytesOf(h *tokenizer) bool {
	_, ok := h.model.(*bpe)
	return ok && h.normalize == nil && len(h.cut) > 0
}

func TestAddedTokens(t *testing.T) {
	added := func(tokens ...object) object { return with(llama3(), tokens, "added_tokens") }
	for _, tt := range []struct {
		name string
		file object
		text string
		want string
	}{
		{"longest", added(object{"content": "ab"}, object{"content": "abc"}), "abcab", "abc|ab"},
		{"hidden by a special one", added(object{"content": "ab"}, special("abc", 9)), "abcab", "a|b|c|ab"},
		{"over a line", added(object{"content": "a\nb"}), "xa\nby", "x|a\nb|y"},
		{"not normalised", with(qwen(), []object{{"content": "ae\u0301"}}, "added_tokens"), "xaéy", "x|a|é|y"},
	} {
		h := compiled(t, tt.file)
		if got := strings.Join(h.Split(tt.text), "|"); got != tt.want {
			t.Errorf("%s: Split(%q) = %q, want %q", tt.name, tt.text, got, tt.want)
		}
		if got, want := h.Count(tt.text), len(h.Split(tt.text)); got != want {
			t.Errorf("%s: Count(%q) = %d, want %d", tt.name, tt.text, got, want)
		}
	}
}

// TestHostileFile counts texts that make a quadratic tokenizer stand still.
func TestHostileFile(t *testing.T) {
	for _, file := range []object{qwen(), llama3(), bert(), with(qwen(), byteLevel(true), "pre_tokenizer")} {
		h := compiled(t, file)
		for _, s := range []string{"a", "he", " ", "\n", "!", "'", "🙂", "\u0301", "\xff", "e\u0301", "<|im_start|>", "<think", "▁"} {
			text := strings.Repeat(s, 1<<14/len(s))
			tokens := h.Split(text)
			if n := h.Count(text); n != len(tokens) {
				t.Errorf("%q repeated: Count = %d, Split has %d", s, n, len(tokens))
			}
			if strings.Join(tokens, "") != valid(text) && bytesOf(h) {
				t.Errorf("%q repeated: Split does not join to the text", s)
			}
		}
	}
}

// FuzzLines checks that counting from what is remembered equals splitting the
// whole text, and that the tokens join to it.
func FuzzLines(f *testing.F) {
	for _, s := range []string{
		"a\nb", "a\n\n  b", "x!\n/y", "  \n  \n\tz", "don't\r\nstop\n", "é\ne\u0301\n中文\n", "\n", "a \n b\n 'll\n's",
		"1\n2\n345678\n", "\u2028\n\u00a0\n", "x!\n\n/y", "- A\nB's\n", "<think>\n<|im_start|>", "hello\n\u0301x", "\xff\n\xfe",
	} {
		f.Add(s)
	}
	var all []*tokenizer
	for _, file := range []object{llama3(), bert(), with(qwen(), byteLevel(true), "pre_tokenizer")} {
		all = append(all, compiled(f, file))
	}
	for _, pattern := range linePatterns {
		all = append(all, compiled(f, with(qwen(), asLlama(pattern), "pre_tokenizer")))
	}
	f.Fuzz(func(t *testing.T, s string) {
		for i, h := range all {
			tokens := h.Split(s)
			if got := h.Count(s); got != len(tokens) {
				t.Errorf("file %d: Count(%q) = %d, but it splits into %q", i, s, got, tokens)
			}
			if strings.Join(tokens, "") != valid(s) && bytesOf(h) {
				t.Errorf("file %d: Split(%q) = %q, which does not join to it", i, s, tokens)
			}
		}
	})
}

package pytext_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"recallbench/internal/text/pytext"
)

var hostile = []string{
	"", " ", "\x00", "\xff\xfe", "a\xc3", "İΣ", ". . . .", "..!?", "'tis cannot d'ye wanna\u2003x",
	"\"''``'\"", "dr. x. 3. y", strings.Repeat("a.", 99), strings.Repeat("y", 99) + "ing", "-- -.- ,,,:",
	"yyyational", "aalliallialli", "she said \"no.\") then -- left.\n\nso", "!\u00a0\xc2",
}

func FuzzText(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		lower, stem := pytext.Lower(s), pytext.Stem(s)
		// Only two letters have a lower case of their own here.
		if !strings.ContainsAny(s, "İΣ") && lower != strings.ToLower(s) || utf8.ValidString(s) && pytext.Lower(lower) != lower {
			t.Errorf("Lower(%q) = %q, and that in lower case is %q", s, lower, pytext.Lower(lower))
		}
		if got, want := pytext.AppendFields(nil, s), strings.FieldsFunc(s, pytext.IsSpace); !slices.Equal(got, want) {
			t.Errorf("Fields(%q) = %q, want %q", s, got, want)
		}
		if len(stem) > len(s)+1 || s != "" && stem == "" || utf8.RuneCountInString(s) <= 2 && stem != s {
			t.Errorf("Stem(%q) = %q", s, stem)
		}
		for _, token := range pytext.AppendRouge(nil, s) {
			if token == "" || strings.Trim(token, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
				t.Errorf("Rouge(%q) has %q", s, token)
			}
		}
		words := pytext.AppendWords(nil, s)
		if slices.Contains(words, "") || strings.ContainsFunc(strings.Join(words, "\x00"), pytext.IsSpace) {
			t.Errorf("Words(%q) = %q", s, words)
		}
		// But for white space and double quotes, words are the text cut up.
		if got, want := letters(strings.Join(words, " ")), letters(s); got != want {
			t.Errorf("Words(%q) = %q, which is %q, want %q", s, words, got, want)
		}
		checkSentences(t, s)
	})
}

// checkSentences looks for the sentences of a text from its beginning on, one after another:
// one that is half a character stands in white space too.
func checkSentences(t *testing.T, s string) {
	t.Helper()
	rest := s
	for k, sentence := range pytext.AppendSentences(nil, s) {
		if k > 0 { // the first keeps the white space before it
			rest = strings.TrimLeftFunc(rest, pytext.IsSpace)
		}
		after, found := strings.CutPrefix(rest, sentence)
		if !found || sentence == "" {
			t.Fatalf("Sentences(%q) has %q, want a beginning of %q", s, sentence, rest)
		}
		rest = after
	}
	if strings.TrimFunc(rest, pytext.IsSpace) != "" {
		t.Fatalf("Sentences(%q) leaves out %q", s, rest)
	}
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if pytext.IsSpace(r) || strings.ContainsRune("\"'`", r) {
			return -1
		}
		return r
	}, s)
}

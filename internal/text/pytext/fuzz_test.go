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
	"yyyational", "aalliallialli", "she said \"no.\") then -- left.\n\nso",
}

func addHostile(f *testing.F) {
	f.Helper()
	for _, s := range hostile {
		f.Add(s)
	}
}

func FuzzLower(f *testing.F) {
	addHostile(f)
	f.Fuzz(func(t *testing.T, s string) {
		got := pytext.Lower(s)
		// Only two letters have a lower case of their own here.
		if !strings.ContainsAny(s, "İΣ") && got != strings.ToLower(s) {
			t.Errorf("Lower(%q) = %q, want %q", s, got, strings.ToLower(s))
		}
		if utf8.ValidString(s) && pytext.Lower(got) != got {
			t.Errorf("Lower(%q) = %q, and that in lower case is %q", s, got, pytext.Lower(got))
		}
	})
}

func FuzzFields(f *testing.F) {
	addHostile(f)
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := pytext.AppendFields(nil, s), strings.FieldsFunc(s, pytext.IsSpace); !slices.Equal(got, want) {
			t.Errorf("Fields(%q) = %q, want %q", s, got, want)
		}
	})
}

func FuzzSentences(f *testing.F) {
	addHostile(f)
	f.Add("!\u00a0\xc2")
	f.Fuzz(func(t *testing.T, s string) {
		rest := s
		for k, sentence := range pytext.AppendSentences(nil, s) {
			// The first keeps the white space before it, the others do not. To
			// look for a sentence would not do: one that is half a character
			// stands in white space too.
			if k > 0 {
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
	})
}

func FuzzWords(f *testing.F) {
	addHostile(f)
	f.Fuzz(func(t *testing.T, s string) {
		words := pytext.AppendWords(nil, s)
		var got strings.Builder
		for _, w := range words {
			got.WriteString(letters(w))
			if w == "" || strings.ContainsFunc(w, pytext.IsSpace) {
				t.Fatalf("Words(%q) has %q", s, w)
			}
		}
		// But for white space and double quotes, words are the text cut up.
		if want := letters(s); got.String() != want {
			t.Errorf("Words(%q) = %q, which is %q, want %q", s, words, got.String(), want)
		}
	})
}

func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if pytext.IsSpace(r) || strings.ContainsRune("\"'`", r) {
			return -1
		}
		return r
	}, s)
}

func FuzzStem(f *testing.F) {
	addHostile(f)
	f.Fuzz(func(t *testing.T, s string) {
		stem := pytext.Stem(s)
		if len(stem) > len(s)+1 || s != "" && stem == "" {
			t.Errorf("Stem(%q) = %q", s, stem)
		}
		if utf8.RuneCountInString(s) <= 2 && stem != s {
			t.Errorf("Stem(%q) = %q, want it unchanged", s, stem)
		}
	})
}

func FuzzRouge(f *testing.F) {
	addHostile(f)
	f.Fuzz(func(t *testing.T, s string) {
		for _, token := range pytext.AppendRouge(nil, s) {
			if token == "" || strings.Trim(token, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
				t.Errorf("Rouge(%q) has %q", s, token)
			}
		}
	})
}

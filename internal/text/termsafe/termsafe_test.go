package termsafe

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"Zoë said \u201chi\u201d": "Zoë said \u201chi\u201d",
		"a\x1b[31mb\r\n\tc":       "a [31mb   c",
		"a\u202eb\u2028c\x9b\xff": "a b c\ufffd",
	} {
		if got := Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"Zoë said \u201chi\u201d \\": "Zoë said \u201chi\u201d \\",
		"a\x1b[31mb\r\nc\td\ne":      `a\x1b[31mb⏎ c d⏎ e`,
		"a\u202eb\u2028c\u009b\xffd": `a\u202eb\u2028c\u009b\xffd`,
		"a\x00b\ufffd":               "a\\x00b\ufffd",
		"👩\u200d👧":                   "👩\u200d👧",
	} {
		if got := Visible(in); got != want {
			t.Errorf("Visible(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\x1b[31m\u202e\xff\r\n")
	f.Fuzz(func(t *testing.T, s string) {
		got := Visible(s)
		if plain := strings.NewReplacer("\u200c", "", "\u200d", "").Replace(got); got != Visible(got) || Text(plain) != plain {
			t.Errorf("Visible(%q) = %q, which is not plain", s, got)
		}
	})
}

package termsafe

import "testing"

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
		if got != Visible(got) || Text(got) != got && !hasJoiner(got) {
			t.Errorf("Visible(%q) = %q, which is not plain", s, got)
		}
	})
}

func hasJoiner(s string) bool {
	for _, r := range s {
		if r == '\u200c' || r == '\u200d' {
			return true
		}
	}
	return false
}

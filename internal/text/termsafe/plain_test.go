package termsafe

import "testing"

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

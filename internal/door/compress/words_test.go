package compress

import (
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "",
		" \t\n":                     "",
		"Hey, Mel! It's 3.5 km":     "Hey|,|Mel|!|It|'|s|3|.|5|km",
		"naïve cafe\u0301 ￥5":       "naïve|cafe\u0301|￥|5",
		"我爱 AI模型ok":                 "我|爱|AI|模|型|ok",
		"a\u00a0b\u3000c":           "a|b|c",
		"x\x00y \xff\xfe z":         "x\x00y|\xff|\xfe|z",
		"🙂🙂 so":                     "🙂|🙂|so",
		"snake_case-and…dots":       "snake|_|case|-|and|…|dots",
		strings.Repeat("a", 100000): strings.Repeat("a", 100000),
	} {
		var got []string
		for _, w := range Words(text) {
			got = append(got, text[w[0]:w[1]])
		}
		if joined := strings.Join(got, "|"); joined != want {
			t.Errorf("%.40q: %.80q, want %.80q", text, joined, want)
		}
	}
}

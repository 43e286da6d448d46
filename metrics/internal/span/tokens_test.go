package span

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNextWord cuts random texts as a pattern does.
func TestNextWord(t *testing.T) {
	pattern := regexp.MustCompile(`(?:\pL(?:['’]\pL)*|\p{Nd}(?:[.,:]\p{Nd})*|\p{Mn})+`)
	alphabet := []string{"a", "B", "é", "ж", "9", "٣", "\u0301", "'", "’", ".", ",", ":", " ", "\n", "$", "-", "\xff", "漢"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		var parts []string
		for range random.IntN(12) {
			parts = append(parts, alphabet[random.IntN(len(alphabet))])
		}
		text := strings.Join(parts, "")
		var got []string
		for rest := text; ; {
			start, end := nextWord(rest)
			if start == len(rest) {
				break
			}
			got, rest = append(got, rest[start:end]), rest[end:]
		}
		if want := pattern.FindAllString(text, -1); !slices.Equal(got, want) {
			t.Fatalf("%q is cut into %q, want %q", text, got, want)
		}
	}
}

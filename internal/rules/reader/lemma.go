package reader

import (
	_ "embed"
	"strings"
)

// irregular maps forms that no suffix rule reaches to their base form.
var irregular = pairs(irregularForms)

//go:embed irregular.txt
var irregularForms string

// pairs reads "form base form base ...".
func pairs(words string) map[string]string {
	m := make(map[string]string)
	f := strings.Fields(words)
	for i := 0; i+1 < len(f); i += 2 {
		m[f[i]] = f[i+1]
	}
	return m
}

// lemma returns the base form of irregular words; other words are left to the
// stemmer.
func lemma(low string) string {
	if base, ok := irregular[low]; ok {
		return base
	}
	low = strings.TrimRight(low, "+")
	return strings.TrimSuffix(low, "'")
}

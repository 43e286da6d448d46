package expect

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"recallbench/internal/calc/lists"
)

// word is a number, with what may stand inside of one, or a run of letters.
var word = regexp.MustCompile(`\p{Nd}+(?:[.,:/-]\p{Nd}+)*|[\p{L}\p{M}]+`)

// thousands are the commas of a number such as 1,250.
var thousands = regexp.MustCompile(`,(\p{Nd}{3})`)

// possessive is what a name has behind it where it owns something.
var possessive = regexp.MustCompile(`['’][sS]\b`)

// words cuts a text into lower-case words without accents. A clock time, a
// date or a decimal is one word, so that 4 is not found in 4:30; apostrophes
// are left out, and the s of a possessive.
func words(s string) []string {
	s = possessive.ReplaceAllString(s, "")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\'' || r == '’' || unicode.Is(unicode.Mn, r):
			return -1
		case unicode.Is(unicode.Pd, r):
			return '-'
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
	found := word.FindAllString(s, -1)
	for i, w := range found {
		if strings.Contains(w, ",") {
			found[i] = thousands.ReplaceAllString(w, "$1")
		}
	}
	return found
}

// contains reports whether the words of part stand in all next to each other.
func contains(all, part []string) bool {
	joined := func(words []string) string { return " " + strings.Join(words, " ") + " " }
	return len(part) > 0 && strings.Contains(joined(all), joined(part))
}

// pattern returns the regular expression of a value; nil for none.
func (v Value) pattern() (*regexp.Regexp, error) {
	if v.Matches == "" {
		return nil, nil
	}
	return regexp.Compile(v.Matches)
}

// met reports whether a text is as the value wants it. A pattern that does not
// compile is met by nothing.
func (v Value) met(text string) bool {
	have := words(text)
	re, err := v.pattern()
	return (len(v.Equals) == 0 || slices.ContainsFunc(v.Equals, func(s string) bool { return slices.Equal(words(s), have) })) &&
		(len(v.Has) == 0 || slices.ContainsFunc(v.Has, func(s string) bool { return contains(have, words(s)) })) &&
		err == nil && (re == nil || re.MatchString(text))
}

// String says what the value wants, for messages.
func (v Value) String() string {
	var parts []string
	if len(v.Equals) > 0 {
		parts = append(parts, quoted(v.Equals))
	}
	if len(v.Has) > 0 {
		parts = append(parts, "something with "+quoted(v.Has))
	}
	if v.Matches != "" {
		parts = append(parts, fmt.Sprintf("a match of %q", v.Matches))
	}
	if len(parts) == 0 {
		return "anything"
	}
	return strings.Join(parts, " and ")
}

// quoted lists variants for messages.
func quoted(variants []string) string {
	return strings.Join(lists.Map(variants, strconv.Quote), " or ")
}

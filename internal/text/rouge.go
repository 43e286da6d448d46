package text

// alphanumeric separates all but a to z and the digits.
var alphanumeric = Separate(func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })

// AppendRouge appends to dst the tokens of s as Google's rouge_score makes them with its
// stemmer on: runs of [a-z0-9] of the text in lower case, the stem of those
// longer than three characters. A letter outside ASCII separates.
func AppendRouge(dst []string, s string) []string {
	start := len(dst)
	dst = alphanumeric.Append(dst, Lower(s))
	for i, token := range dst[start:] {
		if len(token) > 3 {
			dst[start+i] = Stem(token)
		}
	}
	return dst
}

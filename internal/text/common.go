package text

// IsCommon reports whether a word, given in lower case, was met without a
// capital in the news texts that the English parameters of [AppendSentences]
// were trained on: "place" was, "rachel" was not. A word that was not may
// still be an English one, for the texts were not long.
func IsCommon(low string) bool {
	return english().OrthoContext[low]&anyLower != 0
}

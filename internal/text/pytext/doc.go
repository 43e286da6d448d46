// Package pytext takes text apart the way the reference scorers do, which are
// written in Python: lower-casing, white space and word characters follow
// Python's str and re, [AppendWords] and [AppendSentences] follow NLTK's
// word_tokenize, [Stem] its PorterStemmer, [AppendRouge] the tokenizer of
// rouge_score. Each is meant to equal its reference for every string, but for
// the departures that it names, because only then are metrics the same to 1e-9.
//
// Texts are UTF-8. A byte that is not part of a valid sequence reads as
// U+FFFD, which a Python string would hold in its place. The Unicode version
// is that of package unicode; it differs from a Python's only in characters
// assigned since.
package pytext

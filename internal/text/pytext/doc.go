// Package pytext splits text the way the reference scorers do, which are
// written in Python: lowercasing, white space and word characters follow
// Python's str and re, [AppendWords] and [AppendSentences] follow NLTK's
// word_tokenize, [Stem] its PorterStemmer, [AppendRouge] the tokenizer of
// rouge_score. Each is meant to equal its reference for every string, except
// for the departures that it documents, because only then are metrics the same
// to 1e-9.
//
// Texts are UTF-8. A byte that is not part of a valid sequence reads as U+FFFD,
// as in a Python string. The Unicode version is that of package unicode; it
// differs from Python's only in characters assigned since.
package pytext

// Package prune shortens texts by leaving words out, as LLMLingua-2 does (Pan et
// al., Findings of ACL 2024; package llmlingua 0.2.2).
//
// A [Classifier] says of each token of a text how probable it is that it is
// kept. A [Pruner] makes words of tokens, whose probability is the mean of
// theirs, and keeps the likeliest words in their order, so many that the rate
// asked for is what is left of the text's tokens. No question is looked at: a
// text is shortened once, whatever it will be asked.
//
// There are two kinds of classifiers. That of LLMLingua-2 is a model, which a
// model entry brings as a door. [IDF] is none: it ranks words by how few of a
// memory's texts have them, stop words last, and stands in where there is no
// model. Its results are idf-prune's and not LLMLingua-2's.
//
// # Departures
//
// LLMLingua-2 writes the kept tokens with the tokenizer's spaces, so that "It's"
// becomes "It ' s"; here words that touched still touch. It cuts words at the
// marks of its tokenizer; here at white space, punctuation and symbols, and
// around each Chinese character, which is where multilingual BERT cuts too,
// whatever the classifier's tokenizer does. It loses all words as unlikely as
// the threshold; here the first of them stay while the rate allows, because a
// ranking that is no model's has many alike. A text of which nothing would be
// left stays as it is, as in LightMem's use of it.
package prune

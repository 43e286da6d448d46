// Package english has general knowledge of English: one tokenizer, one sentence
// splitter, lemmas, numbers and word lists.
//
//   - token.go: [Sentences] cuts a text into sentences of tokens, as the Penn
//     Treebank has them.
//   - lemma.go: [Lemma] undoes inflections, and [Past] knows irregular forms.
//   - number.go: [Number] and [Ordinal] read numbers in digits or letters.
//   - words.go: [Set], [Forms], [Phrases], [Lines] and [Kinds] read the lists of words.txt.
//
// The lists are general English. No list knows a name from a dataset.
package english

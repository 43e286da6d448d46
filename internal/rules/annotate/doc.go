// Package annotate annotates dialogues by rules: what the offline
// backend knows of sentences, names, dependencies, coreference and discourse.
//
// A request goes through five steps, one file or a few for each:
//
//   - tokens.go, tag.go, lemma.go: sentences as Punkt cuts them, tokens as the
//     Penn Treebank has them, parts of speech by prose's perceptron with
//     corrections for chat, lemmas.
//   - names.go, and gazetteer.go, values.go, clock.go, capitals.go, lowername.go and
//     nametype.go under it: entities. Names that are known come first, then values
//     by their form, then capitals, then what is said of a name in lower case.
//   - chunk.go, parse.go, frame.go: noun phrases and dependencies within clauses.
//     It is not a parser: see [recallbench/internal/backend/linkgrammar] for one.
//   - coref.go, mention.go, and a file for each kind of mention and link:
//     coreference in one pass, from left to right, over the speakers, what was known
//     and what the session brings.
//   - discourse.go, connectives.go: relations that a connective signals.
//
// The lists of wordlists.go are general English. No rule knows a name from a
// dataset.
//
// A value, such as 9 am or Friday, is an entity too, and all that say the same
// value are one cluster: the measure of coherence compares clusters of values.
// Beyond the types of OntoNotes there is CODE, for reference numbers, numbers of
// trains, postcodes and telephone numbers.
package annotate

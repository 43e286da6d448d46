// Package annotator annotates English dialogues by rules, without a model: sentences,
// names, dependencies, coreference and discourse.
//
// A request goes through the layers, a file or a few for each:
//
//   - sentence.go, tag.go: tokens and lemmas of package english, parts of speech by
//     prose's perceptron with corrections for chat.
//   - entity.go, with gazetteer.go, value.go, name.go and type.go under it: names that
//     are known come first, then values by their form, then capitals, then what is
//     said of a name in lower case.
//   - chunk.go, parse.go: noun phrases and dependencies within clauses. It is not a
//     parser: see [recallbench/internal/backend/corenlp] for one.
//   - coref.go, with person.go, mention.go, nominal.go and pronoun.go: coreference in
//     one pass, from left to right, over the speakers, what was known and what the
//     session brings.
//   - discourse.go: relations that a connective signals.
//
// A value, such as 9 am or Friday, is an entity too, and all that say the same
// value are one cluster: the measure of coherence compares clusters of values.
// Beyond the types of OntoNotes there is CODE, for reference numbers, numbers of
// trains, postcodes and telephone numbers.
package annotator

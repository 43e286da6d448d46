// Package annotator annotates English dialogues by rules, without a model: sentences,
// names, dependencies, coreference and discourse.
//
// A request passes through the layers, each in one or a few files:
//
//   - sentence.go, tag.go: tokens and lemmas of package english, parts of speech by
//     prose's perceptron with corrections for chat.
//   - entity.go, with gazetteer.go, value.go and name.go under it: known
//     names come first, then values by their form, then capitalized words, then
//     lowercase names by their context.
//   - parse.go: noun phrases and dependencies within clauses. It is not a
//     parser: see [recallbench/internal/backend/corenlp] for one.
//   - coref.go, with person.go, mention.go, nominal.go and pronoun.go: coreference in
//     one pass, from left to right, over the speakers, known entities and those of
//     the session.
//   - discourse.go: relations that a connective signals.
//
// A value, such as 9 am or Friday, is an entity too, and all mentions of the
// same value are one cluster: the coherence metric compares clusters of values.
// Beyond the types of OntoNotes there is CODE, for reference numbers, train
// numbers, postcodes and telephone numbers.
package annotator

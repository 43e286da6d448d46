// Package standin is the backend that needs no model, no network and no download: it
// stands in for a model to try, estimate or test a pipeline.
//
// Like a model it sees only the rendered messages of a call and the required form of the
// reply. It answers a question with the sentence of the messages that has the rarest of
// its words, or with that sentence's date; it extracts one fact per sentence; everything
// else gets the smallest value that fits the schema. Its embedder hashes words, its
// entailment counts shared words. All of it is deterministic.
//
// Its scores show that a pipeline runs, and nothing about the method. They are marked
// wherever they appear.
package standin

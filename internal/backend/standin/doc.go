// Package standin is the backend that needs no model, no network and no download: it
// stands in for a model where a pipeline is tried, estimated or tested.
//
// Like a model it sees nothing but the rendered messages of a call and the form that the
// reply has to have. A question is answered by the sentence of the messages that has the
// rarest of its words, or by that sentence's date; what is to be remembered of messages
// is one fact a sentence; everything else gets the least that fits the schema. Its
// embedder hashes words, its entailment counts those that two texts share. All of it is
// deterministic.
//
// Its figures say that a pipeline runs, and nothing about the method. They are marked
// wherever they appear.
package standin

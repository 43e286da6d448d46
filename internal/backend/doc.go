// Package backend says what an entry of a config's models list is: something
// that opens the doors.
//
// Its wing holds the two backends, real models (provider) and the stand-in (standin). It has
// clients of servers and of models on this machine (openai, tei, corenlp, onnx), put
// together for annotation (annotators); and what is true of every call: recordings
// (calls), limits and retries (limit, interrupt, httpfault), budget and price.
package backend

// Package backend defines what an entry of a run file's models list is:
// something that opens connections to models.
//
// Below it are the two backends, real models (provider) and the stand-in (standin);
// clients of servers and of models on this machine (openai, tei, corenlp, onnx), combined
// for annotation (annotators); and what applies to every call: recordings (calls), limits
// and retries (limit, interrupt, httpfault), budget and price.
package backend

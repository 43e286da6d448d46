// Package modelserver plays a provider of models for tests: chat completions,
// plain completions, embeddings and the list of models as OpenAI-compatible
// servers have them, and entailment as text-embeddings-inference has it.
//
// Every reply is a function of its request that a test can compute by itself
// ([Answer], [AnswerJSON], [Embedding], [Entail]), so that a test sees not only
// that a reply came but that it was the right one. [Options] make the server
// slow, picky about parameters, or bad: a [Fault] meets attempts at a given
// rate. Whether an attempt meets one, and which, depends on a seed, the bytes
// of the request and how often they have come, not on the order of requests,
// so that a test with many calls in flight can be repeated. [Server.Stats]
// says what happened.
//
// Only tests use this package. It imports no package of the module, so that it
// cannot agree with a client's mistake.
package modelserver

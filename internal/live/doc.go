// Package live is the backend of real models: chat models and embeddings behind
// any OpenAI-compatible server, local ONNX models, classifiers behind
// text-embeddings-inference, and classifiers of tokens behind a server of the
// user's.
//
// The doors are wrapped in one order: the client of a server, the limits and
// retries of its account with the run's budget, the recorder, and then what the
// runner puts around every backend, the meter. So a recorded call takes no
// place in a queue and no part of a budget, and is metered like any other.
package live

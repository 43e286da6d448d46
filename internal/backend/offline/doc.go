// Package offline is the backend that needs no model, no network and no
// download.
//
// Its embedder is fitted on the texts of each memory: TF-IDF with latent
// semantic analysis, and the same weights folded by hashing for words that
// must match exactly. Its reader answers a question from passages by rules of
// English: it finds out what is asked for, ranks the sentences of the
// passages, and takes the answer from the best of them, with dates resolved
// by package timex. Values that a service is asked for, such as telephone
// numbers and times, are found by their shape. A probe is answered likewise, with an estimate of how well
// the passages support the answer in place of log-probabilities. Tasks of
// structured memories go to package tree, those of building memories to
// package memory. All of it is deterministic: the same input and seed give
// the same bytes.
//
// No language model stands behind the answers, so results of this backend are
// marked offline and not compared with published ones. docs/offline.md says
// what the rules are, and how good.
package offline

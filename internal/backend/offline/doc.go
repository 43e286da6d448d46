// Package offline is the backend that needs no model, no network and no
// download.
//
// Its embedder is fitted on the texts of each memory: TF-IDF with latent
// semantic analysis, and the same weights folded by hashing for words that
// must match exactly. Tasks go to rules of English: questions about passages and
// probes to package reader, tasks of structured memories to package tree, those
// of building memories to package memory. All of it is deterministic: the same
// input and seed give the same bytes.
//
// No language model stands behind the answers, so results of this backend are
// marked offline and not compared with published ones. docs/offline.md says
// what the rules are, and how good.
package offline

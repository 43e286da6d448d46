// Package door is the parent of the packages that connect to models, one each for chat
// (llm), embeddings (embed), entailment (nli), linguistic annotation (annotate) and
// shortening of texts (compress), with what every call has in common: prompts, faults,
// tokens and the meter.
package door

// Package annotators puts the annotators of a models entry together, as its options
// say: the built-in English rules or a CoreNLP server give sentences, tokens and most
// layers, and a chat model the layers that are asked of it, on those same tokens.
package annotators

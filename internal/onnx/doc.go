// Package onnx runs small models from folders of the user: sentence embedders
// and classifiers of entailment, as Hugging Face's libraries export them.
//
// A folder of a sentence embedder, in the layout of sentence-transformers:
//
//	onnx/model.onnx or model.onnx   the graph and its weights
//	tokenizer.json                  how texts become tokens
//	config.json                     pad token, number of positions
//	modules.json                    whether there is a Normalize, optional
//	1_Pooling/config.json           how token vectors become one, optional
//	sentence_bert_config.json       longest input, optional
//
// A folder of a classifier, in the layout of transformers, such as that of a
// model trained on MNLI:
//
//	onnx/model.onnx or model.onnx
//	tokenizer.json
//	config.json                     with id2label: which logit is entailment
//
// Graphs are run by github.com/gomlx/onnx-gomlx and its backend in pure Go,
// which are what github.com/knights-analytics/hugot stands on. That library's
// own pipelines are not used: they end the process at an input that its
// tokenizer does not take, pad texts of models with an end token on the wrong
// side, and join premise and hypothesis by a separator where a model wants its
// own special tokens. Texts are tokenised by internal/token, so that a special
// token's name within a text is plain text.
//
// Nothing is fetched, no socket is opened, and nothing is logged: a folder
// holds all that is needed.
//
// Pure Go is slow: on two cores a sentence of 16 tokens took 0.17 s alone and
// 0.06 s in batches of 16 in a model of the size of MiniLM, the attention's
// softmax left out (go test ./internal/onnx -run - -bench Embed). For more than
// a few thousand texts use a server.
//
// The runtime has no NonZero, GatherND and ArgMax. An export of BART's
// classifier, which picks the vector of the end token by its place, is likely
// to need them; OpenClassifier names the operators that are missing, and
// internal/tei asks a server that has them. Classifiers that take the first
// token's vector, such as RoBERTa's, do without.
package onnx

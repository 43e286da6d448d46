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
// Graphs are run by ONNX Runtime, whose shared library the user brings: named
// in [EmbedOptions], in the environment variable BENCH_ONNXRUNTIME, or found by
// the system's loader. It is called without cgo, by
// github.com/ebitengine/purego, through the first version of its C interface,
// which every ONNX Runtime has. Texts are tokenised by internal/token, so that
// a special token's name within a text is plain text.
//
//	library.go   finding the library; library and session, which tests replace
//	ort.go       the C interface
//	weights.go   which files the graph's weights stand in
//	graph.go     inputs and outputs, checked before anything runs
//	batches.go   texts of like length together
//
// A shared library runs with the rights of the program, and a fault in it ends
// the program. So a model's folder is never searched for one, weights are read
// from within the folder only, inputs, outputs and sizes are checked here, and
// what the library refuses is an error that names the file.
//
// Nothing is fetched, no socket is opened, and nothing is logged: ONNX Runtime
// sends usage to its maker unless told otherwise before it starts, and it is
// told.
//
// docs/design/onnx.md says why this runtime, docs/performance.md how fast it is.
package onnx

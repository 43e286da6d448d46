// Package onnx runs small local models: sentence embedders and classifiers of
// entailment.
package onnx

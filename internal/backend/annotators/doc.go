// Package annotators puts annotators together: one backend for each layer, as the
// options of a models entry say.
//
// The backend of the tokens cuts the utterances. What other backends say of their
// own tokens is carried over by the bytes that the tokens stand for, see align.go.
package annotators

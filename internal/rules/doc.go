// Package rules is the wing of the stand-in for a language model: rules of English that keep
// a pipeline testable without one. Package offline alone imports it.
package rules

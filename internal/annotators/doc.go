// Package annotators puts annotators together: one backend for each layer.
package annotators

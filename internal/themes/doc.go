// Package themes arranges the semantics of a memory in themes.
package themes

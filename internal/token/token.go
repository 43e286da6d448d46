// Package token counts tokens.
package token

// A Counter counts the tokens of a text as a model's tokenizer splits it,
// special tokens read as plain text. It is safe for concurrent use.
type Counter interface {
	// Name is the tokenizer's name, such as "o200k_base".
	Name() string
	Count(text string) int
}

// Package token counts tokens.
package token

// A Counter counts the tokens of a text as a model's tokenizer splits it,
// special tokens read as plain text. It is safe for concurrent use.
type Counter interface {
	// Name is the tokenizer's name, such as "o200k_base".
	Name() string
	Count(text string) int
}

// A Codec is a Counter that can also cut a text into its tokens.
type Codec interface {
	Counter
	// Split returns the tokens of text as strings; they join to text, in
	// which a byte that is not UTF-8 is replaced by U+FFFD. A token may hold a
	// part of a character only.
	Split(text string) []string
}

// Package token counts tokens.
//
// [Open] finds a tokenizer by name: one of OpenAI's encodings, which are
// embedded (see [New]), or the tokenizer.json of a Hugging Face model, read
// from a local file. [ForModel] knows which encoding a hosted model uses.
//
// A tokenizer.json says in steps what its tokenizer does: it normalises the
// text, cuts it into words, and splits each word into tokens of its
// vocabulary. The steps are compiled when the file is opened, and every fault
// of the file shows then; afterwards a text of any kind can be counted.
package token

// A Counter counts the tokens of a text as a model's tokenizer splits it,
// special tokens read as plain text. It is safe for concurrent use.
//
// In the words of Hugging Face's library that is encode(text,
// add_special_tokens=False, split_special_tokens=True): an added token that is marked
// as special, such as <|im_start|>, is plain text where a text holds it. One that is
// not, such as Qwen3's <think>, is the one token that it is for the model.
type Counter interface {
	// Name identifies the tokenizer: "o200k_base", or a file by its folder's
	// name and its hash, "qwen3-8b/tokenizer.json sha256:aeb13307".
	Name() string
	Count(text string) int
}

// A Codec is a Counter that can also cut a text into its tokens.
type Codec interface {
	Counter
	// Split returns the tokens of text as strings. They are as many as Count
	// says, and join to text, in which a byte that is not UTF-8 is replaced by
	// U+FFFD. A token may hold a part of a character only.
	//
	// Where a tokenizer normalises, as BERT's does, they join to the normalised text
	// without its white space.
	Split(text string) []string
}

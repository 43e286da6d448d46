package openai

import "encoding/json"

// batchTokens bounds the tokens of a request. OpenAI takes 300,000. A text that is
// larger makes a request of its own.
const batchTokens = 100_000

// EmbedConfig says where an embedding model is and how it is used. The quirks are those
// of chats.
type EmbedConfig struct {
	Config

	// Dimensions is the length of vectors to ask for, from models that can give
	// several; 0 is the model's own.
	Dimensions int
	// BatchTexts bounds the texts of a request. Gemini takes 100.
	BatchTexts int
	// Count counts the tokens of a text.
	Count func(string) int
	// QueryPrefix and DocumentPrefix are put before texts, for models that want
	// to be told what a text is for.
	QueryPrefix, DocumentPrefix string
	// Encoding is how vectors travel: "float", the default, or "base64", which
	// is smaller and faster where the server has it.
	Encoding string
}

// fixed returns the canonical JSON of the choices that vectors depend on, those
// with their default value left out.
func (c EmbedConfig) fixed() (json.RawMessage, error) {
	// The fields stand in the order of their names.
	return json.Marshal(struct {
		Dimensions     int    `json:"dimensions,omitempty"`
		DocumentPrefix string `json:"document_prefix,omitempty"`
		QueryPrefix    string `json:"query_prefix,omitempty"`
	}{c.Dimensions, c.DocumentPrefix, c.QueryPrefix})
}

package provider

// A ChatUse is a kind of chat model.
type ChatUse string

// standIn is the use that needs no model.
const standIn = "stand-in"

// Values lists the choices.
func (ChatUse) Values() []string { return []string{"openai", standIn} }

// A System is a way to send a system message.
type System string

// Values lists the choices.
func (System) Values() []string { return []string{"system", "developer", "user"} }

// A MaxTokensField is a name of the bound of a reply's length.
type MaxTokensField string

// Values lists the choices.
func (MaxTokensField) Values() []string { return []string{"max_tokens", "max_completion_tokens"} }

// A Parameter is a parameter of a request that a model may refuse.
type Parameter string

// Values lists the choices.
func (Parameter) Values() []string {
	return []string{"temperature", "seed", "max_tokens", "logprobs", "top_logprobs", "response_format"}
}

// An EmbedUse is a kind of embedding model.
type EmbedUse string

// Values lists the choices.
func (EmbedUse) Values() []string { return []string{"none", "openai", "onnx", standIn} }

// An NLIUse is a kind of model of entailment.
type NLIUse string

// Values lists the choices.
func (NLIUse) Values() []string { return []string{"none", "tei"} }

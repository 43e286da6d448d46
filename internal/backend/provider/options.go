package provider

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"recallbench/internal/backend"
	"recallbench/internal/backend/annotators"
	"recallbench/internal/backend/httpfault"
	"recallbench/internal/backend/limit"
	"recallbench/internal/backend/openai"
	"recallbench/internal/backend/price"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/nli"
	"recallbench/internal/text/redact"
)

// standIn is the use that needs no model.
const standIn = "stand-in"

// A ChatUse is a kind of chat model.
type ChatUse string

// Values lists the choices.
func (ChatUse) Values() []string { return []string{"openai", standIn} }

// An EmbedUse is a kind of embedding model.
type EmbedUse string

// Values lists the choices.
func (EmbedUse) Values() []string { return []string{"none", "openai", "onnx", standIn} }

// An NLIUse is a kind of model of entailment.
type NLIUse string

// Values lists the choices.
func (NLIUse) Values() []string { return []string{"none", "tei"} }

// Options name the models behind the doors. A door without a model is missing,
// and a method that needs it says so before anything is spent.
type Options struct {
	Chat  Chat  `yaml:"chat"`
	Embed Embed `yaml:"embed"`
	NLI   NLI   `yaml:"nli"`
	// Roles are further chat models, by the role of the calls that go to them
	// instead of chat: {probe: {base_url: ..., model: ...}} for a prober, which
	// gives the log-probabilities that chat does not. Each has the keys of chat.
	Roles Roles `yaml:"roles,omitempty"`
	Prune Prune `yaml:"prune"`
	// Annotate configures the annotation of dialogues.
	Annotate annotators.Options `yaml:"annotate"`
	// Tokenizer counts tokens for chunks, estimates and the paper's accounting:
	// o200k_base, cl100k_base, or a Hugging Face tokenizer.json or its folder.
	// By default the encoding of the chat model if it is known, else
	// o200k_base, with a note that it is not the model's own.
	Tokenizer string `yaml:"tokenizer"`
}

// A Server describes where a model is served, and how to reach it. Replies do
// not depend on it, except for the address or the provider's name.
type Server struct {
	// BaseURL is the address of the server's API, such as
	// https://api.openai.com/v1.
	BaseURL string `yaml:"base_url"`
	// Key says where the key is read from; a server without keys needs none.
	Key backend.Key `yaml:"key"`
	// Provider names the server in recordings, and the account whose limits it
	// shares; the host and port of base_url by default. With a name, recordings
	// are found again after the server has moved.
	Provider string `yaml:"provider"`
	// Limits restrict what is sent. They change no reply.
	Limits limit.Settings `yaml:"limits"`
}

// Chat is the language model.
type Chat struct {
	// Use is openai (an OpenAI-compatible server) or stand-in (no model; requires
	// embed.use onnx or stand-in).
	Use    ChatUse `yaml:"use"`
	Server `yaml:",inline"`
	// Model is the server's name of the model.
	Model         string `yaml:"model"`
	openai.Quirks `yaml:",inline"`
	// ReasoningTokens is added to the limit on a reply's length, for models whose
	// reasoning counts as output.
	ReasoningTokens int `yaml:"reasoning_tokens" jsonschema:"minimum=0"`
	// SendSeed sends the run's seed if a method sets none.
	SendSeed bool `yaml:"send_seed"`
	// Price overrides the price table for the model: {input, output, cached} in dollars
	// per million tokens.
	Price *price.Listing `yaml:"price,omitempty"`
}

// Embed is the embedding model.
type Embed struct {
	// Use is openai (/embeddings of an OpenAI-compatible server), onnx (a local
	// model), stand-in (hashed words) or
	// none.
	Use    EmbedUse `yaml:"use"`
	Server `yaml:",inline"`
	// Model is the server's name of the model. For a local model it names the
	// folder in recordings: by default the folder's name and a hash of its
	// files.
	Model string `yaml:"model"`
	// Dimensions is the requested length of vectors; 0 is the model's own.
	Dimensions int `yaml:"dimensions" jsonschema:"minimum=0"`
	// BatchTexts is the largest number of texts of one request, or of one run
	// of a local model.
	BatchTexts int `yaml:"batch_texts" jsonschema:"minimum=1"`
	// Dir is the folder of a local model in the layout of sentence-transformers: by
	// default the folder named after the model where bench data fetch puts it, below
	// BENCH_MODELS or models in the working directory.
	Dir string `yaml:"dir"`
	// Runtime is ONNX Runtime's shared library, or a folder that has it, for a
	// local model: by default the value of the environment variable
	// BENCH_ONNXRUNTIME, or the library that the system's loader finds.
	Runtime string `yaml:"runtime"`
	// QueryPrefix is put before queries, as some models require.
	QueryPrefix string `yaml:"query_prefix"`
	// DocumentPrefix is put before documents.
	DocumentPrefix string `yaml:"document_prefix"`
	// Price overrides the price table for the model: {input, output, cached} in dollars
	// per million tokens.
	Price *price.Listing `yaml:"price,omitempty"`
}

// NLI is the entailment model.
type NLI struct {
	// Use is tei (text-embeddings-inference's /predict) or none.
	Use    NLIUse `yaml:"use"`
	Server `yaml:",inline"`
	// Model names the classifier in recordings; by default the server's
	// address.
	Model string `yaml:"model"`
	// Hypothesis is a template for each hypothesis, which replaces {}, such as
	// "This is related to {}."; {} leaves it as the method wrote it.
	Hypothesis string `yaml:"hypothesis"`
	// Over is the set of labels for the softmax: contradiction (entailment and
	// contradiction) or all labels.
	Over nli.Over `yaml:"over"`
}

// Prune is the model that decides which words of a text to keep: LLMLingua-2.
type Prune struct {
	// Dir is the folder of a local classifier of tokens: model.onnx or
	// onnx/model.onnx, tokenizer.json, config.json; none by default.
	Dir string `yaml:"dir"`
}

// Defaults returns the options of an entry that says nothing.
func Defaults() Options {
	server := Server{Limits: limit.Defaults()}
	return Options{
		Chat: Chat{
			Use: "openai", Server: server, Quirks: openai.Quirks{System: "system", MaxTokensField: "max_tokens"}, SendSeed: true,
		},
		Embed: Embed{
			Use: "none", Server: server, BatchTexts: 256,
		},
		NLI:      NLI{Use: "none", Server: server, Hypothesis: "{}", Over: nli.Contradiction},
		Annotate: annotators.Defaults(),
	}
}

// Validate reports what is missing and what does not go together.
func (o Options) Validate() error {
	var faults fault.List
	server := func(name string, s Server) {
		err := httpfault.CheckAddress(s.BaseURL)
		faults.Want(err == nil, "%s.base_url %w", name, err)
	}
	chat := func(name string, c Chat) {
		server(name, c.Server)
		faults.Want(c.Model != "", "%s.model is empty, want the name of a model", name)
	}
	if o.Chat.Use == standIn {
		faults = append(faults, o.standInOnly())
	} else {
		chat("chat", o.Chat)
	}
	for _, role := range o.Roles.names() {
		switch why := o.Roles.refused(role); {
		case why != "":
			faults.Want(false, "%s: %s", door(role), why)
		case o.Roles[role].Use == standIn:
			faults.Want(false, "%s.use is stand-in, and only that of chat can be", door(role))
		default:
			chat(door(role), o.Roles[role])
		}
	}
	switch o.Embed.Use {
	case "openai":
		server("embed", o.Embed.Server)
		faults.Want(o.Embed.Model != "", "embed.model is empty, want the name of a model")
	case "onnx":
		faults.Want(o.Embed.Dir != "" || o.Embed.Model != "", "embed.dir and embed.model are empty, want the folder of the model or the name of one that 'bench data fetch' has brought")
	}
	if o.NLI.Use == "tei" {
		server("nli", o.NLI.Server)
	}
	return errors.Join(faults...)
}

// standInOnly reports what does not go together with the stand-in in place of the chat
// model.
func (o Options) standInOnly() error {
	var faults fault.List
	bare := Defaults().Chat
	bare.Use = o.Chat.Use
	const remedy = "; leave one of them out"
	faults.Want(reflect.DeepEqual(o.Chat, bare), "chat has options of a server, and chat.use is stand-in, which asks none"+remedy)
	faults.Want(len(o.Roles) == 0, "roles has models for some calls, and chat.use is stand-in, which answers all"+remedy)
	faults.Want(o.Embed.Use != "openai", "embed.use is openai, and chat.use is stand-in, which goes with embed.use onnx or stand-in"+remedy)
	faults.Want(!o.Annotate.UsesLLM(), "annotate.llm names layers, and chat.use is stand-in, where no language model can be asked"+remedy)
	return errors.Join(faults...)
}

// secretField returns the first field of a JSON value, at any depth, that is named as
// one that holds a secret and holds a text; empty for none.
func secretField(v any) (found string) {
	switch v := v.(type) {
	case map[string]any:
		for _, field := range slices.Sorted(maps.Keys(v)) {
			if _, isText := v[field].(string); isText && redact.Secret(field) {
				return field
			}
			found = cmp.Or(found, secretField(v[field]))
		}
	case []any:
		for _, x := range v {
			found = cmp.Or(found, secretField(x))
		}
	}
	return found
}

// Validate reports values out of range.
func (c Chat) Validate() error {
	var faults fault.List
	faults.Want(c.ReasoningTokens >= 0, "reasoning_tokens is %d, want at least 0", c.ReasoningTokens)
	extra, err := openai.ParseExtra(c.Extra)
	if field := secretField(extra); field != "" {
		err = errors.Join(err, fmt.Errorf("extra holds %q; a key goes by key: {env: NAME}, and not in a config", field))
	}
	if err != nil {
		faults = append(faults, err)
	}
	for i, p := range c.Omit {
		faults.Want(!slices.Contains(c.Omit[:i], p), "omit[%d] is %s a second time", i, p)
	}
	return errors.Join(faults...)
}

// Validate reports values out of range.
func (e Embed) Validate() error {
	var faults fault.List
	faults.Want(e.Dimensions >= 0, "dimensions is %d, want at least 1, or 0 for the model's own", e.Dimensions)
	faults.Want(e.BatchTexts > 0, "batch_texts is %d, want at least 1", e.BatchTexts)
	return errors.Join(faults...)
}

// Validate reports values out of range.
func (n NLI) Validate() error {
	if strings.Count(n.Hypothesis, "{}") != 1 {
		return fmt.Errorf("hypothesis is %q, want a text with one {}", n.Hypothesis)
	}
	return nil
}

package annotators

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"recallbench/internal/backend"
	"recallbench/internal/backend/corenlp"
	"recallbench/internal/backend/limit"
	"recallbench/internal/backend/linkgrammar"
	"recallbench/internal/door/annotate"
)

// A Backend annotates.
type Backend string

// The backends.
const (
	Rules       = "rules"
	LinkGrammar = "link-grammar"
	CoreNLP     = "corenlp"
	LLM         = "llm"
)

// A TokensBackend is a backend that has the layer of tokens.
type TokensBackend string

// An EntitiesBackend is a backend that has the layer of entities.
type EntitiesBackend string

// A DependenciesBackend is a backend that has the layer of dependencies.
type DependenciesBackend string

// A CoreferenceBackend is a backend that has the layer of coreference.
type CoreferenceBackend string

// A DiscourseBackend is a backend that has the layer of discourse relations.
type DiscourseBackend string

// Values lists the choices.
func (TokensBackend) Values() []string { return having(annotate.Tokens) }

// Values lists the choices.
func (EntitiesBackend) Values() []string { return having(annotate.Entities) }

// Values lists the choices.
func (DependenciesBackend) Values() []string { return having(annotate.Dependencies) }

// Values lists the choices.
func (CoreferenceBackend) Values() []string { return having(annotate.Coreference) }

// Values lists the choices.
func (DiscourseBackend) Values() []string { return having(annotate.Discourse) }

// having lists the backends that have a layer.
func having(l annotate.Layer) []string {
	var all []string
	for _, b := range []Backend{Rules, LinkGrammar, CoreNLP, LLM} {
		if slices.Contains(b.layers(), l) {
			all = append(all, string(b))
		}
	}
	return all
}

// layers returns the layers that a backend has.
func (b Backend) layers() []annotate.Layer {
	switch b {
	case LinkGrammar:
		return []annotate.Layer{annotate.Dependencies}
	case CoreNLP:
		return corenlp.Layers()
	case LLM:
		return annotate.ChatLayers()
	case Rules:
		return annotate.Layers()
	}
	return nil
}

// Options say which backend gives each layer of annotation.
type Options struct {
	// Tokens gives sentences, tokens, lemmas and parts of speech.
	Tokens TokensBackend `yaml:"tokens"`
	// Entities gives names with their types.
	Entities EntitiesBackend `yaml:"entities"`
	// Dependencies gives the syntax of sentences.
	Dependencies DependenciesBackend `yaml:"dependencies"`
	// Coreference gives who and what is meant.
	Coreference CoreferenceBackend `yaml:"coreference"`
	// Discourse gives relations between sentences.
	Discourse   DiscourseBackend `yaml:"discourse"`
	LinkGrammar ParserOptions    `yaml:"link_grammar"`
	CoreNLP     ServerOptions    `yaml:"corenlp"`
}

// ParserOptions say how link-parser is run.
type ParserOptions struct {
	// Command is the name or the path of the program.
	Command string `yaml:"command"`
	// Version is the one that the program must have, and stands for it in
	// recordings and results.
	Version string `yaml:"version"`
	// Processes is the number of those that parse at the same time.
	Processes int `yaml:"processes" jsonschema:"minimum=1"`
	// Linkages is the number of linkages that are considered for a sentence.
	Linkages int `yaml:"linkages" jsonschema:"minimum=1"`
	// Timeout is the time for a sentence, after which it is unparsed.
	Timeout time.Duration `yaml:"timeout"`
}

// ServerOptions say how a CoreNLP server is asked.
type ServerOptions struct {
	// BaseURL is the server's address, such as http://localhost:9000.
	BaseURL string `yaml:"base_url"`
	// Key says where a key is read from; a server without keys needs none.
	Key backend.Key `yaml:"key"`
	// Model stands for the server and its models in recordings and results; the
	// host and port of base_url by default.
	Model string `yaml:"model"`
	// Coref is the server's coref.algorithm, such as statistical or fastneural; its
	// own by default.
	Coref string `yaml:"coref"`
	// Window is the longest text of a request, in bytes. Coreference is found
	// within it.
	Window int `yaml:"window" jsonschema:"minimum=1"`
	// Limits bound what is sent. They change no reply.
	Limits limit.Settings `yaml:"limits"`
}

// Defaults returns the options of an entry that says nothing: rules for all
// layers.
func Defaults() Options {
	return Options{
		Tokens: Rules, Entities: Rules, Dependencies: Rules, Coreference: Rules, Discourse: Rules,
		LinkGrammar: ParserOptions{Command: "link-parser", Version: linkgrammar.Version, Processes: 2, Linkages: 50, Timeout: 5 * time.Second},
		CoreNLP:     ServerOptions{Window: corenlp.DefaultWindow, Limits: limit.Defaults()},
	}
}

// Of returns the backend of a layer.
func (o Options) Of(l annotate.Layer) Backend {
	switch l {
	case annotate.Tokens:
		return Backend(o.Tokens)
	case annotate.Entities:
		return Backend(o.Entities)
	case annotate.Dependencies:
		return Backend(o.Dependencies)
	case annotate.Coreference:
		return Backend(o.Coreference)
	default:
		return Backend(o.Discourse)
	}
}

// UsesLLM reports whether some layer is a chat model's.
func (o Options) UsesLLM() bool { return o.uses(LLM) }

// uses reports whether some layer is a backend's.
func (o Options) uses(b Backend) bool {
	return slices.ContainsFunc(annotate.Layers(), func(l annotate.Layer) bool { return o.Of(l) == b })
}

// Validate reports layers that a backend does not have, and values out of range.
func (o Options) Validate() error {
	var faults []error
	for _, l := range annotate.Layers() {
		if b := o.Of(l); !slices.Contains(b.layers(), l) {
			faults = append(faults, fmt.Errorf("%s is %s, which does not give this layer; have %s", l, b, strings.Join(having(l), ", ")))
		}
	}
	if o.uses(CoreNLP) {
		switch u, err := url.Parse(o.CoreNLP.BaseURL); {
		case o.CoreNLP.BaseURL == "":
			faults = append(faults, errors.New("corenlp.base_url is empty, want the address of a server, such as http://localhost:9000"))
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "":
			// It is not repeated, since it may hold a password.
			faults = append(faults, errors.New("corenlp.base_url is no address of a server without user and query, such as http://localhost:9000"))
		}
	}
	return errors.Join(faults...)
}

// Validate reports values out of range.
func (o ParserOptions) Validate() error {
	var faults []error
	for _, v := range []struct {
		name  string
		value int
	}{{"processes", o.Processes}, {"linkages", o.Linkages}} {
		if v.value < 1 {
			faults = append(faults, fmt.Errorf("%s is %d, want at least 1", v.name, v.value))
		}
	}
	if o.Command == "" {
		faults = append(faults, errors.New("command is empty, want a program, such as link-parser"))
	}
	if o.Timeout < time.Second {
		faults = append(faults, fmt.Errorf("timeout is %s, want at least 1s", o.Timeout))
	}
	return errors.Join(faults...)
}

// Validate reports values out of range.
func (o ServerOptions) Validate() error {
	if o.Window < 1 {
		return fmt.Errorf("window is %d, want at least 1", o.Window)
	}
	return nil
}

// name names the server in recordings and results.
func (o ServerOptions) name() string {
	if o.Model != "" {
		return o.Model
	}
	return o.host()
}

func (o ServerOptions) host() string {
	u, err := url.Parse(o.BaseURL)
	if err != nil {
		return ""
	}
	return u.Host
}

package annotators

import (
	"recallbench/internal/door/annotate"
	"recallbench/internal/engine/annotator"
)

// An Identity is the part of the options that annotations depend on.
type Identity struct {
	Layers      map[annotate.Layer]Backend `yaml:"layers"`
	LinkGrammar *parserIdentity            `yaml:"link_grammar,omitempty"`
	CoreNLP     *serverIdentity            `yaml:"corenlp,omitempty"`
}

type parserIdentity struct {
	Version  string `yaml:"version"`
	Linkages int    `yaml:"linkages"`
}

type serverIdentity struct {
	Model  string `yaml:"model"`
	Coref  string `yaml:"coref"`
	Window int    `yaml:"window"`
}

// Identity returns what annotations depend on; nil where rules give all layers.
// Programs, processes, addresses, keys, limits and timeouts are left out.
func (o Options) Identity() *Identity {
	id := &Identity{Layers: make(map[annotate.Layer]Backend)}
	for _, l := range annotate.Layers() {
		if b := o.Of(l); b != Rules {
			id.Layers[l] = b
		}
	}
	if len(id.Layers) == 0 {
		return nil
	}
	if o.uses(LinkGrammar) {
		id.LinkGrammar = &parserIdentity{o.LinkGrammar.Version, o.LinkGrammar.Linkages}
	}
	if o.uses(CoreNLP) {
		id.CoreNLP = &serverIdentity{o.CoreNLP.name(), o.CoreNLP.Coref, o.CoreNLP.Window}
	}
	return id
}

// describe names a backend with its version.
func (o Options) describe(b Backend, model string) string {
	switch b {
	case LinkGrammar:
		return string(b) + " " + o.LinkGrammar.Version
	case CoreNLP:
		return string(b) + " " + o.CoreNLP.name()
	case LLM:
		return string(b) + " " + model
	default:
		return annotator.Name + " " + annotator.Version
	}
}

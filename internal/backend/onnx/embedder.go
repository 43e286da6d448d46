package onnx

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/internal/door/embed"
	"recallbench/internal/door/token"
)

// EmbedOptions say which model to open and how to use it.
type EmbedOptions struct {
	Dir string // folder of the model
	// QueryPrefix and DocumentPrefix are put before each text of a kind, such
	// as "query: ".
	QueryPrefix, DocumentPrefix string
	Batch                       int // most texts in one run of the graph
	// Runtime is ONNX Runtime's shared library or a folder that has it; empty
	// for the one that the system's loader finds.
	Runtime string
}

// An Embedder embeds texts with a local model. It is safe for concurrent use;
// one batch runs at a time.
type Embedder struct {
	*model
	options EmbedOptions
	pooling string // as 1_Pooling/config.json says; "model" where the graph does it
	info    embed.Info
}

// OpenEmbedder opens the model of a folder and runs it once. An error names the
// faulty file and what a folder should contain.
func OpenEmbedder(o EmbedOptions) (*Embedder, error) {
	return newEmbedder(o, func() (library, error) { return openLibrary(o.Runtime) })
}

func newEmbedder(o EmbedOptions, lib func() (library, error)) (*Embedder, error) {
	e := &Embedder{options: o}
	return opened(e, "embedding model", embedLayout, e.open(lib))
}

func (e *Embedder) open(lib func() (library, error)) (err error) {
	if e.model, err = openModel(e.options.Dir, e.options.Batch, lib); err != nil {
		return err
	}
	s, err := e.steps()
	if err != nil {
		return err
	}
	switch e.pooling = s.pooling; {
	case e.pooling != "":
	case !slices.ContainsFunc(e.graph.outputs(), func(p port) bool { return len(p.dims) == 3 }):
		e.pooling = "model"
	default:
		e.pooling = "mean"
	}
	if e.pooling == "model" {
		err = e.graph.use(2, "sentence_embedding", "pooler_output")
	} else if err = e.graph.use(3, "last_hidden_state", "token_embeddings"); err == nil && s.other != "" {
		err = fmt.Errorf("%s: a module %s, which is not known", e.path("modules.json"), s.other)
	}
	if err != nil {
		return err
	}
	dims, err := e.try()
	if err != nil {
		return err
	}
	e.info = embed.Info{Name: e.name(), Dim: dims[len(dims)-1], Normalised: s.normalise}
	if s.dim > 0 && s.dim != e.info.Dim && e.pooling != "model" {
		return fmt.Errorf("the vectors have %d dimensions, and 1_Pooling/config.json says %d", e.info.Dim, s.dim)
	}
	if e.info.Dim < 1 {
		return errors.New("the vectors have no dimensions")
	}
	return nil
}

// modes are the names, in a 1_Pooling/config.json, of the ways in which the vectors of
// tokens become one.
var modes = map[string]string{
	"pooling_mode_mean_tokens": "mean",
	"pooling_mode_cls_token":   "cls",
	"pooling_mode_lasttoken":   "last",
}

// steps are what comes behind the graph.
type steps struct {
	pooling   string // empty if no file says it
	dim       int    // of the vectors; 0 if no file says it
	normalise bool
	other     string // a step that is not known
}

// steps reads modules.json and the pooling's config.json.
func (m *model) steps() (s steps, err error) {
	var modules []struct{ Type, Path string }
	if _, err := m.json("modules.json", &modules); err != nil {
		return s, err
	}
	folder := "1_Pooling"
	for _, m := range modules {
		// The package before the class has moved between versions.
		switch kind := m.Type[strings.LastIndexByte(m.Type, '.')+1:]; kind {
		case "Transformer":
		case "Pooling":
			folder = m.Path
		case "Normalize":
			s.normalise = true
		default:
			s.other = fmt.Sprintf("%.60q", m.Type)
		}
	}
	if !filepath.IsLocal(folder) || path.Clean(folder) == "." {
		return s, fmt.Errorf("%s: the path %q leads out of the folder or to nothing", m.path("modules.json"), folder)
	}
	name := path.Join(folder, "config.json")
	var config map[string]any
	if ok, err := m.json(name, &config); err != nil || !ok {
		return s, err
	}
	var on []string
	for key, set := range config {
		if set == true && strings.HasPrefix(key, "pooling_mode_") {
			on = append(on, key)
		}
	}
	slices.Sort(on)
	if len(on) != 1 || modes[on[0]] == "" {
		return s, fmt.Errorf("%s: the modes %q are on, want one of %q", m.path(name), on, slices.Sorted(maps.Keys(modes)))
	}
	s.pooling = modes[on[0]]
	if d, ok := config["word_embedding_dimension"].(float64); ok && d > 0 && d < 1e9 {
		s.dim = int(d)
	}
	return s, nil
}

// pool makes one vector of those of tokens, which follow one another.
func pool(how string, v, tokens []float32) {
	dim := len(v)
	switch how {
	case "cls":
		copy(v, tokens[:dim])
	case "last":
		copy(v, tokens[len(tokens)-dim:])
	default:
		for d := range dim {
			sum := 0.0
			for i := d; i < len(tokens); i += dim {
				sum += float64(tokens[i])
			}
			v[d] = float32(sum / float64(len(tokens)/dim))
		}
	}
}

// Info implements [embed.Embedder]. The name is that of the folder.
func (e *Embedder) Info() embed.Info { return e.info }

// Embed implements [embed.Embedder]. A text that is longer than the model
// accepts is truncated. An empty text also has a vector, that of the model's
// special tokens; it is zero in a model without any.
func (e *Embedder) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	prefix := e.options.DocumentPrefix
	if r.Kind == embed.Query {
		prefix = e.options.QueryPrefix
	}
	reply := embed.Reply{Vectors: make([][]float32, len(r.Texts))}
	rows := make([]token.Encoding, len(r.Texts))
	for i, text := range r.Texts {
		rows[i] = e.encoder.Encode(prefix+text, e.most)
		reply.Vectors[i] = make([]float32, e.info.Dim)
		reply.Tokens += len(rows[i].IDs)
	}
	err := e.each(ctx, rows, func(i int, values []float32, dims []int) error {
		v := reply.Vectors[i]
		if got := dims[len(dims)-1]; got != len(v) || len(dims) == 2 && dims[0] < len(rows[i].IDs) {
			return fmt.Errorf("%s: output %q has the shape %d for a row of %d tokens", e.graph.name, e.graph.outputs()[e.graph.output].name, dims, len(rows[i].IDs))
		}
		if e.pooling == "model" {
			copy(v, values)
		} else {
			pool(e.pooling, v, values[:len(rows[i].IDs)*len(v)])
		}
		if e.info.Normalised {
			embed.Normalise(v, 0)
		}
		for _, x := range v {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return fmt.Errorf("%s: the vector of text %d of %d holds %v", e.graph.name, i+1, len(rows), x)
			}
		}
		return nil
	})
	if err != nil {
		return embed.Reply{}, err
	}
	return reply, nil
}

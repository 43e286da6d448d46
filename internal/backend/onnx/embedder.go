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
)

// An Embedder embeds texts with a local model. It is safe for concurrent use;
// one batch runs at a time.
type Embedder struct {
	*model
	pooling   string // as 1_Pooling/config.json says; "model" where the graph does it
	normalise bool
	dim       int
}

// OpenEmbedder opens the model of a folder and runs it once. An error names the
// faulty file and what a folder should contain.
func OpenEmbedder(o Options) (*Embedder, error) { return newEmbedder(o, openLibrary) }

func newEmbedder(o Options, open opener) (*Embedder, error) {
	e := new(Embedder)
	return opened(e, "embedding model", embedLayout, e.open(o, open))
}

func (e *Embedder) open(o Options, open opener) (err error) {
	if e.model, err = openModel(o, open); err != nil {
		return err
	}
	s, err := e.steps()
	if err != nil {
		return err
	}
	switch e.pooling = s.pooling; {
	case e.pooling != "":
	case !slices.ContainsFunc(e.outputs(), func(p port) bool { return len(p.dims) == 3 }):
		e.pooling = "model"
	default:
		e.pooling = "mean"
	}
	if e.pooling == "model" {
		err = e.use(2, "sentence_embedding", "pooler_output")
	} else if err = e.use(3, "last_hidden_state", "token_embeddings"); err == nil && s.other != "" {
		err = fmt.Errorf("%s: a module %s, which is not known", e.path("modules.json"), s.other)
	}
	if err != nil {
		return err
	}
	dims, err := e.try()
	if err != nil {
		return err
	}
	e.dim, e.normalise = dims[len(dims)-1], s.normalise
	if s.dim > 0 && s.dim != e.dim && e.pooling != "model" {
		return fmt.Errorf("the vectors have %d dimensions, and 1_Pooling/config.json says %d", e.dim, s.dim)
	}
	if e.dim < 1 {
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

// Dim implements [embed.Embedder].
func (e *Embedder) Dim() int { return e.dim }

// Embed implements [embed.Embedder]. A text that is longer than the model
// accepts is truncated. An empty text also has a vector, that of the model's
// special tokens; it is zero in a model without any.
func (e *Embedder) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	reply := embed.Reply{Vectors: make([][]float32, len(r.Texts))}
	rows := make([][]int32, len(r.Texts))
	for i, text := range r.Texts {
		rows[i] = e.encoder.Encode(text, e.most)
		reply.Vectors[i] = make([]float32, e.dim)
		reply.Tokens += len(rows[i])
	}
	err := e.each(ctx, rows, func(i int, values []float32, dims []int) error {
		v := reply.Vectors[i]
		if got := dims[len(dims)-1]; got != len(v) || len(dims) == 2 && dims[0] < len(rows[i]) {
			return fmt.Errorf("%s: output %q has the shape %d for a row of %d tokens", e.graph, e.outputs()[e.output].name, dims, len(rows[i]))
		}
		if e.pooling == "model" {
			copy(v, values)
		} else {
			pool(e.pooling, v, values[:len(rows[i])*len(v)])
		}
		if e.normalise {
			embed.Normalise(v, 0)
		}
		for _, x := range v {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return fmt.Errorf("%s: the vector of text %d of %d holds %v", e.graph, i+1, len(rows), x)
			}
		}
		return nil
	})
	if err != nil {
		return embed.Reply{}, err
	}
	return reply, nil
}

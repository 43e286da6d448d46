package onnx

import (
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
)

// modes are the names, in a 1_Pooling/config.json, of the ways in which the vectors of
// tokens become one.
var modes = map[string]string{
	"pooling_mode_mean_tokens":          "mean",
	"pooling_mode_cls_token":            "cls",
	"pooling_mode_max_tokens":           "max",
	"pooling_mode_lasttoken":            "last",
	"pooling_mode_mean_sqrt_len_tokens": "sqrt",
}

// steps are what comes behind the graph.
type steps struct {
	pooling   string // empty where no file says it
	dim       int    // of the vectors; 0 where no file says it
	normalise bool
	other     string // a step that is not known
}

// steps reads modules.json and the pooling's config.json.
func (f *folder) steps() (steps, error) {
	var s steps
	var modules []struct{ Type, Path string }
	if _, err := f.json("modules.json", &modules); err != nil {
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
	name := path.Join(folder, "config.json")
	if strings.HasPrefix(path.Clean(name), "..") || path.IsAbs(name) || name == "config.json" {
		return s, fmt.Errorf("%s: the path %q leads out of the folder or to nothing", f.path("modules.json"), folder)
	}
	var config map[string]any
	ok, err := f.json(name, &config)
	if err != nil || !ok {
		return s, err
	}
	var on []string
	for _, key := range slices.Sorted(maps.Keys(config)) {
		if set, _ := config[key].(bool); set && strings.HasPrefix(key, "pooling_mode_") {
			on = append(on, key)
		}
	}
	if len(on) != 1 || modes[on[0]] == "" {
		return s, fmt.Errorf("%s: the modes %q are on, want one of %q", f.path(name), on, slices.Sorted(maps.Keys(modes)))
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
	n := len(tokens) / dim
	switch how {
	case "cls":
		copy(v, tokens[:dim])
	case "last":
		copy(v, tokens[(n-1)*dim:])
	case "max":
		copy(v, tokens[:dim])
		for i, x := range tokens[dim:] {
			v[i%dim] = max(v[i%dim], x)
		}
	default:
		by := float64(n)
		if how == "sqrt" {
			by = math.Sqrt(by)
		}
		for d := range dim {
			sum := 0.0
			for i := d; i < len(tokens); i += dim {
				sum += float64(tokens[i])
			}
			v[d] = float32(sum / by)
		}
	}
}

// normalise gives a vector the length 1, unless it is zero.
func normalise(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	for i, x := range v {
		v[i] = float32(float64(x) / math.Sqrt(sum))
	}
}

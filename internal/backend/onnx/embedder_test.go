package onnx

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"recallbench/internal/door/embed"
	"recallbench/internal/testkit/try"
)

func openEmbedder(tb testing.TB, files object, o Options) *Embedder {
	tb.Helper()
	o.Dir = write(tb, files)
	e := try.Get(newEmbedder(o, testLibrary))(tb)
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Error(err)
		}
	})
	return e
}

// ids of texts as the test's tokenizer reads them.
var (
	dogIDs   = []int{2, 8, 3}                            // dog
	longIDs  = []int{2, 4, 6, 7, 9, 10, 3}               // a cc cat.
	cutIDs   = []int{2, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 3} // dog, more often than the model takes
	emptyIDs = []int{2, 3}
	oddIDs   = []int{2, 1, 3} // unknown
)

var (
	texts   = []string{"Dog", "a cc cat.", strings.Repeat("dog ", 50), "", "\x00\xff 😀"}
	textIDs = [][]int{dogIDs, longIDs, cutIDs, emptyIDs, oddIDs}
)

// pooled computes what the model should give.
func pooled(how string, ids []int) []float64 {
	const dim = 4
	v := make([]float64, dim)
	for d := range v {
		sum := 0.0
		for _, id := range ids {
			sum += float64(row(id, dim)[d])
		}
		switch how {
		case "mean":
			v[d] = sum / float64(len(ids))
		case "cls":
			v[d] = float64(row(ids[0], dim)[d])
		case "last":
			v[d] = float64(row(ids[len(ids)-1], dim)[d])
		}
	}
	return v
}

func unit(v []float64) []float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	for i := range v {
		v[i] /= math.Sqrt(sum)
	}
	return v
}

func compare(t *testing.T, want []float64, got []float32) {
	t.Helper()
	wide := make([]float64, len(got))
	for i, x := range got {
		wide[i] = float64(x)
	}
	try.Equal(t, "vector", want, wide, cmpopts.EquateApprox(0, 1e-6))
}

func TestEmbed(t *testing.T) {
	for mode, pooling := range modes {
		for _, normal := range []bool{true, false} {
			t.Run(fmt.Sprint(pooling, " ", normal), func(t *testing.T) {
				files := with(sentenceFiles(), "1_Pooling/config.json", object{mode: true})
				if !normal {
					delete(files, "modules.json")
				}
				e := openEmbedder(t, files, Options{Batch: 2})
				if e.Dim() != 4 || e.normalise != normal {
					t.Errorf("%d dimensions, normalised %t", e.Dim(), e.normalise)
				}
				reply := try.Get(e.Embed(t.Context(), embed.Request{Texts: texts}))(t)
				if reply.Tokens != 3+7+12+2+3 {
					t.Errorf("%d tokens", reply.Tokens)
				}
				for i, ids := range textIDs {
					want := pooled(pooling, ids)
					if normal {
						want = unit(want)
					}
					compare(t, want, reply.Vectors[i])
				}
			})
		}
	}
}

func TestEmbedLayouts(t *testing.T) {
	without := func(names ...string) object {
		files := sentenceFiles()
		for _, name := range names {
			delete(files, name)
		}
		return files
	}
	model := lookup(4)
	model.out = append(model.out, port{"sentence_embedding", float32Type, []int{-1, 4}})
	model.nodes = append(model.nodes, node("ReduceMean", []string{"last_hidden_state"}, "sentence_embedding", message(nil).text(1, "axes").num(8, 1).num(20, 7), attribute("keepdims")))
	pooledOnly := model
	pooledOnly.out = model.out[1:]
	narrow := lookup(4)
	narrow.in = []port{{inputIDs, int32Type, []int{-1, -1}}}

	for _, tt := range []struct {
		name    string
		files   object
		pooling string
		normal  bool
		most    int
	}{
		{"a bare model", without("modules.json", "1_Pooling/config.json", "sentence_bert_config.json"), "mean", false, 16},
		{"cls", with(sentenceFiles(), "1_Pooling/config.json", object{"pooling_mode_cls_token": true}), "cls", true, 12},
		{"pooling in another folder", with(with(without("1_Pooling/config.json"), "modules.json", []object{{"type": "x.Pooling", "path": "2_Pool"}}),
			"2_Pool/config.json", object{"pooling_mode_lasttoken": true}), "last", false, 12},
		{"positions of roberta", with(without("sentence_bert_config.json"), "config.json", object{"model_type": "roberta", "max_position_embeddings": 16}), "mean", true, 14},
		{"a tokenizer without a bound", with(without("sentence_bert_config.json"), "tokenizer_config.json", object{"model_max_length": 1e30}), "mean", true, 16},
		{"nothing says how long", with(without("sentence_bert_config.json"), "config.json", object{}), "mean", true, DefaultTokens},
		{"32-bit ids and no mask", with(sentenceFiles(), "onnx/model.onnx", narrow.bytes()), "mean", true, 12},
		{"a graph in the folder itself", with(without("onnx/model.onnx"), "model.onnx", lookup(4).bytes()), "mean", true, 12},
		{"both outputs", with(sentenceFiles(), "onnx/model.onnx", model.bytes()), "mean", true, 12},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := openEmbedder(t, tt.files, Options{})
			if e.pooling != tt.pooling || e.normalise != tt.normal || e.most != tt.most {
				t.Errorf("%s, normalised %v, at most %d; want %s, %v, %d", e.pooling, e.normalise, e.most, tt.pooling, tt.normal, tt.most)
			}
			reply := try.Get(e.Embed(t.Context(), embed.Request{Texts: []string{"dog", "a", "dog", "cat"}}))(t)
			want := pooled(tt.pooling, dogIDs)
			if tt.normal {
				want = unit(want)
			}
			compare(t, want, reply.Vectors[0])
			compare(t, want, reply.Vectors[2])
		})
	}
	// A graph that pools by itself is asked for that.
	e := openEmbedder(t, with(without("modules.json", "1_Pooling/config.json"), "onnx/model.onnx", pooledOnly.bytes()), Options{})
	reply, err := e.Embed(t.Context(), embed.Request{Texts: []string{"dog dog dog dog dog dog"}}) // of a width without padding
	if err != nil || e.pooling != "model" {
		t.Fatal(e.pooling, err)
	}
	compare(t, pooled("mean", []int{2, 8, 8, 8, 8, 8, 8, 3}), reply.Vectors[0])
}

func with(files object, name string, content any) object {
	files[name] = content
	return files
}

func TestSHA256(t *testing.T) {
	sum := func(files object) string { return openEmbedder(t, files, Options{}).SHA256() }
	first := sum(sentenceFiles())
	if len(first) != 64 || sum(sentenceFiles()) != first {
		t.Errorf("%s differs from folder to folder", first)
	}
	if sum(with(sentenceFiles(), "README.md", []byte("hello"))) != first {
		t.Error("a file that is not used counts")
	}
	another := lookup(4)
	another.weights = append(another.weights, weight("unused", row(0, 4), 4))
	for name, content := range (object{
		"onnx/model.onnx":       another.bytes(),
		"1_Pooling/config.json": object{"pooling_mode_cls_token": true},
		"config.json":           object{"max_position_embeddings": 17},
	}) {
		if sum(with(sentenceFiles(), name, content)) == first {
			t.Errorf("another %s has the same sum", name)
		}
	}
}

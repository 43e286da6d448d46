package onnx

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenFaults(t *testing.T) {
	without := func(files object, name string) object {
		delete(files, name)
		return files
	}
	for _, tt := range []struct {
		name  string
		files object
		want  string
	}{
		{"nothing", object{}, "no model.onnx"},
		{"no graph", without(sentenceFiles(), "onnx/model.onnx"), "no model.onnx"},
		{"two graphs", with(with(without(sentenceFiles(), "onnx/model.onnx"), "a.onnx", "x"), "onnx/b.onnx", "x"), "no model.onnx"},
		{"no config", without(sentenceFiles(), "config.json"), "config.json: no such file"},
		{"broken config", with(sentenceFiles(), "config.json", []byte("{")), "config.json: unexpected end of JSON input"},
		{"no tokenizer", without(sentenceFiles(), "tokenizer.json"), "tokenizer.json: no such file"},
		{"broken tokenizer", with(sentenceFiles(), "tokenizer.json", []byte(`{"model": 1}`)), "tokenizer.json: model: unexpected number"},
		{"another tokenizer", with(sentenceFiles(), "tokenizer.json", object{"model": object{"type": "Unigram"}}), "Unigram"},
		{"two poolings", with(sentenceFiles(), "1_Pooling/config.json", object{"pooling_mode_cls_token": true, "pooling_mode_max_tokens": true}), "want one of"},
		{"unknown pooling", with(sentenceFiles(), "1_Pooling/config.json", object{"pooling_mode_weightedmean_tokens": true}), "pooling_mode_weightedmean_tokens"},
		{"unknown module", with(sentenceFiles(), "modules.json", []object{{"type": "sentence_transformers.models.Dense"}}), `modules.json: a module "sentence_transformers.models.Dense"`},
		{"module elsewhere", with(sentenceFiles(), "modules.json", []object{{"type": "x.Pooling", "path": "../1_Pooling"}}), "leads out of the folder"},
		{"other dimension", with(sentenceFiles(), "1_Pooling/config.json", object{"pooling_mode_cls_token": true, "word_embedding_dimension": 384}), "the vectors have 4 dimensions, and 1_Pooling/config.json says 384"},
		{"empty graph", with(sentenceFiles(), "onnx/model.onnx", []byte{}), "model.onnx: not an ONNX model"},
		{"pointer", with(sentenceFiles(), "onnx/model.onnx", []byte("version https://git-lfs.github.com/spec/v1\noid")), "a pointer of Git LFS"},
		{"no ids", changed(func(n *net) {
			n.in = []port{{inputMask, int64Type, []int{-1, -1}}}
			n.nodes[0] = node("Gather", []string{"table", inputMask}, "last_hidden_state", attribute("axis"))
		}), `the inputs are ["attention_mask"], want "input_ids" among them`},
		{"a decoder's input", changed(func(n *net) { n.in = append(n.in[:1:1], port{"past_key", float32Type, []int{-1, -1}}) }), `input "past_key" is not known`},
		{"ids of another rank", changed(func(n *net) { n.in = []port{{inputIDs, int64Type, []int{-1}}} }), `input "input_ids" has elements of type 7 and the shape [-1], want integers of rank 2`},
		{"fixed sizes", changed(func(n *net) { n.in = []port{{inputIDs, int64Type, []int{3, 10}}} }), "has the fixed shape [3 10]"},
		{"output of another rank", changed(func(n *net) { n.out = []port{{"last_hidden_state", float32Type, []int{-1, 4}}} }), "want one of 32-bit floats with rank 3"},
		{"weights at an address", changed(outside("*/_ORT_MEM_ADDR_/*")), "want them in the folder"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := newEmbedder(Options{Dir: write(t, tt.files)}, testLibrary)
			if err == nil {
				t.Fatal("opened", e.Close())
			}
			if !strings.Contains(err.Error(), tt.want) || !strings.HasSuffix(err.Error(), embedLayout) || len(err.Error()) > 1200 {
				t.Errorf("%v\nwant %q", err, tt.want)
			}
		})
	}
	if _, err := OpenEmbedder(Options{Dir: filepath.Join(t.TempDir(), "none")}); err == nil || !strings.Contains(err.Error(), "none: no such file") {
		t.Errorf("no folder: %v", err)
	}
	if _, err := OpenEmbedder(Options{}); err == nil || !strings.Contains(err.Error(), "no folder is named") {
		t.Errorf("no name: %v", err)
	}
}

// changed is the folder of an embedder with another graph.
func changed(change func(*net)) object {
	n := lookup(4)
	change(&n)
	return with(sentenceFiles(), "onnx/model.onnx", n.bytes())
}

// outside puts the table into another file.
func outside(location string) func(*net) {
	return func(n *net) {
		entry := message(nil).text(1, "location").text(2, location)
		n.weights = []message{tensor("table", float32Type, 11, 4).num(14, 1).put(13, entry)}
	}
}

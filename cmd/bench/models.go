package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/fetch"
)

// A knownModel is a local model whose files are pinned.
type knownModel struct {
	name    string // on the command line
	folder  string // of the files
	source  string
	license string
	files   []fetch.File // named from the folder
}

// knownModels are those that are fetched.
var knownModels = []knownModel{miniLM}

// miniLM is the sentence embedder that most papers on retrieval name.
var miniLM = pinnedOnHub("minilm", "sentence-transformers/all-MiniLM-L6-v2", "c9745ed1d9f207416be6d2e6f8de32d1f16199bf", "Apache-2.0", []fetch.File{
	{Name: "1_Pooling/config.json", Size: 190, SHA256: "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23"},
	{Name: "README.md", Size: 10454, SHA256: "7dfc82496ec33f906b5b0d6750c1e2397da6530c74d1ae3568c55bc2739125e7"},
	{Name: "config.json", Size: 612, SHA256: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"},
	{Name: "modules.json", Size: 349, SHA256: "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf"},
	{Name: "onnx/model.onnx", Size: 90405214, SHA256: "6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452"},
	{Name: "sentence_bert_config.json", Size: 53, SHA256: "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7"},
	{Name: "tokenizer.json", Size: 466247, SHA256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"},
	{Name: "tokenizer_config.json", Size: 350, SHA256: "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b"},
})

// pinnedOnHub is a model of a revision of a repository on the Hugging Face hub.
func pinnedOnHub(name, repository, revision, license string, files []fetch.File) knownModel {
	source := "https://huggingface.co/" + repository
	for i := range files {
		files[i].URL = source + "/resolve/" + revision + "/" + files[i].Name
	}
	return knownModel{name, path.Base(repository), source + "/tree/" + revision, license, files}
}

func modelNames() []string {
	return lists.Map(knownModels, func(m knownModel) string { return m.name })
}

func (a *app) fetchModel(ctx context.Context, fetcher *fetch.Fetcher, dir string, m knownModel) error {
	fmt.Fprintf(a.stderr, "%s is not part of this program. Its licence is %s.\nSource: %s\n", m.folder, m.license, m.source)
	home := filepath.Join(dir, m.folder)
	if err := os.MkdirAll(home, 0o755); err != nil {
		return usageError(fmt.Errorf("models folder: %w", err))
	}
	if err := a.fetchFiles(ctx, fetcher, home, m.files); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "entries of live run it with options: {embed: {use: onnx, dir: %s}}\n", home)
	return nil
}

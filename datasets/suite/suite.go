// Package suite lists the datasets that a run file may use.
package suite

import (
	"path"

	"recallbench/datasets"
	"recallbench/datasets/beam"
	"recallbench/datasets/board"
	"recallbench/datasets/changes"
	"recallbench/datasets/dialogrel"
	"recallbench/datasets/errata"
	"recallbench/datasets/jsonl"
	"recallbench/datasets/locomo"
	"recallbench/datasets/longmemeval"
	"recallbench/datasets/multiwozlong"
	"recallbench/datasets/perltqa"
	"recallbench/datasets/personamem"
	"recallbench/datasets/sample"
	"recallbench/datasets/tasks"
)

// Fetchable returns everything that can be fetched and verified: the datasets, and
// errata of their gold answers, which open none.
func Fetchable() []*datasets.Spec { return append(append(All(), errata.Specs()...), board.Spec) }

// All returns the datasets in the order of listings.
func All() []*datasets.Spec {
	return []*datasets.Spec{
		sample.Spec,
		changes.Spec,
		locomo.Spec,
		perltqa.Spec,
		tasks.Spec,
		multiwozlong.Spec,
		dialogrel.Spec,
		longmemeval.Spec,
		beam.Spec,
		personamem.Spec,
		jsonl.Spec,
	}
}

// Models returns the local models with pinned files that can be fetched as datasets are.
func Models() []*datasets.Spec { return []*datasets.Spec{miniLM, mpnet} }

// miniLM is the sentence embedder that most papers on retrieval name.
var miniLM = OnHub("minilm", "sentence-transformers/all-MiniLM-L6-v2", "c9745ed1d9f207416be6d2e6f8de32d1f16199bf", "Apache-2.0", []datasets.File{
	{Name: "1_Pooling/config.json", Size: 190, SHA256: "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23"},
	{Name: "README.md", Size: 10454, SHA256: "7dfc82496ec33f906b5b0d6750c1e2397da6530c74d1ae3568c55bc2739125e7"},
	{Name: "config.json", Size: 612, SHA256: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"},
	{Name: "modules.json", Size: 349, SHA256: "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf"},
	{Name: "onnx/model.onnx", Size: 90405214, SHA256: "6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452"},
	{Name: "sentence_bert_config.json", Size: 53, SHA256: "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7"},
	{Name: "tokenizer.json", Size: 466247, SHA256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"},
	{Name: "tokenizer_config.json", Size: 350, SHA256: "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b"},
})

// mpnet is the sentence embedder of the Semantic Anchoring paper.
var mpnet = OnHub("mpnet", "sentence-transformers/all-mpnet-base-v2", "e8c3b32edf5434bc2275fc9bab85f82640a19130", "Apache-2.0", []datasets.File{
	{Name: "1_Pooling/config.json", Size: 190, SHA256: "a37f83ada23e7887be6b88f4998927dbeac0038af301553c7cd5461413bf1a56"},
	{Name: "config.json", Size: 571, SHA256: "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0"},
	{Name: "modules.json", Size: 349, SHA256: "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf"},
	{Name: "onnx/model.onnx", Size: 435826548, SHA256: "74187b16d9c946fea252e120cfd7a12c5779d8b8b86838a2e4c56573c47941bd"},
	{Name: "sentence_bert_config.json", Size: 53, SHA256: "cabfacded9272091a06ff595a46ef027a76ddf4ac9e77d0fcf11c605748f1667"},
	{Name: "tokenizer.json", Size: 466021, SHA256: "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842"},
	{Name: "tokenizer_config.json", Size: 363, SHA256: "67f2ff7e223518e729869bb3a70f0caf8368fe549383fc11cfe2dfb42fffc268"},
})

// OnHub returns a model at a revision of a repository on the Hugging Face hub.
func OnHub(name, repository, revision, license string, files []datasets.File) *datasets.Spec {
	source := "https://huggingface.co/" + repository
	for i := range files {
		files[i].URL = source + "/resolve/" + revision + "/" + files[i].Name
	}
	return &datasets.Spec{Name: name, Folder: path.Base(repository), Source: source + "/tree/" + revision, License: license, Files: files}
}

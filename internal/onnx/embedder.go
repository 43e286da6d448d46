package onnx

import (
	"context"
	"errors"

	"recallbench/internal/embed"
)

// EmbedOptions say which model to open and how to use it.
type EmbedOptions struct {
	Dir  string // folder of the model
	File string // model file within Dir; empty for onnx/model.onnx, model.onnx or the only one
	// Pooling is "auto", as 1_Pooling/config.json says, "mean", "cls", "max" or
	// "last"; empty is "auto".
	Pooling string
	// Normalise is "auto", as modules.json says, "always" or "never"; empty is
	// "auto".
	Normalise      string
	QueryPrefix    string
	DocumentPrefix string
	Batch          int // texts in one run of the model; 0 is 16
	MaxTokens      int // longest input in tokens; 0 is the model's own
}

// An Embedder embeds texts with a local model.
type Embedder struct{}

// OpenEmbedder opens the model of a folder.
func OpenEmbedder(o EmbedOptions) (*Embedder, error) {
	return nil, errors.New("not built yet")
}

// Embed implements [embed.Embedder].
func (e *Embedder) Embed(ctx context.Context, r embed.Request) (embed.Reply, error) {
	return embed.Reply{}, nil
}

// Info implements [embed.Embedder].
func (e *Embedder) Info() embed.Info { return embed.Info{} }

// SHA256 identifies the files of the model, in hex.
func (e *Embedder) SHA256() string { return "" }

// Close lets go of the model.
func (e *Embedder) Close() error { return nil }

package provider

import (
	"io"
	"path/filepath"

	"recallbench/internal/backend"
	"recallbench/internal/backend/onnx"
	"recallbench/internal/backend/openai"
)

// config is what the client of a server needs of the options, the key left
// out.
func (e Embed) config(count func(string) int) openai.EmbedConfig {
	return openai.EmbedConfig{
		Config: openai.Config{BaseURL: e.BaseURL, Model: e.Model}, Dimensions: e.Dimensions,
		BatchTexts: e.BatchTexts, Count: count,
		QueryPrefix: e.QueryPrefix, DocumentPrefix: e.DocumentPrefix,
	}
}

// local is what a local model needs of the options.
func (e Embed) local(env backend.Env) onnx.EmbedOptions {
	return onnx.EmbedOptions{
		Dir: e.folder(env), Runtime: onnxRuntime(env, e.Runtime),
		QueryPrefix: e.QueryPrefix, DocumentPrefix: e.DocumentPrefix, Batch: e.BatchTexts,
	}
}

// folder is where the local model lies.
func (e Embed) folder(env backend.Env) string {
	if e.Dir != "" {
		return backend.Absolute(env.Base, e.Dir)
	}
	return filepath.Join(backend.ModelsDir(env.Getenv), e.Model)
}

// openLocal opens a local model that others may share, for as long as the doors are open.
// For an estimate one that does not exist is nil.
func openLocal[M local](b *opening, options any, open func() (M, error)) (model M, err error) {
	model, release, err := backend.Take(b.env.Shared, options, open)
	switch {
	case err == nil:
		b.closers = append(b.closers, release)
	case b.env.Estimate:
		err = nil
	}
	return model, err
}

// A local is a model that runs from the files of a folder.
type local interface {
	io.Closer
	SHA256() string
}

// localName names a local model by its folder and the hash of its files.
func localName(dir, sum string) string {
	return filepath.Base(dir) + " sha256:" + sum[:min(16, len(sum))]
}

// onnxRuntime returns the path of ONNX Runtime's shared library; empty where
// neither an option nor the environment names it.
func onnxRuntime(env backend.Env, option string) string {
	if option == "" && env.Getenv != nil {
		return env.Getenv(onnx.RuntimeEnv)
	}
	return backend.Absolute(env.Base, option)
}

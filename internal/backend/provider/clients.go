package provider

import (
	"path/filepath"

	"recallbench/internal/backend"
	"recallbench/internal/backend/onnx"
	"recallbench/internal/backend/openai"
	"recallbench/internal/backend/tei"
)

// config is what the client of a server needs of the options, the key left
// out.
func (e Embed) config(count func(string) int) openai.EmbedConfig {
	return openai.EmbedConfig{
		Config: openai.Config{BaseURL: e.BaseURL, Model: e.Model}, Dimensions: e.Dimensions,
		BatchTexts: e.BatchTexts, Count: count,
		QueryPrefix: e.QueryPrefix, DocumentPrefix: e.DocumentPrefix,
		Encoding: string(e.Encoding),
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

// nliBatch is how many pairs of texts a request has at most.
const nliBatch = 32

// config is what the client of a server needs of the options, the key left
// out.
func (n NLI) config() tei.Config {
	return tei.Config{
		BaseURL: n.BaseURL, Batch: nliBatch, Over: n.Over,
	}
}

// local is what a local classifier needs of the options.
func (n NLI) local(env backend.Env) onnx.ClassifyOptions {
	return onnx.ClassifyOptions{
		Dir: backend.Absolute(env.Base, n.Dir), Runtime: onnxRuntime(env, ""), Over: n.Over, Batch: nliBatch,
	}
}

// onnxRuntime returns the path of ONNX Runtime's shared library; empty where
// neither an option nor the environment names it.
func onnxRuntime(env backend.Env, option string) string {
	if option == "" && env.Getenv != nil {
		return env.Getenv(onnx.RuntimeEnv)
	}
	return backend.Absolute(env.Base, option)
}

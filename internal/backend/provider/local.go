package provider

import (
	"context"
	"io"
	"path/filepath"

	"recallbench/internal/backend"
	"recallbench/internal/backend/onnx"
	"recallbench/internal/door/compress"
)

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
	model, release, err := backend.Take(b.env.Shared, [2]any{model, options}, open) // of the type of model
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

// openPrune opens the classifier of words, which runs in a replay, too: what it says
// is not recorded. For an estimate it does not run.
func (b *opening) openPrune() error {
	if b.Prune.Dir == "" {
		return nil
	}
	if b.env.Estimate {
		b.doors.Prune = evenly{}
		return nil
	}
	o := onnx.Options{Dir: backend.Absolute(b.env.Base, b.Prune.Dir), Runtime: onnxRuntime(b.env, ""), Batch: 8}
	p, err := openLocal(b, o, func() (*onnx.Pruner, error) { return onnx.OpenPruner(o) })
	if err != nil {
		return err
	}
	b.doors.Prune = p
	b.settings["prune"] = localName(o.Dir, p.SHA256())
	return nil
}

// evenly stands in for a classifier when only calls of language models are counted:
// every word is as likely kept, so that the rate asked for is what is left.
type evenly struct{}

func (evenly) Classify(_ context.Context, texts []string) ([][]compress.Word, error) {
	all := make([][]compress.Word, len(texts))
	for i, t := range texts {
		for _, w := range compress.Words(t) {
			all[i] = append(all[i], compress.Word{Start: w[0], End: w[1], Keep: 0.5})
		}
	}
	return all, nil
}

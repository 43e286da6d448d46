package provider

import (
	"context"

	"recallbench/internal/backend"
	"recallbench/internal/backend/onnx"
	"recallbench/internal/door/compress"
)

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
	o := onnx.PruneOptions{Dir: backend.Absolute(b.env.Base, b.Prune.Dir), Runtime: onnxRuntime(b.env, "")}
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

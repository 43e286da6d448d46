package runners_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/datasets/longmemeval"
	"recallbench/internal/config/suite"
	"recallbench/internal/testkit/histories"
	"recallbench/internal/testkit/try"
	"recallbench/runners"
)

const streamedConfig = `
name: streamed
datasets: [{use: longmemeval, options: {path: %q}}]
methods: [{use: flat-rag, options: {k: 3}}]
models: [{use: stand-in}]
metrics: [f1@mem0, evidence-recall]
`

// A run whose samples are read from their file one by one writes the same bytes with any
// number of workers.
func TestStreamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.json")
	f := try.Get(os.Create(path))(t)
	defer f.Close()
	try.Do(t, histories.Write(f, 6, 3))
	all := suite.Plugins()
	all.Datasets = []*datasets.Spec{longmemeval.Spec}
	written := func(workers int) map[string]string {
		r := start(t, try.Get(planOf(t, all, fmt.Sprintf(streamedConfig, path), fmt.Sprintf("concurrency={samples: %d, requests: %[1]d}", workers)))(t))
		if result, err := r.Execute(t.Context(), runners.Options{}); err != nil || result.Failed > 0 {
			t.Fatalf("%d failed, %v", result.Failed, err)
		}
		return files(t, r.Folder())
	}
	if diff := cmp.Diff(written(1), written(8)); diff != "" {
		t.Fatalf("8 workers (-one +got):\n%s", diff)
	}
}

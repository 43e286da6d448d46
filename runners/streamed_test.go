package runners_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/datasets"
	"recallbench/datasets/beam"
	"recallbench/datasets/longmemeval"
	"recallbench/internal/config/suite"
	"recallbench/internal/testkit/histories"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
	"recallbench/runners"
)

const streamedConfig = `
name: streamed
datasets: [{use: %s, options: %s}]
methods: [{use: flat-rag, options: {k: 3}}]
models: [{use: stand-in}]
metrics: [f1@mem0, evidence-recall]
`

// TestStreamed checks that a run whose samples are read from their file one by one writes
// the same bytes with any number of workers.
func TestStreamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.json")
	f := try.Get(os.Create(file))(t)
	defer f.Close()
	try.Do(t, histories.Write(f, 6, 3))
	t.Run("longmemeval", func(t *testing.T) {
		checkStreamed(t, longmemeval.Spec, fmt.Sprintf("{path: %q}", file))
	})
	t.Run("beam", func(t *testing.T) {
		path := filepath.Join(realdata.Datasets(t), "beam", "chats")
		checkStreamed(t, beam.Spec, fmt.Sprintf("{path: %q, conversations: [3]}", path))
	})
}

func checkStreamed(t *testing.T, spec *datasets.Spec, options string) {
	t.Helper()
	var want map[string]string
	for _, workers := range []int{1, 8} {
		all := suite.Plugins()
		all.Datasets = []*datasets.Spec{spec}
		r := start(t, try.Get(planOf(t, all, fmt.Sprintf(streamedConfig, spec.Name, options), fmt.Sprintf("concurrency={samples: %d, requests: %d}", workers, workers)))(t))
		result, err := r.Execute(t.Context(), runners.Options{})
		if err != nil || result.Failed > 0 {
			t.Fatalf("%d failed, %v", result.Failed, err)
		}
		got := files(t, r.Folder())
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%d workers (-one +got):\n%s", workers, diff)
		}
	}
}

//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/realdata"
	"recallbench/internal/testkit/try"
)

// processorTime is what the process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	try.Do(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestImportFast imports nearly 14,000 published answers within three seconds of processor
// time.
func TestImportFast(t *testing.T) {
	longtest.Skip(t)
	longtest.SkipRace(t)
	data := realdata.Datasets(t)
	args := []string{"import", "--dataset", "locomo", "--data", data, "--out", filepath.Join(t.TempDir(), "run"), "--accept", "gold,category,question,conversation"}
	for _, file := range []string{
		"zep-locomo/zep_locomo_grades.json", "memobase-locomo/memobase_eval_0503_3000.json", "memobase-locomo/memobase_eval_0710_3000.json", "evermemos-locomo/judged.json", "cognitive-memory/locomo-oracle_ceiling_mem0.json",
		"cognitive-memory/locomo-clean_run_a.json", "cognitive-memory/locomo-clean_run_b.json", "cognitive-memory/locomo-clean_run_e.json", "cognitive-memory/locomo-clean_run_f.json",
	} {
		args = append(args, filepath.Join(data, "answers", file))
	}
	before := processorTime(t)
	r := must(t, args...)
	took := processorTime(t) - before
	if t.Log(took); !strings.Contains(r.stdout, "13860 answers, no errors") || took > 3*time.Second {
		t.Errorf("%v for\n%s", took, r.stdout)
	}
}

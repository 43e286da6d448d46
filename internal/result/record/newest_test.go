package record_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
)

func TestNewest(t *testing.T) {
	dir := t.TempDir()
	if _, err := record.Newest(dir); err == nil || !strings.Contains(err.Error(), "there is no latest run") {
		t.Errorf("no run: %v", err)
	}
	for _, step := range []struct{ folder, header, want string }{
		{"mine", `{"start":"2026-03-01T00:00:00Z"}`, "mine"},
		{"zzz", `{"start":"2026-02-01T00:00:00Z"}`, "mine"}, // names do not count
		{"20260401T000000Z-a-1", `{"start":"2026-04-01T00:00:00Z"}`, "20260401T000000Z-a-1"},
		{"20260301T000000Z-damaged-1", `{`, "20260401T000000Z-a-1"},
		{"20260501T000000Z-damaged-2", `{"start":`, "20260501T000000Z-damaged-2"}, // the verb reports its damage
		{"unknown", ``, "20260501T000000Z-damaged-2"},
	} {
		folder := filepath.Join(dir, step.folder)
		try.Do(t, errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(filepath.Join(folder, "run.json"), []byte(step.header), 0o644)))
		got, err := record.Newest(dir)
		if err != nil || filepath.Base(got) != step.want {
			t.Errorf("after %s: %s, %v, want %s", step.folder, got, err, step.want)
		}
	}
}

package filelock

import (
	"path/filepath"
	"testing"
)

func TestRemote(t *testing.T) {
	if kind, err := Remote(filepath.Join(t.TempDir(), "none")); kind != "" {
		t.Errorf("a folder that is not there is on %q, error %v", kind, err)
	}
	if kind, err := Remote(t.TempDir()); kind != "" || err != nil {
		t.Logf("temporary folders are on %q, error %v", kind, err)
	}
}

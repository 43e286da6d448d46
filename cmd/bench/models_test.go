package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/files/fetch"
)

func TestModelsFetch(t *testing.T) {
	check := alone(t)
	put(t, filepath.Join("server", "model.onnx"), []byte("weights"))
	sum := sha256.Sum256([]byte("weights"))
	m := pinnedOnHub("tiny", "somebody/tiny", "0123abcd", "MIT", []datasets.File{{Name: "onnx/model.onnx", Size: 7, SHA256: hex.EncodeToString(sum[:])}})
	if want := "https://huggingface.co/somebody/tiny/resolve/0123abcd/onnx/model.onnx"; m.Files[0].URL != want {
		t.Errorf("it is fetched from %s, want %s", m.Files[0].URL, want)
	}
	knownModels = append(knownModels, m)
	defer func() { knownModels = knownModels[:len(knownModels)-1] }()
	fetched := func(server string) ran {
		var stdout, stderr bytes.Buffer
		a := &app{stdout: &stdout, stderr: &stderr, env: os.Getenv}
		err := a.fetchData(t.Context(), &fetch.Fetcher{Client: &http.Client{Transport: files(server)}}, "models", m, nil)
		if err != nil {
			a.printError(err)
		}
		return ran{filepath.ToSlash(stdout.String()), filepath.ToSlash(stderr.String()), exitCode(err)}
	}
	if got := fetched("nowhere"); got.code != exitUnavailable {
		t.Errorf("404: exit %d, %s", got.code, got.stderr)
	}
	got := fetched("server")
	if got.code != exitOK {
		t.Fatalf("exit %d: %s", got.code, got.stderr)
	}
	check("models_fetch.txt", got.stdout+got.stderr)
	if got := fetched("nowhere"); got.code != exitOK || !strings.Contains(got.stdout, "present already") {
		t.Errorf("a second time: exit %d, %s%s", got.code, got.stdout, got.stderr)
	}
	put(t, filepath.Join("models", "tiny", "onnx", "model.onnx"), []byte("WEIGHTS"))
	if got := fetched("server"); got.code != exitFingerprint {
		t.Errorf("another file: exit %d, %s", got.code, got.stderr)
	}
	if got := run(t, "data", "fetch", "minilmm"); got.code != exitUsage || !strings.Contains(got.stderr, "did you mean \"minilm\"") {
		t.Errorf("another name: exit %d, %s", got.code, got.stderr)
	}
}

// TestKnownModels looks whether the pins can be right.
func TestKnownModels(t *testing.T) {
	for _, m := range knownModels {
		for _, f := range m.Files {
			if sum, err := hex.DecodeString(f.SHA256); err != nil || len(sum) != sha256.Size || f.Size <= 0 || !filepath.IsLocal(f.Name) || !strings.HasSuffix(f.URL, "/"+f.Name) {
				t.Errorf("%s: %+v", m.Name, f)
			}
		}
	}
}

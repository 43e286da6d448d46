package token

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

// TestReference counts with the files of real models and compares with what
// Hugging Face's own library, tokenizers 0.22.2, counts with them
// (testdata/reference.json). A file is known by its digest. It is looked for
// in the folder that BENCH_TOKENIZERS names, and in the module cache, where
// the tests of another module have some.
func TestReference(t *testing.T) {
	data := try.Get(os.ReadFile("testdata/reference.json"))(t)
	var reference struct {
		Texts      []string
		Tokenizers []struct {
			Name, SHA256 string
			Special      int
			Counts       []int
		}
	}
	try.Do(t, json.Unmarshal(data, &reference))
	files := tokenizerFiles(t)
	for _, want := range reference.Tokenizers {
		t.Run(want.Name, func(t *testing.T) {
			path, ok := files[want.SHA256]
			if !ok {
				t.Skipf("no file with the digest %s in BENCH_TOKENIZERS", want.SHA256)
			}
			c := try.Get(Open(path, ""))(t)
			e := try.Get(OpenEncoder(path))(t)
			if got := len(e.Surround(nil)); got != want.Special {
				t.Errorf("%d special tokens, want %d", got, want.Special)
			}
			for i, text := range reference.Texts {
				if got := c.Count(text); got != want.Counts[i] {
					t.Errorf("Count(%q) = %d, want %d; it splits into %q", text, got, want.Counts[i], c.Split(text))
				}
			}
		})
	}
}

// tokenizerFiles returns the paths of the files that are there, by digest.
func tokenizerFiles(t *testing.T) map[string]string {
	t.Helper()
	var dirs []string
	if dir := os.Getenv("BENCH_TOKENIZERS"); dir != "" {
		dirs = append(dirs, dir)
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/daulet/tokenizers")
	list.Env = append(os.Environ(), "GOPROXY=off")
	if out, err := list.Output(); err == nil && len(out) > 1 {
		dirs = append(dirs, filepath.Join(strings.TrimSpace(string(out)), "test", "data"))
	}
	files := make(map[string]string)
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
				return err
			}
			data, err := os.ReadFile(path)
			sum := sha256.Sum256(data)
			files[hex.EncodeToString(sum[:])] = path
			return err
		})
		if err != nil {
			t.Log(err)
		}
	}
	return files
}

// Package docs tests that what the documents say is so.
package docs

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

// fileBlock matches "`path/name.go`:" followed by the block of Go code that is
// its content.
var fileBlock = regexp.MustCompile("(?m)^`([a-z/_]+\\.go)`:\n\n```go\n((?s:.*?))```\n")

// TestExtending compiles and tests the plug-ins of design/extending.md, laid over the
// module as the files that the page says they are.
func TestExtending(t *testing.T) {
	longtest.Skip(t)
	page := try.Get(os.ReadFile("design/extending.md"))(t)
	root := try.Get(filepath.Abs(".."))(t)
	overlay := struct{ Replace map[string]string }{make(map[string]string)}
	dir := t.TempDir()
	for _, block := range fileBlock.FindAllStringSubmatch(string(page), -1) {
		name, code := block[1], block[2]
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		try.Do(t, os.WriteFile(file, []byte(code), 0o644))
		overlay.Replace[filepath.Join(root, filepath.FromSlash(name))] = file
	}
	if len(overlay.Replace) != 3 {
		t.Fatalf("the page has %d files, want 3", len(overlay.Replace))
	}
	for folder, added := range map[string][2]string{"methods": {"recency", "stateless.Spec,"}, "datasets": {"riddles", "sample.Spec,"}} {
		listed := filepath.Join(root, folder, "suite", "suite.go")
		suite := string(try.Get(os.ReadFile(listed))(t))
		suite = strings.Replace(suite, "import (", "import (\n\t\"recallbench/"+folder+"/"+added[0]+"\"", 1)
		suite = strings.Replace(suite, added[1], added[0]+".Spec, "+added[1], 1)
		overlay.Replace[listed] = filepath.Join(dir, folder+"_suite.go")
		try.Do(t, os.WriteFile(overlay.Replace[listed], []byte(suite), 0o644))
	}
	data := try.Get(json.Marshal(overlay))(t)
	config := filepath.Join(dir, "overlay.json")
	try.Do(t, os.WriteFile(config, data, 0o644))
	run := func(folder, name string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
	}
	// The tests are run apart from their build, because go test would look for
	// the folders of the overlay on the disk.
	for folder, only := range map[string]string{"methods": "/recency", "datasets": "TestContract/riddles"} {
		test := filepath.Join(dir, folder+".test.exe")
		run(root, "go", "test", "-c", "-vet=off", "-overlay", config, "-o", test, "./"+folder+"/suite")
		run(filepath.Join(root, folder, "suite"), test, "-test.run", only)
	}
	run(root, "go", "build", "-overlay", config, "./metrics")
}

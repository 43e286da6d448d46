package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"recallbench/internal/testkit/try"
)

var (
	fencedBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	inlineCode  = regexp.MustCompile("`[^`\n]*`")
	link        = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading     = regexp.MustCompile(`(?m)^#+ (.*)$`)
	unslugged   = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// documents returns the texts of the repository's documents by path from its root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	all := make(map[string]string)
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules" || path == "results/runs"):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, ".md"):
			data, err := fs.ReadFile(root, path)
			all[path] = string(data)
			return err
		}
		return nil
	})
	try.Do(t, err)
	return all
}

// anchors returns the fragments by which GitHub links to the headings of a page.
func anchors(text string) map[string]bool {
	all := make(map[string]bool)
	for _, m := range heading.FindAllStringSubmatch(fencedBlock.ReplaceAllString(text, ""), -1) {
		all[strings.ReplaceAll(unslugged.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return all
}

// TestLinks follows every link from a document to a file of the repository and to a
// heading in it, and checks that another page links to each page of docs.
func TestLinks(t *testing.T) {
	all := documents(t)
	linked := make(map[string]bool)
	followed := 0
	for path, text := range all {
		text = inlineCode.ReplaceAllString(fencedBlock.ReplaceAllString(text, ""), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			followed++
			target, anchor, _ := strings.Cut(m[1], "#")
			file := path
			if target != "" {
				file = filepath.ToSlash(filepath.Join(filepath.Dir(path), target))
			}
			linked[file] = linked[file] || file != path
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(file))); err != nil {
				t.Errorf("%s: %s: %v", path, m[1], err)
			} else if anchor != "" && !anchors(all[file])[anchor] {
				t.Errorf("%s: %s: %s has no such heading", path, m[1], file)
			}
		}
	}
	for path := range all {
		if strings.HasPrefix(path, "docs/") && !linked[path] {
			t.Errorf("no page links to %s", path)
		}
	}
	if followed < 150 {
		t.Errorf("%d links were followed, want at least 150", followed)
	}
}

// calques match phrases that are English words, but no English, and sentences that begin
// with a participle for their subject.
var calques = regexp.MustCompile(`(?i:\b(by lot|(hold|holds|held|holding) (\S+ ){0,3}against|bless(ed|es)?|fallen|rulings?|objected to|in bold the)\b)|` +
	`(^|[.:] )(Not )?(Read|Kept|Recorded|Supported|Tested|Counted|Compared|Missing) (are|is)\b`)

// TestCalques looks for such phrases in the manual.
func TestCalques(t *testing.T) {
	for path, text := range documents(t) {
		if path != "README.md" && path != "CONTRIBUTING.md" && !strings.HasPrefix(path, "docs/") {
			continue
		}
		text = strings.Join(strings.Fields(inlineCode.ReplaceAllString(fencedBlock.ReplaceAllString(text, ""), "")), " ")
		for _, found := range calques.FindAllString(text, -1) {
			t.Errorf("%s has %q; say it as a native speaker would", path, found)
		}
	}
}

// TestReadmeLength holds the README to what fits a reader's first look.
func TestReadmeLength(t *testing.T) {
	all := documents(t)
	if n := strings.Count(all["README.md"], "\n"); n > 120 {
		t.Errorf("README.md has %d lines, want at most 120", n)
	}
}

package runners

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"recallbench/internal/door/prompt"
	"recallbench/methods"
)

// TestLoadPrompts: the user's own prompts come before the authors', and these before
// those of the method.
func TestLoadPrompts(t *testing.T) {
	file := func(text string) string { return `{{define "user"}}` + text + `{{end}}` }
	spec := &methods.Spec{
		Name:    "m",
		Prompts: prompt.Texts(map[string]string{"a.tmpl": file("built in"), "b.tmpl": file("built in"), "c.tmpl": file("built in")}),
		Cloned: func(base string, options any) (fs.FS, error) {
			switch options.(string) {
			case "":
				return nil, nil
			case "gone":
				return nil, errors.New("no clone below " + base)
			}
			return prompt.Texts(map[string]string{"a.tmpl": file("authors'"), "b.tmpl": file("authors'")}), nil
		},
	}
	own := ownPrompts{prompt.Texts(map[string]string{"a.tmpl": file("own")})}
	for _, tt := range []struct {
		options string
		own     fs.FS
		want    string
	}{
		{"", nil, "built in, built in, built in"},
		{"clone", nil, "authors', authors', built in"},
		{"clone", own, "own, authors', built in"},
	} {
		set, err := loadPrompts(spec, tt.options, "base", tt.own)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range []string{"a", "b", "c"} {
			messages, err := set.Render(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, messages[0].Content)
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("options %q: prompts %s, want %s", tt.options, s, tt.want)
		}
	}
	if _, err := loadPrompts(spec, "gone", "base", nil); err == nil || err.Error() != "method m: no clone below base" {
		t.Errorf("error %v", err)
	}
}

// ownPrompts is a folder that has the prompts of method m below m.
type ownPrompts struct{ files fs.FS }

func (o ownPrompts) Open(name string) (fs.File, error) {
	return o.files.Open(strings.TrimPrefix(name, "m/"))
}

func (o ownPrompts) ReadDir(string) ([]fs.DirEntry, error) { return fs.ReadDir(o.files, ".") }

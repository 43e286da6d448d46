package clone

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/llm"
	"recallbench/internal/door/prompt"
)

const code = `
class A:
    system = "Be {brief}."

    def ask(self, x):
        prompt = f"""One \
line.
            {{"a": {x}}} and {self.y[0]}{{{x}""" + tail
        other = ("it's "
                 'two' r'\n')
        template = '''{x} {{ {'''
SCRIPT = ` + "`as it {is}\n\"so\"`\nFILLED = `${x}`\n"

func write(t *testing.T) (dir, sum string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.py"), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256([]byte(code))
	return dir, hex.EncodeToString(hash[:])
}

func source(sum string, user Text) Source {
	return Source{
		Repository: "https://example.org/a", Commit: "abc", Files: map[string]string{"a.py": sum},
		Prompts: map[string]Prompt{"p": {System: Text{File: "a.py", After: []string{"system = "}}, User: user}},
	}
}

func TestTemplates(t *testing.T) {
	dir, sum := write(t)
	for name, tt := range map[string]struct {
		text Text
		want string
	}{
		"formatted": {
			Text{File: "a.py", After: []string{"def ask", "prompt = "}, Fields: map[string]string{"x": "{{.X}}", "self.y[0]": "{{.Y}}"}, Then: " <{{.Tail}}>"},
			"One line.\n            {\"a\": {{x}}} and y{{{x}} <{{tail}}>",
		},
		"script": {Text{File: "a.py", After: []string{"SCRIPT = "}, Then: " <{{.Tail}}>"}, "as it {is}\n\"so\" <{{tail}}>"},
		"joined": {Text{File: "a.py", After: []string{"other = "}}, `it's two\n`},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := source(sum, tt.text).Templates(filepath.Dir(dir), Options{From: filepath.Base(dir)})
			if err != nil {
				t.Fatal(err)
			}
			builtin := prompt.Texts(map[string]string{"p.tmpl": `{{define "user"}}built in{{end}}`, "q.tmpl": `{{define "user"}}q{{end}}`})
			set, err := prompt.Load("m", prompt.Join(files, builtin), nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := set.Render("p", map[string]string{"X": "{{x}}", "Y": "y", "Tail": "{{tail}}"})
			if err != nil {
				t.Fatal(err)
			}
			want := []llm.Message{{Role: llm.System, Content: "Be {brief}."}, {Role: llm.User, Content: tt.want}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			if got, err := set.Render("q", nil); err != nil || got[0].Content != "q" {
				t.Errorf("a prompt that the table does not have: %v, %v", got, err)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	dir, sum := write(t)
	for name, tt := range map[string]struct {
		source Source
		from   string
		want   []string
	}{
		"no clone":        {source(sum, Text{File: "a.py"}), filepath.Join(dir, "none"), []string{"no such file", "want a clone of https://example.org/a at commit abc"}},
		"another state":   {source("00", Text{File: "a.py"}), dir, []string{"a.py", sum, "want 00", "check out commit abc"}},
		"no hash":         {source(sum, Text{File: "b.py"}), dir, []string{"prompt p", "no hash of b.py"}},
		"mark is gone":    {source(sum, Text{File: "a.py", After: []string{"def answer"}}), dir, []string{`a.py, which has no "def answer"`}},
		"no string":       {source(sum, Text{File: "a.py", After: []string{"class "}}), dir, []string{"no string begins here"}},
		"no field":        {source(sum, Text{File: "a.py", After: []string{"prompt = "}, Fields: map[string]string{"x": ""}}), dir, []string{"no placeholder {self.y[0]}"}},
		"an expression":   {source(sum, Text{File: "a.py", After: []string{"FILLED = "}}), dir, []string{"want a template literal without ${}"}},
		"a brace is open": {source(sum, Text{File: "a.py", After: []string{"template = "}, Format: true, Fields: map[string]string{"x": ""}}), dir, []string{"no placeholder {"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tt.source.Templates("", Options{From: tt.from})
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q", err, want)
				}
			}
		})
	}
	if files, err := source(sum, Text{}).Templates("", Options{}); files != nil || err != nil {
		t.Errorf("without a clone: %v, %v", files, err)
	}
}

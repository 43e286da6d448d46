package prompt

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/llm"
	"recallbench/internal/testkit/try"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

var builtin = Texts{
	"answer.tmpl": `{{define "system"}} Be brief. {{end}}{{define "user"}}
Question: {{.Question}}
{{end}}`,
}

type data struct{ Question string }

func TestRender(t *testing.T) {
	s := try.Get(Load("m", builtin, nil))(t)
	got := try.Get(s.Render("answer", data{"{{.Hack}} <b>?"}))(t)
	want := []llm.Message{{Role: llm.System, Content: "Be brief."}, {Role: llm.User, Content: "Question: {{.Hack}} <b>?"}}
	try.Equal(t, "messages", want, got)
	if _, err := s.Render("other", nil); err == nil {
		t.Error("a prompt that is not there is rendered")
	}
}

// Of texts with the same name the first counts.
func TestJoin(t *testing.T) {
	shared := Texts{"answer.tmpl": `{{define "user"}}shared{{end}}`, "b.tmpl": `{{define "user"}}b{{end}}`}
	s := try.Get(Load("m", Join(builtin, shared), nil))(t)
	for name, want := range map[string]string{"answer": "Question: ?", "b": "b"} {
		if got, err := s.Render(name, data{"?"}); err != nil || got[len(got)-1].Content != want {
			t.Errorf("%s: %v, %v, want %q", name, got, err, want)
		}
	}
}

func TestOverride(t *testing.T) {
	plain := try.Get(Load("m", builtin, fstest.MapFS{"other/answer.tmpl": file("x")}))(t)
	own := try.Get(Load("m", builtin, fstest.MapFS{"m/answer.tmpl": file(`{{define "user"}}Q {{.Question}}{{end}}`)}))(t)
	got := try.Get(own.Render("answer", data{"?"}))(t)
	try.Equal(t, "messages", []llm.Message{{Role: llm.User, Content: "Q ?"}}, got)
	if own.Hash() == plain.Hash() {
		t.Error("another prompt has the same hash")
	}
	if again, err := Load("m", builtin, nil); err != nil || again.Hash() != plain.Hash() {
		t.Errorf("the same prompts have the hashes %s and %s, %v", again.Hash(), plain.Hash(), err)
	}
}

func TestLoadFaults(t *testing.T) {
	for _, tt := range []struct{ override, text, want string }{
		{"m/anser.tmpl", `{{define "user"}}{{end}}`, "m/anser.tmpl replaces nothing; m has answer.tmpl"},
		{"m/answer.tmpl", `{{define "user"}}{{end`, "m/answer.tmpl:1: unclosed action"},
		{"m/answer.tmpl", `Question`, `m/answer.tmpl: no template "user"`},
	} {
		_, err := Load("m", builtin, fstest.MapFS{tt.override: file(tt.text)})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s = %q: %v, want %q", tt.override, tt.text, err, tt.want)
		}
	}
	s := try.Get(Load("m", builtin, fstest.MapFS{"m/answer.tmpl": file(`{{define "user"}}{{.Qestion}}{{end}}`)}))(t)
	if _, err := s.Render("answer", data{"?"}); err == nil || !strings.Contains(err.Error(), "m/answer.tmpl:1:19") {
		t.Errorf("a field that is not there: %v", err)
	}
}

// TestScript makes a folder of prompts from a clone, as scripts/prompts.py does for
// the methods, and asks with it.
func TestScript(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	dir := t.TempDir()
	const code = `class A:
    def ask(self, x):
        call([{"role": "system", "content": "Be {brief}."}])
        prompt = f"""Say {{ and {x} or {self.y[0]}.""" + tail
OTHER = ("it's "
         'two {n}' '}}')
`
	try.Do(t, os.WriteFile(filepath.Join(dir, "a.py"), []byte(code), 0o600))
	const script = `
import hashlib, pathlib, sys
sys.dont_write_bytecode = True
sys.path.insert(0, "../../../scripts")
import prompts as p
clone = pathlib.Path(sys.argv[1])
files = {"a.py": hashlib.sha256((clone / "a.py").read_bytes()).hexdigest()}
p.SOURCES["m"] = p.Source("https://example.org/a", "abc", files, {
    "p": (p.Text("a.py", "A.system"), p.Text("a.py", "A.ask.prompt", {"x": "{{.X}}", "self.y[0]": "{{.Y}}"}, then=" <{{.X}}>")),
    "q": (None, p.Text("a.py", "OTHER", {"n": "{{.X}}"}, True)),
})
if sys.argv[2:] == ["changed"]:
    files["a.py"] = "00"
p.main(["m", str(clone), str(clone)])
`
	run := func(args ...string) (string, error) {
		out, err := exec.CommandContext(t.Context(), python, append([]string{"-c", script, dir}, args...)...).CombinedOutput()
		return string(out), err
	}
	if out, err := run("changed"); err == nil || !strings.Contains(out, "abc") {
		t.Errorf("a file that changed: %v, %s; want the commit", err, out)
	}
	if out, err := run(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	set := try.Get(Load("m", Texts{"p.tmpl": `{{define "user"}}built in{{end}}`, "q.tmpl": `{{define "user"}}built in{{end}}`}, os.DirFS(dir)))(t)
	for name, want := range map[string][]llm.Message{
		"p": {{Role: llm.System, Content: "Be {brief}."}, {Role: llm.User, Content: "Say { and {{x}} or y. <{{x}}>"}},
		"q": {{Role: llm.User, Content: "it's two {{x}}}"}},
	} {
		got, err := set.Render(name, map[string]string{"X": "{{x}}", "Y": "y"})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, messages (-want +got):\n%s", name, err, diff)
		}
	}
}

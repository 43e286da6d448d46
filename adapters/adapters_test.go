package adapters_test

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"recallbench/adapters"
	"recallbench/internal/calc/lists"
	"recallbench/internal/testkit/longtest"
	"recallbench/internal/testkit/try"
)

func TestReady(t *testing.T) {
	ready := try.Get(adapters.Ready())(t)
	if len(ready) != 13 {
		t.Errorf("%d ready adapters, want 13", len(ready))
	}
	for _, m := range ready {
		if m.Doc == "" || len(m.Probe) == 0 || len(m.Install) == 0 || len(m.Needs) == 0 {
			t.Errorf("%s lacks its doc, probe, install or needs", m.Name)
		}
		if len(m.Tested) == 0 && !strings.HasPrefix(m.Notes, "Untested") {
			t.Errorf("%s has no tested library, and its notes do not begin with Untested", m.Name)
		}
		files := try.Get(adapters.Files(m.Name))(t)
		if len(m.Command) == 0 {
			continue
		}
		kit := try.Get(adapters.Kit(m.Language))(t)
		for file := range kit {
			if files[file] == nil {
				t.Errorf("files of %s lack %s of its kit", m.Name, file)
			}
		}
		code := string(files[m.Command[1]])
		if lines := strings.Count(code, "\n"); lines == 0 || lines > 70 {
			t.Errorf("%s: %s has %d lines, want a page", m.Name, m.Command[1], lines)
		}
		for option := range m.Options {
			if !strings.Contains(code, `"`+option+`"`) && !strings.Contains(code, option+":") {
				t.Errorf("%s: option %s is not in the code", m.Name, option)
			}
		}
		for _, name := range m.Env {
			if !strings.Contains(code+strings.Join(m.Install, "\n")+m.Notes+strings.Join(m.Needs, " "), name) && name != "QDRANT_URL" && name != "QDRANT_PORT" && name != "TIKTOKEN_CACHE_DIR" {
				t.Errorf("%s: variable %s is said nowhere", m.Name, name)
			}
		}
	}
}

func TestReadySyntax(t *testing.T) {
	longtest.Skip(t)
	ready := try.Get(adapters.Ready())(t)
	for _, m := range ready {
		t.Run(m.Name, func(t *testing.T) {
			files := try.Get(adapters.Files(m.Name))(t)
			args := map[string][]string{
				"python": {"python3", "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())"}, "node": {"node", "--check"},
			}[m.Language]
			if args == nil {
				t.Skip("no code")
			}
			if _, err := exec.LookPath(args[0]); err != nil {
				t.Skip(err)
			}
			file := filepath.Join(t.TempDir(), m.Command[1])
			try.Do(t, os.WriteFile(file, files[m.Command[1]], 0o600))
			out, err := exec.CommandContext(t.Context(), args[0], append(args[1:], file)...).CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

func TestParse(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"name: x\n", "want one of command, url and mcp"},
		{"name: x\ncomand: [y]\n", `did you mean "command"`},
		{"command: [y]\n", "name: is missing"},
		{"name: x\ncommand: [y]\nclock: wall\n", `clock: is "wall"`},
		{"name: x\ncommand: [y]\ntested: [{library: z, version: 1.0.0, date: today}]\n", "tested[0]: wants"},
		{"name: x\nurl: http://127.0.0.1:1/\nmcp: {command: [y], add: {tool: a}, search: {tool: s}}\n", "more than one of command, url and mcp"},
		{"name: x\nmcp: {command: [y], add: {tool: a}}\n", "mcp.add and mcp.search are needed"},
	} {
		if _, err := adapters.Parse("adapter.yaml", []byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want an error with %q", test.text, err, test.want)
		}
	}
	m := try.Get(adapters.Parse("adapter.yaml", []byte("name: x\ncommand: [y]\n")))(t)
	if m.Clock != "session" || !m.Metered {
		t.Errorf("defaults: %+v", m)
	}
}

func TestUnknown(t *testing.T) {
	for _, f := range []func() error{
		func() error { _, err := adapters.Kit("pyhton"); return err },
		func() error { _, err := adapters.Template("nod", "x"); return err },
		func() error { _, err := adapters.Files("langmen"); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%v, want an error with the nearest name", err)
		}
	}
}

// The table of README.md is that of the manifests.
func TestReadme(t *testing.T) {
	text := try.Get(os.ReadFile("README.md"))(t)
	ready := try.Get(adapters.Ready())(t)
	var b strings.Builder
	for _, m := range ready {
		tested := lists.Map(m.Tested, func(l adapters.Tested) string { return l.Library + " " + l.Version })
		fmt.Fprintf(&b, "| [%s](ready/%s) | %s | %s |\n", m.Name, m.Name, m.Doc, cmp.Or(strings.Join(tested, ", "), "untested"))
	}
	if !strings.Contains(string(text), b.String()) {
		t.Errorf("README.md lacks the table:\n%s", &b)
	}
}

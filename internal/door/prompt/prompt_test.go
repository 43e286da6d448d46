package prompt

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/llm"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

var builtin = fstest.MapFS{
	"answer.tmpl": file(`{{define "system"}} Be brief. {{end}}{{define "user"}}
Question: {{.Question}}
{{end}}`),
	"notes.txt": file("no template"),
}

type data struct{ Question string }

func TestRender(t *testing.T) {
	s, err := Load("m", builtin, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Render("answer", data{"{{.Hack}} <b>?"})
	if err != nil {
		t.Fatal(err)
	}
	want := []llm.Message{{Role: llm.System, Content: "Be brief."}, {Role: llm.User, Content: "Question: {{.Hack}} <b>?"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	if _, err := s.Render("other", nil); err == nil {
		t.Error("a prompt that is not there is rendered")
	}
}

func TestOverride(t *testing.T) {
	plain, err := Load("m", builtin, fstest.MapFS{"other/answer.tmpl": file("x")})
	if err != nil {
		t.Fatal(err)
	}
	own, err := Load("m", builtin, fstest.MapFS{"m/answer.tmpl": file(`{{define "user"}}Q {{.Question}}{{end}}`)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := own.Render("answer", data{"?"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]llm.Message{{Role: llm.User, Content: "Q ?"}}, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
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
	s, err := Load("m", builtin, fstest.MapFS{"m/answer.tmpl": file(`{{define "user"}}{{.Qestion}}{{end}}`)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Render("answer", data{"?"}); err == nil || !strings.Contains(err.Error(), "m/answer.tmpl:1:19") {
		t.Errorf("a field that is not there: %v", err)
	}
}

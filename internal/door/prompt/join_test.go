package prompt

import (
	"testing"

	"recallbench/internal/testkit/try"
)

func TestJoin(t *testing.T) {
	own := Texts{"a.tmpl": `{{define "user"}}own{{end}}`}
	shared := Texts{"a.tmpl": `{{define "user"}}shared{{end}}`, "b.tmpl": `{{define "user"}}b{{end}}`}
	joined := Join(own, shared)
	s := try.Get(Load("m", joined, nil))(t)
	for name, want := range map[string]string{"a": "own", "b": "b"} {
		got, err := s.Render(name, nil)
		if err != nil || got[0].Content != want {
			t.Errorf("%s: %v, %v, want %q", name, got, err, want)
		}
	}
}

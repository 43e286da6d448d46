package prompt

import (
	"testing"
	"testing/fstest"

	"recallbench/internal/testkit/try"
)

func TestJoin(t *testing.T) {
	own := fstest.MapFS{"a.tmpl": file(`{{define "user"}}own{{end}}`)}
	shared := fstest.MapFS{"a.tmpl": file(`{{define "user"}}shared{{end}}`), "b.tmpl": file(`{{define "user"}}b{{end}}`)}
	joined := Join(own, shared)
	s := try.Get(Load("m", joined, nil))(t)
	for name, want := range map[string]string{"a": "own", "b": "b"} {
		got, err := s.Render(name, nil)
		if err != nil || got[0].Content != want {
			t.Errorf("%s: %v, %v, want %q", name, got, err, want)
		}
	}
}

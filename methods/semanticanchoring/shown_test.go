package semanticanchoring

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/llm"
	"recallbench/methods/internal/linguistic"
)

// A reader that is given tasks learns the names that the text shows, and no
// others.
func TestShown(t *testing.T) {
	e := linguistic.Entry{Line: llm.Line{Speaker: "Ben", Text: "She likes it there."}}
	for _, name := range []string{"Asha Rao", "", strings.Repeat("x", maxName+1), "Heron Lodge", "Selby"} {
		e.Entities = append(e.Entities, linguistic.Entity{Name: name})
	}
	for _, tt := range []struct {
		serialise Serialise
		want      []string
	}{
		{Serialise{Lines: 3, Entities: 2}, []string{"Asha Rao", "Heron Lodge"}},
		{Serialise{Lines: 1, Entities: 9}, []string{"Asha Rao", "Heron Lodge", "Selby"}},
		{Serialise{Lines: 0, Entities: 9}, nil},
		{Serialise{Lines: 3, Entities: 0}, nil},
	} {
		got := tt.serialise.shown(e)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.serialise, diff)
		}
		text := tt.serialise.text(e)
		for _, entity := range e.Entities {
			told := strings.Contains(strings.Join(got, "; "), entity.Name)
			if shown := strings.Contains(text, "ENTITY: "+entity.Name+"]"); entity.Name != "" && shown != told {
				t.Errorf("%+v: %.20q is shown: %v, told: %v, in %q", tt.serialise, entity.Name, shown, told, text)
			}
		}
	}
}

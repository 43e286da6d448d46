package semanticanchoring

import (
	"slices"
	"strings"
	"testing"

	"recallbench/methods/internal/linguistic"
	"recallbench/methods/internal/transcript"
)

// The text of an entry shows the first names that are not too long.
func TestShown(t *testing.T) {
	e := linguistic.Entry{Line: transcript.Line{Speaker: "Ben", Text: "She likes it there."}}
	for _, name := range []string{"Asha Rao", "", strings.Repeat("x", maxName+1), "Heron Lodge", "Selby", "Thea", "Una"} {
		e.Entities = append(e.Entities, linguistic.Entity{Name: name})
	}
	want := []string{"Asha Rao", "Heron Lodge", "Selby", "Thea"}
	text := serialise(e)
	for _, entity := range e.Entities {
		told := slices.Contains(want, entity.Name)
		if shown := strings.Contains(text, "ENTITY: "+entity.Name+"]"); entity.Name != "" && shown != told {
			t.Errorf("%.20q is shown: %v, want %v, in %q", entity.Name, shown, told, text)
		}
	}
}

package semanticanchoring

import (
	"slices"
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
	for _, name := range []string{"Asha Rao", "", strings.Repeat("x", maxName+1), "Heron Lodge", "Selby", "Thea", "Una"} {
		e.Entities = append(e.Entities, linguistic.Entity{Name: name})
	}
	got := namesShown(e)
	if diff := cmp.Diff([]string{"Asha Rao", "Heron Lodge", "Selby", "Thea"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text := serialise(e)
	for _, entity := range e.Entities {
		told := slices.Contains(got, entity.Name)
		if shown := strings.Contains(text, "ENTITY: "+entity.Name+"]"); entity.Name != "" && shown != told {
			t.Errorf("%.20q is shown: %v, told: %v, in %q", entity.Name, shown, told, text)
		}
	}
}

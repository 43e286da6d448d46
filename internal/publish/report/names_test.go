package report

import (
	"strings"
	"testing"

	"recallbench/internal/publish/figure"
	"recallbench/internal/testkit/try"
)

// Names are shown in heads, cells and figures where they stand alone, and a note says
// what they stand for.
func TestNames(t *testing.T) {
	n := Names{"f1@mem0": "F1", "f1": "token F1", "some": "Ours", "fr": "Recall", "hit-0": "No hit", "unused": "x"}
	if got, want := n.show("f1@mem0, f1 of some; something f1@mem0-x (f1)", make(map[string]bool)), "F1, token F1 of Ours; something f1@mem0-x (token F1)"; got != want {
		t.Errorf("shown as %q, want %q", got, want)
	}
	o := drawnOptions()
	d := try.Get(Build([]*Run{drawnRun()}, o.Options))(t)
	n.Document(d)
	table := render(t, d, "text")
	for _, want := range []string{"Ours", "No hit", "No hit is hit-0; Ours is some"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table has no %q:\n%s", want, table)
		}
	}
	drawn, _, err := DrawFigures([]*Run{drawnRun()}, o, "ablation")
	try.Do(t, err)
	n.Figure(drawn[0].Figure)
	var svg strings.Builder
	try.Do(t, drawn[0].Write(&svg, "svg", figure.Size{}))
	for _, want := range []string{">Ours<", ">Recall (%)<", ">none<"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the figure has no %q", want)
		}
	}
	if csv := figureCSV(t, drawn[0].Figure); !strings.Contains(csv, "Ours is some") {
		t.Errorf("the CSV does not say what the names stand for:\n%s", csv)
	}
}

package report

import (
	"testing"

	"recallbench/internal/publish/published"
	"recallbench/internal/testkit/golden"
)

// Every published table can be shown; those of the golden file have groups,
// deviations and findings.
func TestShow(t *testing.T) {
	checks := published.Audit()
	for _, p := range published.List() {
		got := render(t, Show(p, checks), "text")
		switch p.Name {
		case "xmemory-table8", "semantic-anchoring-table1", "semantic-anchoring-latency":
			golden.Check(t, "show-"+p.Name+".text", got)
		}
	}
}

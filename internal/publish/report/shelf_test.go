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

func TestAudit(t *testing.T) {
	checks := published.Audit()
	for _, format := range []string{"text", "json"} {
		golden.Check(t, "audit."+format, unstyled(t, Audit(checks, false), format))
	}
	if n := len(Audit(checks, true).Tables[0].Rows); n != len(checks) {
		t.Errorf("%d rows, want all %d checks", n, len(checks))
	}
}

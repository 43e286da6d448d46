package runners

import (
	"testing"

	"recallbench/internal/backend/limit"
	"recallbench/internal/result/record"
)

// The progress of a run counts the workers that are there, and those that were lost.
func TestWatch(t *testing.T) {
	e := &execution{Run: &Run{plan: new(Plan)}, ledger: newLedger(func() limit.Counts { return limit.Counts{} })}
	all := []record.Worker{{State: record.WorkerLeft}}
	e.Watch = func() []record.Worker { return all }
	if doing := e.state().Doing; doing != "" {
		t.Errorf("without workers the progress says %q", doing)
	}
	all = append(all, record.Worker{State: record.WorkerJoined}, record.Worker{State: record.WorkerLost}, record.Worker{State: record.WorkerJoined})
	if doing := e.state().Doing; doing != "2 workers, 1 lost" {
		t.Errorf("the progress says %q", doing)
	}
}

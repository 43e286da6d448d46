package record

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"recallbench/internal/backend/limit"
	"recallbench/internal/door/meter"
	"recallbench/internal/testkit/try"
)

func TestSummary(t *testing.T) {
	folder := try.Get(Create(t.TempDir()))(t)
	dir := string(folder)
	if _, err := ReadSummary(dir); !errors.Is(err, ErrNoSummary) {
		t.Errorf("no scores: %v", err)
	}
	try.Do(t, os.WriteFile(folder.Scores(), []byte("{}\n"), 0o644))
	rows := []SummaryRow{{
		Dataset: "d", Method: "m", Model: "x", Cells: []string{"c"}, Requests: 2, Errors: 1,
		Columns:    map[string]SummaryMean{"f1": {N: 2, Mean: 0.5, Low: new(0.25), High: new(0.75), Samples: 2}},
		Categories: map[string]map[string]SummaryMean{"temporal": {"f1": {N: 1, Mean: 1}}},
		USD:        new(0.5),
	}}
	try.Do(t, WriteSummary(dir, rows))
	s := try.Get(ReadSummary(dir))(t)
	// The hash of "{}\n".
	want := ScoresSize{3, "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356"}
	try.Equal(t, "", Summary{1, want, rows, s.SHA256}, s)
	file := filepath.Join(dir, "summary.json")
	data := try.Get(os.ReadFile(file))(t)
	try.Do(t, os.WriteFile(file, bytes.Replace(data, []byte(`"mean":0.5`), []byte(`"mean":0.9`), 1), 0o644))
	if _, err := ReadSummary(dir); err == nil || errors.Is(err, ErrNoSummary) {
		t.Errorf("an edited mean: %v", err)
	}
	try.Do(t, os.WriteFile(folder.Scores(), []byte("{}\n{}\n"), 0o644))
	if _, err := ReadSummary(dir); !errors.Is(err, ErrNoSummary) {
		t.Errorf("other scores: %v", err)
	}
	try.Do(t, os.WriteFile(filepath.Join(dir, "summary.json"), []byte("["), 0o644))
	if _, err := ReadSummary(dir); err == nil || errors.Is(err, ErrNoSummary) {
		t.Errorf("no JSON: %v", err)
	}
}

func TestProgress(t *testing.T) {
	folder := try.Get(Create(t.TempDir()))(t)
	dir := string(folder)
	if p, err := ReadProgress(dir); p != nil || err != nil {
		t.Errorf("no progress: %v, %v", p, err)
	}
	want := Progress{
		Schema: 1, Time: time.Date(2026, 3, 1, 9, 0, 5, 0, time.UTC), PID: 4711, Host: Host(), Total: 600, Done: 34, Failed: 1,
		InFlight: []InFlight{{Cell: "c", Sample: "s1", Request: "q9", Stage: "reader"}}, Paid: meter.Paid{Calls: 30, USD: new(0.12)},
		Budget: ProgressBudget{USD: 2}, Accounts: []limit.Status{{Name: "api.example.com", Limit: 12, Waiting: 40}},
	}
	try.Do(t, folder.WriteProgress(want))
	got := try.Get(ReadProgress(dir))(t)
	try.Equal(t, "", &want, got)
	// It does not make the folder of a killed process one that nothing can begin in.
	if _, err := Create(dir); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := folder.RemoveProgress(); err != nil {
			t.Error(err)
		}
	}
	for _, broken := range []string{"{", `{"schema": 2}`} {
		try.Do(t, os.WriteFile(filepath.Join(dir, "progress.json"), []byte(broken), 0o644))
		if _, err := ReadProgress(dir); err == nil {
			t.Errorf("%s is no error", broken)
		}
	}
}

package main

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"recallbench/internal/testkit/golden"
)

// TestDoctorAnnotators: annotators of an entry of the stand-in are tried, too.
func TestDoctorAnnotators(t *testing.T) {
	s := httptest.NewServer(nil)
	url := s.URL
	s.Close()
	config := write(t, "run.yaml", fmt.Sprintf(`
datasets: [{use: sample}]
methods: [{use: stateless}]
models:
  - {use: stand-in, label: server, options: {annotate: {use: corenlp, corenlp: {base_url: %q}}}}
`, url))
	got := run(t, "doctor", config)
	if got.code != exitUnavailable {
		t.Errorf("exit %d, want %d", got.code, exitUnavailable)
	}
	golden.Check(t, "doctor_annotate.txt", strings.ReplaceAll(got.stdout+got.stderr, strings.TrimPrefix(url, "http://"), "server"))
}

package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/testkit/try"
)

// TestQuickstartTicks: no answer of the quickstart is right that lacks a number of its gold
// answer, such as the day of a date.
func TestQuickstartTicks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "run", "../../configs/quickstart.yaml", "--out", dir, "--display", "none")
	folder, header, err := record.Open(dir)
	try.Do(t, err)
	run, err := scored.Open(folder, header)
	try.Do(t, err)
	right := 0
	for _, c := range header.Cells {
		for q, err := range run.Requests(c) {
			try.Do(t, err)
			if q.Outcome("") != scored.Right {
				continue
			}
			right++
			for _, number := range regexp.MustCompile(`\d+`).FindAllString(q.Gold.Answer, -1) {
				if !strings.Contains(q.Record.Answer, number) {
					t.Errorf("%s: %q is right for %q", q.Gold.Question, q.Record.Answer, q.Gold.Answer)
				}
			}
		}
	}
	if right < 10 {
		t.Errorf("%d answers are right, want more", right)
	}
}

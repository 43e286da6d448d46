package interchange_test

import (
	"maps"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// A benchResult is a line as golang.org/x/perf/benchfmt reads it.
type benchResult struct {
	name   string
	n      int
	config map[string]string
	values map[string]float64 // by unit
}

// parseBench reads lines by the rules of golang.org/design/14313-benchmark-format:
// "key: value" for a key without white space and capitals, "Unit" lines, and
// results, whose name ends at white space and whose values come in pairs.
func parseBench(t *testing.T, text string) (results []benchResult, units map[string]string) {
	t.Helper()
	key := regexp.MustCompile(`^([a-z][^\sA-Z:]*):(\s.*|)$`)
	config := make(map[string]string)
	units = make(map[string]string)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		fields := strings.Fields(line)
		switch {
		case strings.HasPrefix(line, "Unit "):
			units[fields[1]] = strings.Join(fields[2:], " ")
		case key.MatchString(line):
			m := key.FindStringSubmatch(line)
			config[m[1]] = strings.TrimSpace(m[2])
		case strings.HasPrefix(line, "Benchmark"):
			r := benchResult{name: strings.TrimPrefix(fields[0], "Benchmark"), config: maps.Clone(config), values: make(map[string]float64)}
			if first := []rune(r.name)[0]; unicode.IsLower(first) {
				t.Errorf("%q begins with a small letter", fields[0])
			}
			var err error
			if r.n, err = strconv.Atoi(fields[1]); err != nil || len(fields)%2 != 0 {
				t.Errorf("%q is no result: %v", line, err)
				continue
			}
			for i := 2; i < len(fields); i += 2 {
				if r.values[fields[i+1]], err = strconv.ParseFloat(fields[i], 64); err != nil {
					t.Errorf("%q: %v", line, err)
				}
			}
			results = append(results, r)
		case !strings.HasPrefix(line, "#"):
			t.Errorf("%q would be passed over", line)
		}
	}
	return results, units
}

// TestBenchfmt reads the lines of a hostile run back.
func TestBenchfmt(t *testing.T) {
	run := fakeRun(t)
	run.Header.Cells[1].Method = hostile + "\xff"
	run.Header.Models[0].Reader = "line\nBenchmarkX 1 2 y"
	results, units := parseBench(t, written(t, export(t, run), "benchfmt"))
	if len(results) != 8 || units["f1@mem0-pct"] != "better=higher assume=nothing" || units["blocks"] != "assume=nothing" {
		t.Fatalf("%d results, want 8; units %q", len(results), units)
	}
	r := results[5]
	if r.n != 2 || math.Abs(r.values["tokens-query"]-106) > 1e-12 || r.config["backend"] != "openai" || r.config["reader"] != "line BenchmarkX 1 2 y" {
		t.Errorf("result is %+v", r)
	}
	gomaxprocs := regexp.MustCompile(`-\d+$`)
	for _, r := range results {
		if parts := strings.Split(r.name, "/"); len(parts) != 4 || !strings.HasPrefix(parts[3], "cat=") || gomaxprocs.MatchString(r.name) {
			t.Errorf("name %q has parts %q, want 4 and no number of processors", r.name, parts)
		}
	}
}

package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
)

// seed names the seeds of a line.
func (l *line) seed() string {
	seeds := lists.Map(l.bySeed(), func(s *line) string { return strconv.FormatUint(s.cell.Seed, 10) })
	return strings.Join(seeds, ", ")
}

// seedNotes say over which seeds the numbers of lines are means.
func (f layout) seedNotes(lines []*line) []string {
	var notes, said []string
	for _, l := range lines {
		seeds := l.seed()
		if len(l.seeds) == 0 || slices.Contains(said, seeds) {
			continue
		}
		said = append(said, seeds)
		note := fmt.Sprintf("mean and, in parentheses, standard deviation over %d seeds (%s); errors are those of all", len(l.seeds), seeds)
		if same := func(l *line) bool { return len(l.seeds) > 0 && l.seed() == seeds }; slices.ContainsFunc(lines, func(l *line) bool { return !same(l) }) {
			note += ": " + f.rows(lines, same)
		}
		notes = append(notes, note)
	}
	return notes
}

// several reports whether a line has several seeds.
func several(lines []*line) bool {
	return slices.ContainsFunc(lines, func(l *line) bool { return len(l.seeds) > 0 })
}

// shardNotes say which rows are of a part of the samples alone.
func (f layout) shardNotes(lines []*line) []string {
	var notes []string
	for _, l := range lines {
		s := l.run.Header.Shard
		if s == nil {
			continue
		}
		note := fmt.Sprintf("%s is shard %d/%d: it asked this part of the samples alone", f.names[l.run], s.Index, s.Of)
		notes = lists.AddNew(notes, note)
	}
	return notes
}

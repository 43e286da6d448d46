package report

import (
	"fmt"

	"recallbench/internal/lists"
)

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

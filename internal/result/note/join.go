package note

import (
	"errors"
	"os"
	"slices"

	"recallbench/internal/result/record"
)

// Join writes the notes and queues of shards into the run that they make. Where two
// shards have notes of one id, the second gets another. A queue has the items of all
// shards, and the rest from the first that has it.
func Join(into record.Folder, shards []record.Folder) error {
	files := make(map[string][]Note) // by reviewer
	queues := make(map[string]*Queue)
	for _, shard := range shards {
		notes, err := Read(shard)
		if err != nil {
			return err
		}
		type key struct{ reviewer, id string }
		ids := make(map[key]string) // in the joined file
		for _, n := range notes {
			id := unused(n.ID, files[n.Reviewer])
			ids[key{n.Reviewer, n.ID}] = id
			n.ID, n.Replaces = id, ids[key{n.Reviewer, n.Replaces}]
			files[n.Reviewer] = append(files[n.Reviewer], n)
		}
		for _, name := range Queues(shard) {
			q, err := ReadQueue(shard, name)
			if err != nil {
				return err
			}
			if have := queues[name]; have != nil {
				have.Items = slices.Concat(have.Items, q.Items)
			} else {
				queues[name] = q
			}
		}
	}
	for reviewer, notes := range files {
		if err := write(into, reviewer, notes); err != nil {
			return err
		}
	}
	for _, q := range queues {
		if err := q.Write(into); err != nil {
			return err
		}
	}
	return nil
}

// write appends notes to their reviewer's file.
func write(run record.Folder, reviewer string, notes []Note) error {
	if err := os.MkdirAll(dir(run), 0o755); err != nil {
		return err
	}
	log, _, err := record.OpenLog(file(run, reviewer))
	if err != nil {
		return err
	}
	lines := make([]any, len(notes))
	for i, n := range notes {
		lines[i] = n
	}
	return errors.Join(log.Append(lines...), log.Close())
}

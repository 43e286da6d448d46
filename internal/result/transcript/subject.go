package transcript

import (
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
)

// Of is the subject of a request's own calls.
func Of(q scored.Request) Subject {
	return Subject{Record: q.Record, Blocks: lists.Map(q.Evidence, func(b scored.Block) string { return b.Text })}
}

// Whole is the subject of a request's own calls, those of the memory that answered it
// and those of the judgements of its answer. It reads the cell's ingests and
// judgements.
func Whole(folder record.Folder, q scored.Request) (Subject, error) {
	of := Of(q)
	for line, err := range record.Lines[record.Ingest](folder.Ingests(q.Cell.ID)) {
		if err != nil {
			return of, err
		}
		if line.Value.Sample == q.Record.Sample {
			of.Memory = line.Value.Calls // of one built again the last counts
		}
	}
	answer := note.Sum(q.Record.Answer)
	for line, err := range record.Lines[record.Judgement](folder.Judgements(q.Cell.ID)) {
		if err != nil {
			return of, err
		}
		if j := line.Value; j.Sample == q.Record.Sample && j.Request == q.Record.Request && j.Answer == answer {
			of.Judgments = append(of.Judgments, j.Calls...)
		}
	}
	slices.Sort(of.Judgments)
	of.Judgments = slices.Compact(of.Judgments)
	return of, nil
}

// Package interchange writes runs in the formats of other tools, and reads the
// answers that other tools have written.
//
// An [Export] is some cells of some runs; a [Format] writes it as one file, or as
// a folder with a file for each cell:
//
//	csv       a row for each request, for spreadsheets and data frames
//	jsonl     a line for each request with all that the run knows of it
//	inspect   logs of Inspect AI
//	lm-eval   results and samples of lm-evaluation-harness
//	mem0      results of mem0's evaluation, which Nemori and xMemory share
//
// In the other direction, [Read] finds the answers in a file, and [Match] finds the question
// of a dataset for each of them. Package runners makes runs of them.
//
// [ReadResults] reads the scores of files, without their texts, for comparisons that
// need no dataset. Both read the same [Answer]s; [Formats] lists what is known.
//
// Unknown fields of files are ignored, required ones must be present, and all faults of a
// file are reported at once, each with its place.
package interchange

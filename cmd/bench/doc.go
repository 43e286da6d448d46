// Bench measures what conversational memories recall.
//
// A run file names datasets, methods, models and metrics. A run creates a folder below
// results/runs, appends a record for each answer, scores the records and prints tables.
// The quickstart needs no key, no network and no download:
//
//	bench run configs/quickstart.yaml
//
// The command's help lists its verbs and exit codes; each verb's help has its flags and
// examples. The manual is in docs/.
package main

// Bench measures what conversational memories recall.
//
// A run file names datasets, methods, models and metrics. A run makes a folder below
// results/runs, appends a record for each answer, scores the records and prints tables.
// The quickstart needs no key, no network and no download:
//
//	bench run configs/quickstart.yaml
//
// The help of the command has its verbs and exit codes, that of each verb its flags and
// examples; the manual is in docs/.
package main

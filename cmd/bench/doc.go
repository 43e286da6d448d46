// Bench measures what conversational memories recall.
//
// A run file names datasets, methods, models and metrics. The quickstart needs no key,
// no network and no download:
//
//	bench run configs/quickstart.yaml
//
// A run makes a folder below results/runs, appends a record for each answer, scores the
// records and prints tables. Only run, resume, serve, work, judge and doctor call models;
// everything else reads run folders and can be repeated anywhere.
//
// The first Ctrl-C or SIGTERM starts no more calls and gives those in flight 8 seconds
// to end; BENCH_GRACE sets another time, such as 1m. A second one aborts. A run that was
// stopped or killed has all answers on the disk, and bench resume DIR asks the rest.
//
// Each verb's help has its flags and examples; the manual is in docs/.
//
// # Exit codes
//
//	0    done
//	1    internal error
//	2    wrong usage or run file
//	3    finished, but more requests failed than the run file allows
//	4    a gate failed
//	5    the budget is spent
//	6    a provider, its key or its model is not available
//	7    a replay needs a call that is not recorded
//	8    the data do not match their fingerprint
//	9    a run folder is damaged or was edited
//	130  interrupted
//
// After 5, 6, 7 and 130, bench prints the command that continues the run.
package main

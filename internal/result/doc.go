// Package result holds the packages for the results of runs: records, predictions of other
// tools, verdicts of judges, ratings, people's notes (note), prompts and replies
// (transcript), the trees that requests saw (treeview), and each request with its scores
// (scored).
package result

// Package result is the wing of what a run leaves behind and what is derived from it:
// records, predictions of other tools, verdicts of judges, ratings, people's notes
// (note), what models were asked (transcript), the trees that requests saw (treeview),
// and each request with its scores (scored).
package result

// Package gate decides whether a run is good enough: it checks the run against rules and, if
// they need one, against a baseline.
//
// [Parse] reads rules from a file, and [Default] returns those of a gate without one.
// [Check] checks a run against them. Its [Result] has an [Outcome] for each rule, row and
// column:
//
//	regression         the bound is exceeded and, if tested, significantly
//	soft               worse than the baseline, but either not significantly or within the margin
//	stable             within the bound
//	improvement        significantly better than the baseline
//	insufficient data  nothing can be said
//
// The rules say which verdicts fail the gate. Insufficient data does by default: a
// gate that passes because nothing was compared is worse than none.
//
// A Result is written as text, Markdown, JSON and JUnit XML, and as a step summary
// and annotations of GitHub Actions. None of them contains text of the data, so that
// they can be published even if the data cannot.
package gate

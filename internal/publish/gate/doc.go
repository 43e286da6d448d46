// Package gate says whether a run is good enough: it holds the run against rules
// and, where these ask for it, against a baseline that somebody has blessed.
//
// [Parse] reads rules from a file, [Default] has those of a gate without one.
// [Check] holds a run against them. What comes out is a [Result] with an [Outcome]
// for each rule, row and column that it is about:
//
//	regression         the bound is passed, and where it is tested that is shown
//	soft               worse than the baseline, but beyond the margin or shown, not both
//	stable             within the bound
//	improvement        better than the baseline, and shown
//	insufficient data  nothing can be said
//
// The rules say which verdicts fail the gate. Insufficient data does by default: a
// gate that passes because nothing was compared is worse than none.
//
// A Result is written as text, Markdown, JSON and JUnit XML, and as a step summary
// and annotations of GitHub Actions. None of them has text of the data, so that
// they may go where the data may not.
package gate

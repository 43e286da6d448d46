// Package reader answers questions from passages by rules of English, and
// scores how far a text meets a condition.
//
// A [Reader] finds out what is asked for, ranks the sentences of the passages,
// and takes the answer from the best of them, with dates resolved by package
// timex. Values that a service is asked for, such as telephone numbers and
// times, are found by their shape. A probe is answered likewise, with an
// estimate of how well the passages support the answer in place of
// log-probabilities. An [Entailer] knows which words name, and belong to, the
// concepts of everyday life. Both read texts as the [Analyser] cuts them.
package reader

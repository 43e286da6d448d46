package metrics

import "recallbench/internal/annotaterules"

// rules resolves coreference for the metrics by rules, whatever backend the
// methods of a run are given: the measure is the same in all runs.
var rules = &resolver{annotator: annotaterules.New()}

// CoherenceSpec is how well the answer's mentions are connected with those of the
// question and the history, see [BCubed] and docs/metrics.md.
var CoherenceSpec = newCoherence(rules)

// FailuresSpec counts wrong answers by how far the question came and by cause, see
// docs/metrics.md.
var FailuresSpec = newFailures(rules)

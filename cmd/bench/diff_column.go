package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/near"
	"recallbench/internal/record"
	"recallbench/metrics"
	metricsuite "recallbench/metrics/suite"
)

// diffColumn finds the column that says what is right: that of a name, or else the
// first two-valued one of answers that both runs have, or else the first of answers.
func diffColumn(a, b record.Header, name string) (metrics.Column, error) {
	var both []metrics.Column
	var binary, answers *metrics.Column
	var names []string
	for _, m := range a.Metrics {
		spec, err := metricsuite.Find(m)
		if err != nil || !slices.Contains(b.Metrics, m) {
			continue
		}
		ofAnswers := slices.Contains([]metrics.Part{metrics.Answer, metrics.Judgement}, spec.Of)
		for _, c := range spec.Columns {
			if c.Lower || c.Neutral || c.Total || c.Sample {
				continue
			}
			both, names = append(both, c), append(names, c.Name)
			if ofAnswers && c.Binary && binary == nil {
				binary = &c
			}
			if spec.Of == metrics.Answer && answers == nil {
				answers = &c
			}
		}
	}
	switch {
	case len(both) == 0:
		return metrics.Column{}, errors.New("no column in common of which higher is better; 'bench score DIR --metrics f1@mem0' scores a run again")
	case name == "" && binary != nil:
		return *binary, nil
	case name == "" && answers != nil:
		return *answers, nil
	case name == "":
		return metrics.Column{}, fmt.Errorf("no column of answers in common; --column names another of %s", strings.Join(names, ", "))
	}
	i := slices.IndexFunc(both, func(c metrics.Column) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 {
		return metrics.Column{}, fmt.Errorf("--column: %s", near.Unknown("column that both runs have and of which higher is better", name, names))
	}
	return both[i], nil
}

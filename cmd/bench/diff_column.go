package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/asked"
	"recallbench/internal/near"
	"recallbench/internal/record"
	"recallbench/metrics"
	metricsuite "recallbench/metrics/suite"
)

// diffColumn finds the column that says what is right: that of a name, or else the
// one that [asked.Judging] picks of those that both runs have.
func diffColumn(a, b record.Header, name string) (metrics.Column, error) {
	var specs []*metrics.Spec
	var both []metrics.Column
	var names []string
	for _, m := range a.Metrics {
		spec, err := metricsuite.Find(m)
		if err != nil || !slices.Contains(b.Metrics, m) {
			continue
		}
		specs = append(specs, spec)
		for _, c := range spec.Columns {
			if asked.Judges(c) {
				both, names = append(both, c), append(names, c.Name)
			}
		}
	}
	if len(both) == 0 {
		return metrics.Column{}, errors.New("no column in common of which higher is better; 'bench score DIR --metrics f1@mem0' scores a run again")
	}
	if name == "" {
		c, ok := asked.Judging(specs)
		if !ok {
			return c, fmt.Errorf("no column of answers in common; --column names another of %s", strings.Join(names, ", "))
		}
		return c, nil
	}
	i := slices.IndexFunc(both, func(c metrics.Column) bool { return strings.EqualFold(c.Name, name) })
	if i < 0 {
		return metrics.Column{}, fmt.Errorf("--column: %s", near.Unknown("column that both runs have and of which higher is better", name, names))
	}
	return both[i], nil
}

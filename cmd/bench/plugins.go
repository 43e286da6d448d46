package main

import (
	"recallbench/configs"
	datasetsuite "recallbench/datasets/suite"
	backendsuite "recallbench/internal/backend/suite"
	"recallbench/internal/published"
	methodsuite "recallbench/methods/suite"
	metricsuite "recallbench/metrics/suite"
)

// plugins lists everything that a config can name.
func plugins() configs.Plugins {
	p := configs.Plugins{
		Datasets:  datasetsuite.All(),
		Methods:   methodsuite.All(),
		Models:    backendsuite.All(),
		Metrics:   metricsuite.Find,
		Published: published.Names(),
	}
	for _, m := range metricsuite.All() {
		p.MetricNames = append(p.MetricNames, m.Name)
	}
	return p
}

// Package suite lists everything that a config can name.
package suite

import (
	datasets "recallbench/datasets/suite"
	backends "recallbench/internal/backend/suite"
	"recallbench/internal/config"
	"recallbench/internal/publish/published"
	"recallbench/internal/result/judge"
	methods "recallbench/methods/suite"
	metrics "recallbench/metrics/suite"
)

// Plugins returns the plug-ins of the program.
func Plugins() config.Plugins {
	return config.Plugins{
		Datasets:    datasets.All(),
		Methods:     methods.All(),
		Models:      backends.All(),
		Metrics:     metrics.Find,
		MetricNames: metrics.Names(),
		Published:   published.Names(),
		Judges:      judge.ProfileNames(),
	}
}

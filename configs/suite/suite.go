// Package suite lists everything that a config can name.
package suite

import (
	"recallbench/configs"
	datasets "recallbench/datasets/suite"
	backends "recallbench/internal/backend/suite"
	"recallbench/internal/published"
	methods "recallbench/methods/suite"
	metrics "recallbench/metrics/suite"
)

// Plugins returns the plug-ins of the program.
func Plugins() configs.Plugins {
	return configs.Plugins{
		Datasets:    datasets.All(),
		Methods:     methods.All(),
		Models:      backends.All(),
		Metrics:     metrics.Find,
		MetricNames: metrics.Names(),
		Published:   published.Names(),
	}
}

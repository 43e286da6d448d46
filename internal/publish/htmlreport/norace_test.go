//go:build !race

package htmlreport_test

// underRace tells that the race detector slows the test down.
const underRace = false

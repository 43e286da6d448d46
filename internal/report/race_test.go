//go:build race

package report

// raceEnabled is set where tests are slowed by the race detector.
const raceEnabled = true

//go:build race

package annotaterules

// raceEnabled is set where tests are slowed by the race detector.
const raceEnabled = true

//go:build race

package main

// raceEnabled is set where tests are slowed by the race detector.
const raceEnabled = true

//go:build race

package longtest

// UnderRace tells that the race detector is at work, which makes a test slow and
// large.
const UnderRace = true

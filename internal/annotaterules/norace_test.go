//go:build !race

package annotaterules

const raceEnabled = false

package treerules

import (
	"strconv"
	"strings"
)

// minutesOf are units of time that fields are named by.
var minutesOf = map[string]float64{
	stem("hours"): 60, stem("hrs"): 60, stem("days"): 24 * 60, stem("weeks"): 7 * 24 * 60,
}

// minutes returns how many minutes a bare number of the field stands for: one
// that is called "hours" counts hours.
func (f field) minutes() float64 {
	for _, w := range f.words {
		if m, ok := minutesOf[w]; ok {
			return m
		}
	}
	return 1
}

// bareLength writes a length of time as a bare number, for a field whose name
// is the unit; empty where it is not, or where the old value has a unit.
func (f field) bareLength(minutes float64, old string) string {
	unit := f.minutes()
	old = strings.TrimSpace(old)
	if unit == 1 || old != "" && strings.TrimSpace(numberForm.ReplaceAllString(old, "")) != "" {
		return ""
	}
	return strconv.FormatFloat(minutes/unit, 'f', -1, 64)
}

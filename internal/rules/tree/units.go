package tree

import (
	"regexp"
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

// fromUnits sets fields by the unit that their values have in other nodes:
// "190 kcal" is an energy where energies are given so.
func (o *order) fromUnits(k *kind) {
	for _, f := range k.fields {
		if o.hasSetting(f.name) || f.kind == kindName || f.kind == kindTime || f.kind == kindDate || f.kind == kindMoney || f.kind == kindDuration {
			continue
		}
		for _, v := range o.seen[[2]string{k.name, f.name}] {
			m := unitForm.FindStringSubmatch(v)
			if m == nil || lengthUnits[strings.ToLower(m[1])] {
				continue
			}
			if at := regexp.MustCompile(`(?i)\b(\d[\d.,]*) ?` + regexp.QuoteMeta(m[1]) + `\b`).FindStringSubmatch(o.text); at != nil {
				o.settings = append(o.settings, setting{kind: kindNumber, field: f.name, value: at[1]})
			}
			break
		}
	}
}

var unitForm = newPattern(`^\d[\d.,]* ?(\p{L}{1,12})$`)

package tree

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"recallbench/internal/engine/tree"
)

var (
	halving   = re(`\b(?:halve|half (?:of )?(?:the|its|as much|as long)|cut .{1,40} in half|by half)\b`)
	doubling  = re(`\b(?:double|twice (?:as|the))\b`)
	moreForm  = newPattern(`(?i)(?:[$€£]\s?)?\b(\d+(?:\.\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|fifty)\b\s?(?:dollars? |bucks |euros? |pounds? )?((?:\p{L}+ )?)(more|less|fewer|extra|cheaper|dearer)\b`)
	byForm    = newPattern(`(?i)\bby (?:[$€£]\s?)?(\d+(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|fifty)\b(?:\s?([$€£]|\p{L}+))?`)
	moreField = newPattern(`(?i)\b(\d+(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|fifty) (more|less|fewer|extra) (\p{L}+)`)
	downWord  = re(`\b(?:less|fewer|cheaper|lower|reduce|reduces|reduced|drop|drops|cut|cuts|decrease|knock|down|off|shorten)\b`)
)

// readDelta reads a change of a number by some amount or factor: "five points
// more", "halve the estimate", "raise the price by 10". Lengths of time and
// percentages are read elsewhere.
func (o *order) readDelta(main string) bool {
	if o.shift != nil || o.value != "" {
		return false
	}
	field, kind := o.numberField(main)
	switch {
	case halving.MatchString(main) && field != "":
		o.shift = &shift{kind: kind, field: field, by: -50, percent: true}
	case doubling.MatchString(main) && field != "":
		o.shift = &shift{kind: kind, field: field, by: 100, percent: true}
	default:
		n, at, sign := 0.0, []int(nil), 1.0
		if m := moreForm.FindStringSubmatchIndex(main); m != nil {
			n, at = countOf(main[m[2]:m[3]]), m[:2]
			if strings.ContainsAny(main[m[0]:m[1]], "$€£") || kindAsks[kindMoney][stem(strings.ToLower(main[m[6]:m[7]]))] {
				kind, field = kindMoney, ""
			}
		} else if m := moreField.FindStringSubmatchIndex(main); m != nil {
			n, at = countOf(main[m[2]:m[3]]), m[:2]
		} else if m := byForm.FindStringSubmatchIndex(main); m != nil {
			n, at = countOf(main[m[2]:m[3]]), m[:2]
			if m[4] >= 0 && lengthUnits[strings.ToLower(main[m[4]:m[5]])] && kindMoney != kind {
				return false
			}
			if strings.ContainsAny(main[m[0]:m[1]], "$€£") {
				kind, field = kindMoney, ""
			}
		}
		if at == nil || n == 0 || field == "" && kind != kindMoney {
			return false
		}
		if downWord.MatchString(main) {
			sign = -1
		}
		o.shift = &shift{kind: kind, field: field, by: sign * n}
	}
	o.settings = nil
	return true
}

func countOf(s string) float64 {
	low := strings.ToLower(s)
	if n, ok := cardinals[low]; ok {
		return float64(n)
	}
	if low == "a" || low == "an" {
		return 1
	}
	n, _ := parseNumber(low)
	return n
}

// numberField returns the field with numbers that a text names; money where it
// speaks of that.
func (o *order) numberField(text string) (string, fieldKind) {
	for _, w := range scan(text) {
		if w.mark || closed[w.low] {
			continue
		}
		for _, k := range o.v.kinds {
			for _, f := range k.fields {
				switch f.kind {
				case kindNumber, kindMoney, kindDuration, kindText:
				default:
					continue
				}
				for _, s := range f.words {
					if s == w.stem && !textNamed(f.words) {
						return f.name, f.kind
					}
				}
			}
		}
	}
	return "", kindMoney
}

// counted returns a field's value after a change by an amount or a factor.
func (s *shift) counted(n *tree.Node) (name, value string, ok bool) {
	for _, f := range n.Fields {
		old := f.Value()
		if s.field != "" && !strings.EqualFold(s.field, f.Name) || s.field == "" && newField(f.Name, false, []string{old}).kind != s.kind {
			continue
		}
		at := numberForm.FindStringIndex(old)
		if at == nil {
			continue
		}
		v, _ := parseNumber(old[at[0]:at[1]])
		if s.percent {
			v *= (100 + s.by) / 100
		} else {
			v += s.by
		}
		v = math.Max(0, math.Round(v*100)/100)
		return f.Name, old[:at[0]] + strconv.FormatFloat(v, 'f', -1, 64) + old[at[1]:], true
	}
	return "", "", false
}

// shiftsNumber reports whether a shift is of a plain number.
func (s *shift) shiftsNumber() bool {
	return s.field != "" || s.kind == kindMoney && !s.percent
}

// readSubject reads a known person who is now said to do something, as the
// subject of a clause: "Hana teaches it instead". It returns where the name
// stands.
func (o *order) readSubject(text string) (from, to int) {
	for _, k := range o.v.kinds {
		f, ok := k.byKind(kindPerson)
		if !ok || o.set(kindPerson) {
			continue
		}
		for _, v := range o.withSeen(k, f).values {
			m := regexp.MustCompile(`(?:^\W*|[,;:.]\s+(?:so |and |but )?|\bso |\band |\bthat |\bbut )(` + regexp.QuoteMeta(v) + `)\s+[a-z]`).FindStringSubmatchIndex(text)
			if m != nil {
				o.settings = append(o.settings, setting{kind: kindPerson, field: f.name, value: v})
				return m[2], m[3]
			}
		}
	}
	return 0, 0
}

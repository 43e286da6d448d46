package tree

import (
	"slices"

	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

// Words of the names of fields for when something begins and ends.
var (
	startField = stems(`start starts begin begins from opens opening departure departs kickoff`)
	endField   = stems(`end ends finish finishes until to till closes closing arrival arrives over`)
)

// timePair returns the fields of a kind for the beginning and the end, where
// it has one of each.
func (k *kind) timePair() (start, end string, ok bool) {
	for _, f := range k.fields {
		if f.kind != kindTime && f.kind != kindDate && f.kind != kindText {
			continue
		}
		switch {
		case start == "" && slices.ContainsFunc(f.words, func(w string) bool { return startField[w] }):
			start = f.name
		case end == "" && slices.ContainsFunc(f.words, func(w string) bool { return endField[w] }):
			end = f.name
		}
	}
	return start, end, start != "" && end != ""
}

// twoTimes returns the settings of a beginning and an end that are fields of
// their own, as a new time gives them: a new start keeps the length, and a new
// end the start. Node is nil where something is created.
func (k *kind) twoTimes(s setting, n *tree.Node, example func(string) string) ([]treetask.ActionSetting, bool) {
	start, end, ok := k.timePair()
	if !ok || s.kind != kindTime {
		return nil, false
	}
	write := func(name string, minutes int) treetask.ActionSetting {
		like := example(name)
		if like == "" {
			like = "13:00"
		}
		return treetask.ActionSetting{Name: name, Value: writeClock(minutes, like)}
	}
	lo, hi := int(s.lo), int(s.hi)
	near := -1
	if n != nil {
		if c := clocks(valueOf(n, start)); len(c) > 0 {
			near = c[0].minutes
		}
	}
	if near >= 12*60 && lo < 12*60 && !meridiem.MatchString(s.value) && near-lo >= 6*60 {
		lo += 12 * 60
		if hi >= 0 && hi < lo && hi < 12*60 {
			hi += 12 * 60
		}
	} else if n == nil {
		lo = afternoon(lo, s.value)
		if hi >= 0 && hi < lo && hi+12*60 > lo && hi < 12*60 {
			hi += 12 * 60
		}
	}
	switch {
	case hi >= 0:
		return []treetask.ActionSetting{write(start, lo), write(end, hi)}, true
	case s.end:
		return []treetask.ActionSetting{write(end, lo)}, true
	}
	out := []treetask.ActionSetting{write(start, lo)}
	if n != nil && near >= 0 {
		if c := clocks(valueOf(n, end)); len(c) > 0 {
			out = append(out, write(end, lo+(c[0].minutes-near+24*60)%(24*60)))
		}
	}
	return out, true
}

var beginsAndEnds = re(`\b(?:starts?|begins?|goes on|opens?|comes on|from|kicks off|leaves?|departs?|runs?)(?: now| only)?(?: at| from)? ([^,.;!?]{1,16}?)(?: instead| now)?,? (?:and )?(?:then )?(?:it |he |she |they |we |which )?(?:is |are )?(?:ends?|finish(?:es)?|off|over|done|closes?|until|till|arrives?|back|out)(?: at| by| around)? `)

// joinTimes joins two settings of time, one of which is said to be of the end,
// into one range. It returns where they stand.
func (o *order) joinTimes(text string) (from, to int) {
	at := beginsAndEnds.FindStringSubmatchIndex(text)
	if at == nil {
		return 0, 0
	}
	a, b := clocks(text[at[2]:at[3]]), clocks(text[at[1]:])
	if len(a) != 1 || len(b) == 0 || b[0].start > 1 {
		return 0, 0
	}
	o.settings = slices.DeleteFunc(o.settings, func(s setting) bool { return s.kind == kindTime })
	o.settings = append(o.settings, setting{kind: kindTime, lo: float64(a[0].minutes), hi: float64(b[0].minutes), value: text[at[2] : at[1]+b[0].end]})
	o.place.minutes = a[0].minutes
	return at[0], at[1] + b[0].end
}

// endsIt reports whether a field holds when something ends.
func (f field) endsIt() bool {
	return f.kind == kindTime && slices.ContainsFunc(f.words, func(w string) bool { return endField[w] })
}

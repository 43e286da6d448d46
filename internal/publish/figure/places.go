package figure

import "math"

// longestName is the width of the longest name of a place that is drawn whole.
const longestName = 300.0

// turn returns the angle of the names of places in degrees: level where all fit, else
// slanted, else upright.
func (p *Panel) turn(wide float64) float64 {
	slot, turn := wide/float64(len(p.Places)), 0.0
	for i, name := range p.Places {
		switch w := regular.width(fit(name, regular, longestName)); {
		case w <= slot-3:
		case slot < 16 || w > slantRoom(i, slot): // too near for slanted names, or too long
			return 90
		default:
			turn = 30
		}
	}
	return turn
}

// slantRoom returns how wide the slanted name of a place may be: it must not reach over
// the left edge of the page.
func slantRoom(i int, slot float64) float64 {
	return min(slanted, (20+(float64(i)+0.5)*slot)/math.Cos(math.Pi/6))
}

// setPlaces marks the places of a panel. Names are cut where a page of a given height
// has no room for them; where there are too many, some are left out.
func (a *axes) setPlaces(wide, high float64) {
	if a.bare {
		return
	}
	slot := wide / float64(len(a.Places))
	a.angle = a.turn(wide)
	sin := math.Sin(a.angle * math.Pi / 180)
	most, every := longestName, 1
	if a.angle > 0 {
		most = min(most, max(0.4*high, high-80)*float64(1+a.above)/sin)
		every = max(1, int(math.Ceil((a.font.size+1)/slot)))
	}
	for i, name := range a.Places {
		if name = fitEnds(name, a.font, most); name != "" && i%every == 0 {
			a.xTicks = append(a.xTicks, tick{float64(i), name})
		}
	}
}

// slant returns how much higher than a line turned names of places make a figure of
// some panels across.
func (f *Figure) slant(wide float64, across int) float64 {
	var sum, most float64
	for i, p := range f.Panels {
		if below := i + across; p.Places != nil && (below >= len(f.Panels) || !sameX(p, f.Panels[below])) {
			sin := math.Sin(p.turn(wide-34) * math.Pi / 180)
			for _, name := range p.Places {
				most = max(most, sin*regular.width(fit(name, regular, longestName)))
			}
		}
		if (i+1)%across == 0 || i+1 == len(f.Panels) {
			sum, most = sum+most, 0
		}
	}
	return sum
}

package figure

import "math"

// setPlaces marks the places of a panel: level where the names fit, else slanted and
// cut, and where there are too many some of them.
func (a *axes) setPlaces(wide, high float64) {
	if a.bare {
		return
	}
	slot := wide / float64(len(a.Places))
	f := a.font
	shown := make([]string, len(a.Places))
	level := true
	for i, name := range a.Places {
		shown[i] = label(name)
		level = level && fit(shown[i], f, slot-3) == shown[i]
	}
	if !level {
		every := max(1, int(math.Ceil((f.size+1)/slot)))
		steep := slot < 16 // too near for slanted names
		most := min(high*0.7*float64(1+a.above), slanted)
		a.turn = 30
		if steep {
			most = min(high*0.4, slanted)
			a.turn = 90
		}
		for i := range shown {
			room := most
			if !steep { // a slanted name must not reach over the left edge of the page
				room = min(most, (20+(float64(i)+0.5)*slot)/math.Cos(math.Pi/6))
			}
			if shown[i] = fitEnds(shown[i], f, room); i%every != 0 {
				shown[i] = ""
			}
		}
	}
	for i, name := range shown {
		if name != "" {
			a.xTicks = append(a.xTicks, tick{float64(i), name})
		}
	}
}

// slant returns how much higher than a line slanted names of places make a figure.
func (f *Figure) slant(wide float64) float64 {
	var most float64
	for _, p := range f.Panels {
		for _, name := range p.Places {
			w := regular.width(fit(name, regular, slanted))
			if w > (wide-34)/float64(len(p.Places))-3 {
				most = max(most, w/2)
			}
		}
	}
	return most
}

package main

import (
	"bytes"
	"fmt"

	"recallbench/internal/figure"
	"recallbench/internal/report"
	"recallbench/internal/web"
)

// pageFigureWidth is the width of figures on a page, in inches.
const pageFigureWidth = 6.5

// pageFigures draws what can be drawn of the runs of a page.
func pageFigures(runs []*report.Run, o report.Options) ([]web.Figure, error) {
	drawn, _, err := report.Figures(runs, o)
	if err != nil {
		return nil, err
	}
	var all []web.Figure
	for _, d := range drawn {
		var svg bytes.Buffer
		if err := d.Write(&svg, "svg", figure.Size{Width: pageFigureWidth}); err != nil {
			return nil, fmt.Errorf("figure %s of %s: %w", d.Name, d.Dataset, err)
		}
		all = append(all, web.Figure{Title: d.Title, SVG: svg.Bytes(), Notes: d.Notes})
	}
	return all, nil
}

package htmlreport

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"recallbench/internal/calc/lists"
	"recallbench/internal/publish/figure"
	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// New returns the page of runs, with tables by the options.
func New(runs []*report.Run, o report.Options) (*Page, error) {
	names := runNames(runs)
	p := &Page{Title: strings.Join(names, ", ")}
	spent := make(map[*report.Run][]record.Spent)
	var measured []string
	for i, r := range runs {
		p.Runs = append(p.Runs, Run{Folder: r.Folder, Header: r.Header, Name: names[i]})
		measured = lists.AddNew(measured, r.Header.Metrics...)
		spent[r] = summarySpent(string(r.Folder))
	}
	var err error
	if p.Metrics, err = metrics.FindAll(measured, o.Metric); err != nil {
		return nil, err
	}
	facts := sync.OnceValues(func() (*report.Facts, error) { return report.Read(runs, o) })
	p.Tables = func() (*report.Document, error) {
		return from(facts, func(f *report.Facts) (*report.Document, error) { return f.Build(o) })
	}
	p.Figures = func() ([]Figure, error) {
		return from(facts, func(f *report.Facts) ([]Figure, error) { return figures(f, o) })
	}
	p.Rankings = func(column string) ([]report.Ranking, error) {
		return from(facts, func(f *report.Facts) ([]report.Ranking, error) {
			return f.Rankings(column, func(r *report.Run) []record.Spent { return spent[r] }, o)
		})
	}
	return p, nil
}

// from makes a part of a page of facts, which are read once.
func from[T any](facts func() (*report.Facts, error), part func(*report.Facts) (T, error)) (none T, _ error) {
	f, err := facts()
	if err != nil {
		return none, err
	}
	return part(f)
}

// summarySpent is what the rows of a run cost, as far as its summary says.
func summarySpent(dir string) []record.Spent {
	s, err := record.ReadSummary(dir)
	if err != nil {
		return nil
	}
	return lists.Map(s.Rows, func(row record.SummaryRow) record.Spent {
		of := record.Spent{Dataset: row.Dataset, Method: row.Method, Model: row.Model, Requests: row.Requests}
		if row.USD != nil && row.Requests > 0 {
			of.Cost = new(*row.USD / float64(row.Requests))
		}
		return of
	})
}

// runNames returns the names of runs; if two are equal, folders and ids tell them apart.
func runNames(runs []*report.Run) []string {
	name := func(r *report.Run) string { return r.Header.Name }
	if len(lists.Distinct(runs, name)) == len(runs) {
		return lists.Map(runs, name)
	}
	return lists.Map(runs, func(r *report.Run) string { return r.Name + " " + r.Header.ID })
}

// figures draws all figures that the runs of a page allow, 6.5 inches wide.
func figures(f *report.Facts, o report.Options) ([]Figure, error) {
	drawn, _, err := f.DrawFigures(report.FigureOptions{Options: o})
	if err != nil {
		return nil, err
	}
	var all []Figure
	for _, d := range drawn {
		var svg bytes.Buffer
		if err := d.Write(&svg, "svg", figure.Size{Width: 6.5}); err != nil {
			return nil, fmt.Errorf("figure %s of %s: %w", d.Name, d.Dataset, err)
		}
		all = append(all, Figure{Title: d.Title, SVG: svg.Bytes(), Notes: d.Notes})
	}
	return all, nil
}

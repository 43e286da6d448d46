package main

import (
	"fmt"
	"slices"
	"strconv"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/publish/report"
	"recallbench/runners"
)

// plan is the estimate as a table of what will be run: a row for each cell, and one for
// the total.
func (e estimate) plan() *report.Document {
	requests := 0
	for _, c := range e.cells {
		requests += c.Query.Units
	}
	t := &estimateTable{Table: report.Table{
		Name:  "plan",
		Title: fmt.Sprintf("%s: %s in %s, estimated without a call", e.config.Name, plural(requests, "request", "requests"), plural(len(e.cells), "cell", "cells")),
		Columns: []report.Column{
			{Name: "dataset", Repeats: true},
			{Name: "method", Repeats: true},
			{Name: "model", Repeats: true},
			{Name: "n", Number: true},
			{Name: "calls", Number: true},
			{Name: "recorded", Number: true},
			{Name: "input", Number: true},
			{Name: "output", Number: true},
			{Name: "output-most", Head: "at most", Number: true},
			{Name: "embedded", Number: true},
			{Name: "usd", Head: "cost, $", Number: true},
			{Name: "pay-usd", Head: "to pay, $", Number: true},
			{Name: "pay-usd-most", Head: "at most, $", Number: true},
		},
	}}
	total := []string{"total", "", ""}
	if len(e.config.Seeds) > 0 {
		t.Columns = slices.Insert(t.Columns, len(total), report.Column{Name: "seed", Repeats: true})
		total = append(total, "")
	}
	for _, c := range e.cells {
		cell := []string{c.Dataset, c.Method, c.Model}
		if c.Seed != nil {
			cell = append(cell, strconv.FormatUint(*c.Seed, 10))
		}
		t.row(cell, c.Load(), t.notesOf(c))
	}
	t.row(total, e.total, nil)
	t.NoteTitle(e.notes()...)
	return &report.Document{Tables: []*report.Table{&t.Table}}
}

// An estimateTable is a table of loads.
type estimateTable struct{ report.Table }

// notesOf returns the notes that say where a cell's numbers are from, and what
// failed.
func (t *estimateTable) notesOf(c runners.CellEstimate) []int {
	var notes []int
	switch {
	case c.Offline:
		notes = append(notes, t.Note("stand-in: no model is called and nothing is to pay"))
	case c.Run != "":
		notes = append(notes, t.Note(fmt.Sprintf("measured by %d requests of %s, and scaled to n", c.Measured, c.Run)))
	default:
		notes = append(notes, t.Note("counted from the prompts with "+c.Tokenizer+": input is what they have, or nearly so where they depend on what embeddings rank first or on a reply; output is what the stand-in wrote in place of the model"))
	}
	if c.Failed > 0 {
		notes = append(notes, t.Note(fmt.Sprintf("%s failed and took nothing more, the first because: %s", plural(c.Failed, "memory or request", "memories or requests"), c.Failure)))
	}
	return notes
}

// row adds the load of a cell, which goes by dataset, method, model and, where there are
// several, seed.
func (t *estimateTable) row(cell []string, l runners.Load, notes []int) {
	row := lists.Map(cell, func(name string) report.Cell { return report.Cell{Text: name} })
	row[1].Notes = notes
	t.Rows = append(t.Rows, append(row,
		whole(l.Units), whole(l.Calls), whole(l.Recorded), whole(l.Input), whole(l.Output), perhapsWhole(l.MostOutput), whole(l.Embedded),
		dollars(l.USD), dollars(l.Pay), dollars(l.MostPay),
	))
}

// notes are those about the whole estimate.
func (e estimate) notes() []string {
	notes := []string{"at most: where every reply is as long as its request allows; replies that do not fit a schema are asked for again, which is not in it"}
	if s := e.config.Shard; s != (config.Shard{}) {
		notes = append(notes, fmt.Sprintf("shard %s: this part of the samples alone", s))
	}
	switch {
	case slices.ContainsFunc(e.cells, func(c runners.CellEstimate) bool { return c.Unforeseen }):
		notes = append(notes, "unknown: what an adapter asks of models is not known before it runs")
	case e.total.USD == nil:
		notes = append(notes, "unknown: the price of a model is not known; its option price says it")
	}
	left := e.total.Calls - e.total.Recorded
	switch {
	case e.mode == calls.Replay && left > 0:
		notes = append(notes, fmt.Sprintf("in the mode replay the first of the %s that are not recorded would stop the run", plural(left, "call", "calls")))
	case e.mode == calls.Record && e.total.Calls > 0:
		notes = append(notes, "in the mode record everything is called for, recorded or not")
	}
	if b := e.config.Budget; b.USD > 0 && e.total.Pay != nil {
		notes = append(notes, within("budget.usd", b.USD, *e.total.Pay, e.total.MostPay, money))
	}
	if b := e.config.Budget; b.Tokens > 0 {
		var most *float64
		if e.total.MostPayTokens != nil {
			most = new(float64(*e.total.MostPayTokens))
		}
		notes = append(notes, within("budget.tokens", float64(b.Tokens), float64(e.total.PayTokens), most, func(x float64) string { return grouped(int(x)) }))
	}
	return notes
}

// within says whether a budget is enough.
func within(name string, budget, pay float64, most *float64, text func(float64) string) string {
	switch {
	case pay > budget:
		return fmt.Sprintf("%s is %s: it would stop the run after about %.0f %% of what is to pay, %s", name, text(budget), 100*budget/pay, text(pay))
	case most == nil:
		return fmt.Sprintf("%s is %s: enough for %s; the most is not known", name, text(budget), text(pay))
	case *most > budget:
		return fmt.Sprintf("%s is %s: enough for %s, and not for the most, %s", name, text(budget), text(pay), text(*most))
	default:
		return fmt.Sprintf("%s is %s: enough, also for the most, %s", name, text(budget), text(*most))
	}
}

func whole(n int) report.Cell { return report.Cell{Text: grouped(n), Value: new(float64(n))} }

func perhapsWhole(n *int) report.Cell {
	if n == nil {
		return report.Cell{Text: "unknown"}
	}
	return whole(*n)
}

func dollars(usd *float64) report.Cell {
	if usd == nil {
		return report.Cell{Text: "unknown"}
	}
	return report.Cell{Text: fmt.Sprintf("%.4f", *usd), Value: usd}
}

// money writes dollars with the digits behind the point that matter.
func money(usd float64) string {
	switch {
	case usd >= 1 || usd == 0:
		return fmt.Sprintf("$%.2f", usd)
	case usd >= 0.01:
		return fmt.Sprintf("$%.4f", usd)
	default:
		return fmt.Sprintf("$%.6f", usd)
	}
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural writes a number with the noun that goes with it.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

package report

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
)

// A DesignQuestion is what a plan answers.
type DesignQuestion struct {
	Detect    []float64 // differences to detect, in the unit of the tables
	Power     float64   // with which chance
	Questions []float64 // about each conversation; none for as many as the pilot
	Seeds     []float64 // repetitions of each question; none for as many as the pilot
	// Spent returns what the base (0) and the new side (1) of a row took in the pilot; nil
	// where that is not known.
	Spent func(r Contrast, side int) (Expense, error)
}

// An Expense is what a side took: calls and dollars to build a memory of a conversation,
// and to answer a question. Dollars are NaN where a price is unknown.
type Expense struct{ BuildCalls, BuildDollars, AskCalls, AskDollars float64 }

// of returns the calls and dollars of a design.
func (e Expense) of(d infer.Design) (calls, dollars float64) {
	memories := d.Conversations * d.Repetitions
	return memories * (e.BuildCalls + d.Questions*e.AskCalls), memories * (e.BuildDollars + d.Questions*e.AskDollars)
}

// DesignTable says how many conversations show differences, by the rows of a comparison
// that serves as the pilot.
func DesignTable(rows []Contrast, q DesignQuestion) (*Document, error) {
	t := &Table{Name: "design", Title: "Conversations that are needed", Columns: []Column{
		{Name: "method", Repeats: true},
		{Name: "metric", Repeats: true},
		{Name: "detect", Number: true},
		{Name: "questions", Number: true},
		{Name: "repetitions", Number: true},
		{Name: "conversations", Number: true},
		{Name: "power", Number: true},
		{Name: "share-conversations", Head: "of conversations", Number: true},
		{Name: "share-questions", Head: "of questions", Number: true},
		{Name: "share-repetitions", Head: "of repetitions", Number: true},
		{Name: "buy"},
	}}
	if q.Spent != nil {
		t.Columns = append(t.Columns, Column{Name: "calls", Number: true}, Column{Name: "dollars", Number: true})
		t.NoteTitle("calls, dollars: of both sides together, at what the pilot took; recorded calls count as if they were paid for")
	}
	t.NoteTitle(fmt.Sprintf("conversations with which a t-test at 5 %% shows the difference in %g %% of comparisons; power is that of the pilot's number of them", 100*q.Power),
		"of conversations, questions, repetitions: shares of the variance of the mean difference, in the design")
	for _, r := range rows {
		c, ok := infer.NewComponents(r.questions)
		if !ok {
			continue
		}
		name := text(r.Column.Name, t.notes(componentNotes(c)...)...)
		var spent Expense
		for side := range 2 {
			if q.Spent == nil {
				break
			}
			e, err := q.Spent(r, side)
			if err != nil {
				return nil, err
			}
			spent = Expense{spent.BuildCalls + e.BuildCalls, spent.BuildDollars + e.BuildDollars, spent.AskCalls + e.AskCalls, spent.AskDollars + e.AskDollars}
		}
		for _, detect := range q.Detect {
			for _, questions := range orPilot(q.Questions, c.Design.Questions) {
				for _, seeds := range orPilot(q.Seeds, c.Design.Repetitions) {
					d := infer.Design{Conversations: c.Design.Conversations, Questions: questions, Repetitions: seeds}
					delta := detect / r.Column.Scale
					cells := []Cell{text(besides(r.Method, r.BaseMethod)), name, scaled(&detect, 1, 2), scaled(&questions, 1, 0), scaled(&seeds, 1, 0)}
					n := c.Needed(d, delta, q.Power)
					if n > 0 {
						cells = append(cells, count(n))
					} else {
						cells = append(cells, Cell{Notes: t.notes(fmt.Sprintf("more than %d conversations", infer.MostConversations))})
					}
					cells = append(cells, scaled(new(c.PowerOf(d, delta)), 100, 2))
					cells = append(cells, shareCells(c, d)...)
					if q.Spent != nil {
						d.Conversations = float64(n)
						cells = append(cells, t.expenseCells(spent, d)...)
					}
					t.Rows = append(t.Rows, cells)
				}
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil, errors.New("no row has two conversations with several paired questions to plan by")
	}
	t.dropEmptyMethods()
	return &Document{Tables: []*Table{t}}, nil
}

// expenseCells say what a design takes; nothing of one without conversations.
func (t *Table) expenseCells(e Expense, d infer.Design) []Cell {
	if d.Conversations == 0 {
		return make([]Cell, 2)
	}
	calls, dollars := e.of(d)
	if math.IsNaN(calls) {
		return []Cell{{Notes: t.notes("a side has scores and no records")}, {}}
	}
	if math.IsNaN(dollars) {
		return []Cell{scaled(&calls, 1, 0), {Notes: t.notes("the price of a model is unknown")}}
	}
	return []Cell{scaled(&calls, 1, 0), scaled(&dollars, 1, 2)}
}

// dropEmptyMethods takes out the first column of a table of files, which have no
// methods.
func (t *Table) dropEmptyMethods() {
	if !slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[0].Text != "" }) {
		t.Columns = t.Columns[1:]
		t.Rows = lists.Map(t.Rows, func(row []Cell) []Cell { return row[1:] })
	}
}

func orPilot(asked []float64, pilot float64) []float64 {
	if len(asked) == 0 {
		return []float64{pilot}
	}
	return asked
}

// shareCells say which share of the variance each part has, and what to buy.
func shareCells(c infer.Components, d infer.Design) []Cell {
	conversation, question, repetition := c.Parts(d)
	all := conversation + question + repetition
	if all == 0 {
		return make([]Cell, 4)
	}
	buy := "conversations"
	switch most := max(conversation, question, repetition); most {
	case question:
		buy = "questions or conversations"
	case repetition:
		buy = "repetitions"
	}
	return []Cell{scaled(new(conversation/all), 100, 1), scaled(new(question/all), 100, 1), scaled(new(repetition/all), 100, 1), text(buy)}
}

// componentNotes say what estimates of components are worth.
func componentNotes(c infer.Components) []string {
	var notes []string
	if c.Design.Conversations < infer.FlipUnits {
		notes = append(notes, fmt.Sprintf("rough: the pilot has %g conversations", c.Design.Conversations))
	}
	if c.Negative.Conversation {
		notes = append(notes, "the component of conversations was estimated below 0, and is set to 0")
	}
	if c.Negative.Question {
		notes = append(notes, "the component of questions was estimated below 0, and is set to 0")
	}
	if !c.Repeated {
		notes = append(notes, "no question is repeated: the component of questions holds that of repetitions")
	}
	return notes
}

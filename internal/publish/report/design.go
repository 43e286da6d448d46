package report

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"recallbench/internal/calc/infer"
)

// A DesignQuestion describes the study to plan.
type DesignQuestion struct {
	Detect    []float64 // differences to detect, in the unit of the tables
	Power     float64   // the chance to detect them
	Questions []float64 // for each conversation; none for as many as in the pilot
	Seeds     []float64 // repetitions of each question; none for as many as in the pilot
	// Spent returns what the base (0) and the new side (1) of a row spent in the pilot; nil
	// if that is not known.
	Spent func(r Contrast, side int) (Expense, error)
}

// An Expense is what a side spent: calls and dollars to build the memory of a conversation,
// and to answer a question. Dollars are NaN if a price is unknown.
type Expense struct{ BuildCalls, BuildDollars, AskCalls, AskDollars float64 }

// A design is a planned study of a row.
type design struct {
	*Contrast
	infer.Components
	pilot  infer.Design // with the pilot's conversations
	detect float64      // in the unit of tables
	needed int          // conversations; 0 for more than are tried
	spent  Expense      // of both sides
	// shares are the parts of the variance of the mean difference that are due to
	// conversations, questions and repetitions; nil without variance.
	shares []float64
}

// cost returns what the study costs, from the cost of a memory and of an answer.
func (d design) cost(build, ask float64, digits int) Cell {
	x := float64(d.needed) * d.pilot.Repetitions * (build + d.pilot.Questions*ask)
	if d.needed == 0 || math.IsNaN(x) {
		return Cell{}
	}
	return Decimal(x, digits, nil)
}

// buy says what to increase.
func (d design) buy() string {
	if d.shares == nil {
		return ""
	}
	return []string{"conversations", "questions or conversations", "repetitions"}[slices.Index(d.shares, slices.Max(d.shares))]
}

// DesignTable lays out how many conversations detect some differences, with the rows of a
// comparison as the pilot.
func DesignTable(rows []Contrast, q DesignQuestion) (*Document, error) {
	designs, err := designs(rows, q)
	if err != nil {
		return nil, err
	}
	t := &Table{Name: "design", Title: "Conversations needed"}
	t.NoteTitle(fmt.Sprintf("conversations with which a t-test at 5 %% detects the difference in %g %% of comparisons, if at most %d; power is that of the pilot's number of conversations", 100*q.Power, infer.MostConversations),
		"share-: part of the variance of the mean difference, in the design")
	number := func(name string, digits int, of func(design) float64) tableColumn[design] {
		return numberColumn(name, func(d design) Cell { return Decimal(of(d), digits, nil) })
	}
	share := func(name string, i int) tableColumn[design] {
		return numberColumn(name, func(d design) Cell {
			if d.shares == nil {
				return Cell{}
			}
			return scaled(&d.shares[i], 100, 1)
		})
	}
	columns := repeating(
		textColumn("method", func(d design) string { return besides(d.Method, d.BaseMethod) }),
		tableColumn[design]{Column{Name: "metric"}, func(d design) Cell { return text(d.Column.Name, t.notes(componentNotes(d.Components)...)...) }},
	)
	if designs[0].Method == "" { // of a file
		columns = columns[1:]
	}
	columns = append(columns,
		number("detect", 2, func(d design) float64 { return d.detect }),
		number("questions", 0, func(d design) float64 { return d.pilot.Questions }),
		number("repetitions", 0, func(d design) float64 { return d.pilot.Repetitions }),
		numberColumn("conversations", func(d design) Cell {
			if d.needed == 0 {
				return Cell{}
			}
			return Whole(d.needed)
		}),
		number("power", 2, func(d design) float64 { return 100 * d.PowerOf(d.pilot, d.detect/d.Column.Scale) }),
		share("share-conversations", 0), share("share-questions", 1), share("share-repetitions", 2),
		textColumn("buy", design.buy))
	if q.Spent != nil {
		t.NoteTitle("calls, dollars: of both sides together, at the rates of the pilot; recorded calls count as if paid; empty if a side has no records or a price is unknown")
		columns = append(columns,
			numberColumn("calls", func(d design) Cell { return d.cost(d.spent.BuildCalls, d.spent.AskCalls, 0) }),
			numberColumn("dollars", func(d design) Cell { return d.cost(d.spent.BuildDollars, d.spent.AskDollars, 2) }))
	}
	fill(t, designs, columns...)
	return &Document{Tables: []*Table{t}}, nil
}

// designs returns the studies that a plan needs.
func designs(rows []Contrast, q DesignQuestion) ([]design, error) {
	var all []design
	for _, r := range rows {
		c, ok := infer.NewComponents(r.questions)
		if !ok {
			continue
		}
		d := design{Contrast: &r, Components: c, pilot: c.Design}
		for side := 0; side < 2 && q.Spent != nil; side++ {
			e, err := q.Spent(r, side)
			if err != nil {
				return nil, err
			}
			d.spent = Expense{d.spent.BuildCalls + e.BuildCalls, d.spent.BuildDollars + e.BuildDollars, d.spent.AskCalls + e.AskCalls, d.spent.AskDollars + e.AskDollars}
		}
		for _, d.detect = range q.Detect {
			for _, d.pilot.Questions = range orPilot(q.Questions, c.Design.Questions) {
				for _, d.pilot.Repetitions = range orPilot(q.Seeds, c.Design.Repetitions) {
					d.needed = d.Needed(d.pilot, d.detect/d.Column.Scale, q.Power)
					x, y, z := d.Parts(d.pilot)
					if d.shares = nil; x+y+z > 0 {
						d.shares = []float64{x / (x + y + z), y / (x + y + z), z / (x + y + z)}
					}
					all = append(all, d)
				}
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New("planning needs a row with two conversations, each with several paired questions")
	}
	return all, nil
}

func orPilot(asked []float64, pilot float64) []float64 {
	if len(asked) == 0 {
		return []float64{pilot}
	}
	return asked
}

// componentNotes says how far to trust estimates of components.
func componentNotes(c infer.Components) []string {
	var notes []string
	if c.Design.Conversations < infer.FlipUnits {
		notes = append(notes, fmt.Sprintf("rough: the pilot has %g conversations", c.Design.Conversations))
	}
	if c.Negative.Conversation || c.Negative.Question {
		notes = append(notes, "a component was estimated below 0, and is set to 0")
	}
	if !c.Repeated {
		notes = append(notes, "no question is repeated: the component of questions includes that of repetitions")
	}
	return notes
}

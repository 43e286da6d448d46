package report

import (
	"cmp"
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
	detect    float64 // in the unit of tables
	questions float64
	seeds     float64
	spent     Expense // of both sides
	power     float64
}

// design returns the study with the pilot's conversations, and how many it needs.
func (d design) design() (pilot infer.Design, needed int) {
	pilot = infer.Design{Conversations: d.Design.Conversations, Questions: d.questions, Repetitions: d.seeds}
	return pilot, d.Needed(pilot, d.detect/d.Column.Scale, d.power)
}

// cost returns what the study costs, from the cost of a memory and of an answer.
func (d design) cost(build, ask float64, digits int) Cell {
	_, needed := d.design()
	x := float64(needed) * d.seeds * (build + d.questions*ask)
	if needed == 0 || math.IsNaN(x) {
		return Cell{}
	}
	return scaled(&x, 1, digits)
}

// shares returns the parts of the variance of the mean difference that are due to
// conversations, questions and repetitions; nil without variance.
func (d design) shares() []float64 {
	pilot, _ := d.design()
	conversation, question, repetition := d.Parts(pilot)
	all := conversation + question + repetition
	if all == 0 {
		return nil
	}
	return []float64{conversation / all, question / all, repetition / all}
}

// buy says what to increase.
func (d design) buy() string {
	shares := d.shares()
	if shares == nil {
		return ""
	}
	return []string{"conversations", "questions or conversations", "repetitions"}[slices.Index(shares, slices.Max(shares))]
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
	share := func(name string, i int) tableColumn[design] {
		return numberColumn(name, func(d design) Cell {
			if shares := d.shares(); shares != nil {
				return scaled(&shares[i], 100, 1)
			}
			return Cell{}
		})
	}
	names := repeating(
		textColumn("method", func(d design) string { return besides(d.Method, d.BaseMethod) }),
		tableColumn[design]{Column{Name: "metric"}, func(d design) Cell { return text(d.Column.Name, t.notes(componentNotes(d.Components)...)...) }},
	)
	if designs[0].Method == "" { // of a file
		names = names[1:]
	}
	columns := slices.Concat(names, []tableColumn[design]{
		numberColumn("detect", func(d design) Cell { return scaled(&d.detect, 1, 2) }),
		numberColumn("questions", func(d design) Cell { return scaled(&d.questions, 1, 0) }),
		numberColumn("repetitions", func(d design) Cell { return scaled(&d.seeds, 1, 0) }),
		numberColumn("conversations", func(d design) Cell {
			if _, needed := d.design(); needed > 0 {
				return Whole(needed)
			}
			return Cell{}
		}),
		numberColumn("power", func(d design) Cell {
			pilot, _ := d.design()
			return scaled(new(d.PowerOf(pilot, d.detect/d.Column.Scale)), 100, 2)
		}),
		share("share-conversations", 0), share("share-questions", 1), share("share-repetitions", 2),
		textColumn("buy", design.buy),
	})
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
					all = append(all, design{&r, c, detect, questions, seeds, spent, q.Power})
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
	if cmp.Or(c.Negative.Conversation, c.Negative.Question) {
		notes = append(notes, "a component was estimated below 0, and is set to 0")
	}
	if !c.Repeated {
		notes = append(notes, "no question is repeated: the component of questions includes that of repetitions")
	}
	return notes
}

package report

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/interchange"
)

// A DesignQuestion is what a plan answers.
type DesignQuestion struct {
	Detect    []float64 // differences to detect, in the unit of the tables
	Power     float64   // with which chance
	Questions []float64 // about each conversation; none for as many as the pilot
	Seeds     []float64 // repetitions of each question; none for as many as the pilot
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
	t.NoteTitle(fmt.Sprintf("conversations with which a t-test at 5 %% shows the difference in %g %% of comparisons; power is that of the pilot's number of them", 100*q.Power),
		"of conversations, questions, repetitions: shares of the variance of the mean difference, in the design")
	for _, r := range rows {
		c, ok := infer.NewComponents(r.questions)
		if !ok {
			continue
		}
		name := text(r.Column.Name, t.notes(componentNotes(c)...)...)
		for _, detect := range q.Detect {
			for _, questions := range orPilot(q.Questions, c.Design.Questions) {
				for _, seeds := range orPilot(q.Seeds, c.Design.Repetitions) {
					d := infer.Design{Conversations: c.Design.Conversations, Questions: questions, Repetitions: seeds}
					delta := detect / r.Column.Scale
					cells := []Cell{text(besides(r.Method, r.BaseMethod)), name, scaled(&detect, 1, 2), scaled(&questions, 1, 0), scaled(&seeds, 1, 0)}
					if n := c.Needed(d, delta, q.Power); n > 0 {
						cells = append(cells, count(n))
					} else {
						cells = append(cells, Cell{Notes: t.notes(fmt.Sprintf("more than %d conversations", infer.MostConversations))})
					}
					cells = append(cells, scaled(new(c.PowerOf(d, delta)), 100, 2))
					t.Rows = append(t.Rows, append(cells, shareCells(c, d)...))
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

// VarianceTable says where the variance of the scores of a file comes from.
func VarianceTable(r *interchange.Results, columns []string) (*Document, error) {
	t := &Table{Name: "variance", Title: fmt.Sprintf("%s (%s, sha256 %s)", r.Name, r.Format, short(r.SHA256)), Columns: []Column{
		{Name: "metric"},
		{Name: "conversations", Number: true},
		{Name: "questions", Number: true},
		{Name: "repetitions", Number: true},
		{Name: "variance-conversations", Head: "σ² conversation", Number: true},
		{Name: "variance-questions", Head: "σ² question", Number: true},
		{Name: "variance-repetitions", Head: "σ² repetition", Number: true},
		{Name: "error", Number: true},
		{Name: "share-conversations", Head: "of conversations", Number: true},
		{Name: "share-questions", Head: "of questions", Number: true},
		{Name: "share-repetitions", Head: "of repetitions", Number: true},
		{Name: "more-conversations", Head: "+1 conversation", Number: true},
		{Name: "more-questions", Head: "+1 question", Number: true},
		{Name: "more-repetitions", Head: "+1 repetition", Number: true},
	}}
	t.NoteTitle("σ²: components of the variance of one value; error: of the mean; shares: of its variance", "+1: by how many percent one more of each lowers the error; repetitions are epochs and votes")
	for at, column := range r.Columns {
		if len(columns) > 0 && !slices.Contains(columns, column.Name) || len(columns) == 0 && column.Usage {
			continue
		}
		places := make(map[string]int)
		var conversations [][]stats.Cluster
		for _, it := range r.Items {
			place, ok := places[it.Cluster]
			if !ok {
				place = len(conversations)
				places[it.Cluster], conversations = place, append(conversations, nil)
			}
			var q stats.Cluster
			for _, x := range it.Repeats(at) {
				q.Add(x)
			}
			conversations[place] = append(conversations[place], q)
		}
		c, ok := infer.NewComponents(conversations)
		if !ok {
			continue
		}
		d, se := c.Design, c.Error(c.Design)
		saved := func(more infer.Design) Cell {
			if se == 0 {
				return Cell{}
			}
			more.Conversations, more.Questions, more.Repetitions = d.Conversations+more.Conversations, d.Questions+more.Questions, d.Repetitions+more.Repetitions
			return scaled(new(1-c.Error(more)/se), 100, 2)
		}
		repetition := Cell{}
		if c.Repeated {
			repetition = saved(infer.Design{Repetitions: 1})
		}
		row := []Cell{
			text(column.Name, t.notes(componentNotes(c)...)...), scaled(&d.Conversations, 1, 0), scaled(new(math.Round(10*d.Questions)/10), 1, 1), scaled(&d.Repetitions, 1, 1),
			scaled(&c.Conversation, 1, 6), scaled(&c.Question, 1, 6), scaled(&c.Repetition, 1, 6), scaled(&se, 1, 6),
		}
		row = append(row, shareCells(c, d)[:3]...)
		t.Rows = append(t.Rows, append(row, saved(infer.Design{Conversations: 1}), saved(infer.Design{Questions: 1}), repetition))
	}
	if len(t.Rows) == 0 {
		return nil, fmt.Errorf("%s: no score of two conversations or more with several questions; --cluster names what items share", r.Name)
	}
	return &Document{Tables: []*Table{t}}, nil
}

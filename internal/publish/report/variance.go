package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/calc/stats"
	"recallbench/internal/publish/interchange"
)

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

// CrossedTable says where the variance of scores comes from that all questions have of
// the same seeds and judges. Each of the results is a seed; judges are columns of one
// score, none for a table row of each column that is not about usage. Questions without
// all values are left out and counted.
func CrossedTable(seeds []*interchange.Results, judges, columns []string) (*Document, error) {
	t := &Table{Name: "variance", Title: strings.Join(lists.Map(seeds, func(r *interchange.Results) string { return r.Name }), ", "), Columns: []Column{
		{Name: "metric", Repeats: true}, {Name: "source"}, {Name: "levels", Number: true}, {Name: "square", Head: "mean square", Number: true}, {Name: "variance", Head: "σ²", Number: true}, {Name: "share", Number: true}, {Name: "more", Head: "+1", Number: true},
	}}
	t.NoteTitle("σ²: component of the variance of one value; share: of the variance of the mean over all; +1: by how many percent one more conversation, question in each, seed or judge lowers the error of the mean")
	groups := [][]string{judges}
	if len(judges) == 0 {
		groups = nil
		for _, c := range seeds[0].Columns {
			if slices.Contains(columns, c.Name) || len(columns) == 0 && !c.Usage {
				groups = append(groups, []string{c.Name})
			}
		}
	}
	for _, group := range groups {
		questions, left, err := crossedQuestions(seeds, group)
		if err != nil {
			return nil, err
		}
		sources, ok := infer.NewCrossed(questions)
		if !ok {
			continue
		}
		var notes []string
		if left > 0 {
			notes = append(notes, Plural(left, "question")+" without a value of every seed and judge left out")
		}
		name := text(strings.Join(group, ", "), t.notes(notes...)...)
		all := errorOf(sources, "")
		for _, s := range sources {
			row := []Cell{name, text(s.Name), scaled(&s.Levels, 1, 0), scaled(&s.Square, 1, 6), scaled(&s.Variance, 1, 6), {}, {}}
			if s.Negative {
				row[4].Notes = t.notes("estimated below 0, and set to 0")
			}
			if all > 0 {
				row[5] = scaled(new(s.Variance/s.Levels/(all*all)), 100, 1)
			}
			if all > 0 && !strings.Contains(s.Name, " × ") && s.Name != "rest" {
				row[6] = scaled(new(1-errorOf(sources, s.Name)/all), 100, 2)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	if len(t.Rows) == 0 {
		return nil, fmt.Errorf("%s: no score of two conversations or more with several questions and all seeds and judges; --cluster names what items share", t.Title)
	}
	return &Document{Tables: []*Table{t}}, nil
}

// errorOf returns the standard error of the mean with one more level of a factor, or as
// it is where the factor is empty.
func errorOf(sources []infer.Source, more string) float64 {
	levels := make(map[string]float64)
	for _, s := range sources {
		levels[s.Name] = s.Levels
	}
	grown := 1.0
	switch n := levels[more]; {
	case more == "question": // one in each conversation
		grown = 1 + levels["conversation"]/n
	case n > 0:
		grown = 1 + 1/n
	}
	var sum float64
	for _, s := range sources {
		l := s.Levels
		if more != "" && (s.Name == "rest" || strings.Contains(s.Name, more) || more == "conversation" && s.Name == "question") {
			l *= grown
		}
		sum += s.Variance / l
	}
	return math.Sqrt(sum)
}

// crossedQuestions returns the questions with a value of every seed and judge, and how
// many others there are.
func crossedQuestions(seeds []*interchange.Results, judges []string) (questions []infer.CrossedQuestion, left int, err error) {
	type key struct{ cluster, key string }
	at := make(map[key]*infer.CrossedQuestion)
	var order []key
	for s, r := range seeds {
		for j, name := range judges {
			column := r.Column(name)
			if column < 0 {
				return nil, 0, fmt.Errorf("%s has no column %q", r.Name, name)
			}
			for _, it := range r.Items {
				k, x := key{it.Cluster, it.Key}, it.Value(column)
				if at[k] == nil {
					at[k], order = &infer.CrossedQuestion{Conversation: it.Cluster}, append(order, k)
				}
				q := at[k]
				switch {
				case math.IsNaN(x):
				case j == 0 && len(q.Values) == s:
					q.Values = append(q.Values, []float64{x})
				case len(q.Values) == s+1 && len(q.Values[s]) == j:
					q.Values[s] = append(q.Values[s], x)
				}
			}
		}
	}
	for _, k := range order {
		q := at[k]
		if len(q.Values) != len(seeds) || slices.ContainsFunc(q.Values, func(row []float64) bool { return len(row) != len(judges) }) {
			left++
			continue
		}
		questions = append(questions, *q)
	}
	return questions, left, nil
}

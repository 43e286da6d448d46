package runners

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/note"
	"recallbench/internal/result/rating"
	"recallbench/internal/result/record"
)

// PeopleOptions set what people are asked about a run.
type PeopleOptions struct {
	Dataset string // its label
	What    rating.What
	// Judge is the name of the judge whose verdicts guide the draw of correctness; empty to
	// draw the same number of each category.
	Judge string
	// Limit is how many questions are drawn or, for correctness, answers.
	Limit  int
	Raters int
	Seed   uint64
	// Queue names the draw of correctness, which is saved with the run.
	Queue string
}

// AskPeople draws questions of a run with all their answers or, for correctness, single
// answers, half of them accepted by a judge. It hides where they come from.
func AskPeople(folder record.Folder, h record.Header, o PeopleOptions) (asked rating.Asked, err error) {
	items, err := ratingItems(folder, h, o.Dataset)
	if err != nil {
		return asked, err
	}
	of := func(it rating.Item) note.Subject { return note.Subject{Sample: it.Sample, Request: it.Request} }
	draw := note.Random
	from := lists.Map(lists.Distinct(items, of), func(s note.Subject) note.Item { return note.Item{Subject: s} })
	if o.What == rating.Correctness {
		of = func(it rating.Item) note.Subject { return it.Subject }
		draw = note.Stratified
		if from, err = judgedItems(folder, h, o.Judge); err != nil {
			return asked, err
		}
	}
	answers := make(map[note.Subject][]rating.Item)
	for _, it := range items {
		answers[of(it)] = append(answers[of(it)], it)
	}
	from = lists.Filter(from, func(it note.Item) bool { return answers[it.Subject] != nil })
	q, err := note.NewQueue(o.Queue, from, draw, o.Limit, o.Seed)
	if err != nil {
		return asked, err
	}
	if q.Blind = true; o.What == rating.Correctness && !slices.Contains(note.Queues(folder), q.Name) {
		if err := q.Write(folder); err != nil {
			return asked, err
		}
	}
	var drawn []rating.Item
	for _, it := range q.Items {
		drawn = append(drawn, answers[it.Subject]...)
	}
	var raters []string
	for i := range o.Raters {
		raters = append(raters, fmt.Sprintf("rater-%d", i+1))
	}
	asked = rating.Ask(o.What, drawn, o.Seed, raters, ratingNames(h))
	asked.Run, asked.Dataset, asked.Limit = h.ID, o.Dataset, o.Limit
	return asked, nil
}

// judgedItems returns the answers of a run by the verdicts of a judge, or by category
// without one.
func judgedItems(folder record.Folder, h record.Header, name string) (items []note.Item, err error) {
	rows, err := JudgedRows(folder, h)
	for _, r := range rows {
		for _, a := range r.Answers {
			x, judged := a.Score(name, judge.Majority)
			stratum := a.Category
			if name != "" {
				stratum = map[bool]string{true: "accepted", false: "refused"}[x > 0.5]
			}
			if !a.Failed && (judged || name == "") {
				items = append(items, note.Item{Subject: a.Subject, Answer: a.SHA256, Stratum: stratum})
			}
		}
	}
	return items, err
}

// ratingItems returns the answers on a dataset of a run for people to rate: of each
// question that every method was asked, in the order of the dataset, all of them. Of a
// method that ran with several seeds it takes the first.
//
// The history of a question is what the run folder has of it: the turns that
// mention what it is about, as the dataset says, and the turns that the gold
// answer rests on. Where a dataset names no such turns, those that the answer
// rests on are taken from the evidence that the methods retrieved, without saying
// whose it was.
func ratingItems(folder record.Folder, h record.Header, dataset string) ([]rating.Item, error) {
	d, ok := h.Dataset(dataset)
	if !ok {
		return nil, fmt.Errorf("the run has no dataset %q", dataset)
	}
	golds, err := readGolds(folder, d)
	if err != nil {
		return nil, err
	}
	cells := ratedCells(h, dataset)
	answers := make(map[key][]rating.Item)
	texts := make(map[key]string) // of turns of samples
	for _, c := range cells {
		records, err := lastRecords(folder, c.Cell)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			k, of := key{r.Sample, r.Request}, note.Subject{Cell: c.Cell, Sample: r.Sample, Request: r.Request}
			answers[k] = append(answers[k], rating.Item{Response: r.Answer, Key: rating.Key{Subject: of, Method: c.Method}})
		}
		if err := addTurns(folder, c.Cell, texts); err != nil {
			return nil, err
		}
	}
	var items []rating.Item
	for _, k := range golds.order {
		if len(answers[k]) < len(cells) {
			continue
		}
		g := golds.gold[k]
		for _, it := range answers[k] {
			it.Turn, it.History, it.Facts = g.Question, rating.Summary(historyOf(g, texts), g.Evidence), facts(g)
			items = append(items, it)
		}
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("no question on %s was answered by all %d methods; 'bench resume %s' continues a stopped run", dataset, len(cells), folder)
	}
	return items, nil
}

// ratedCells returns the cells of a dataset with the names that people know them by, of
// those that differ in the seed only the first.
func ratedCells(h record.Header, dataset string) []rating.Key {
	models := lists.Distinct(h.Cells, func(c record.Cell) string { return c.Model })
	var cells []rating.Key
	for _, c := range h.Cells {
		name := c.Method
		if len(models) > 1 {
			name += ", " + c.Model
		}
		if c.Dataset == dataset && !slices.ContainsFunc(cells, func(have rating.Key) bool { return have.Method == name }) {
			cells = append(cells, rating.Key{Subject: note.Subject{Cell: c.ID}, Method: name})
		}
	}
	return cells
}

// addTurns adds the texts of turns that were retrieved by themselves or with few
// others: of several blocks with a turn the shortest.
func addTurns(folder record.Folder, cell string, texts map[key]string) error {
	return eachLine(folder.Blocks(cell), func(b record.Block) {
		for _, turn := range b.Sources {
			k := key{b.Sample, turn}
			have, ok := texts[k]
			if !ok || len(b.Text) < len(have) || len(b.Text) == len(have) && b.Text < have {
				texts[k] = b.Text
			}
		}
	})
}

// historyOf returns what is known of the history of a question, in its order.
func historyOf(g record.Gold, texts map[key]string) []record.Utterance {
	turns := slices.Clone(g.History)
	for _, id := range g.Evidence {
		known := slices.ContainsFunc(turns, func(u record.Utterance) bool { return u.Turn == id })
		if text := texts[key{g.Sample, id}]; text != "" && !known {
			turns = append(turns, record.Utterance{Turn: id, Speaker: "from the conversation", Text: text})
		}
	}
	return turns
}

// facts says what an answer is to be checked by.
func facts(g record.Gold) string {
	switch {
	case g.Abstain:
		return "The conversation does not say."
	case g.Answer == "":
		return "(none are given)"
	case len(g.Variants) == 0:
		return g.Answer
	default:
		return g.Answer + "\nalso right: " + strings.Join(g.Variants, "; ")
	}
}

// ratingNames returns the names that sheets must hide: those of methods and, if several
// models answered, of models.
func ratingNames(h record.Header) []string {
	var names []string
	for _, c := range h.Cells {
		names = append(names, c.Method, c.Use)
	}
	if len(h.Models) > 1 {
		for _, m := range h.Models {
			names = append(names, m.Label, m.Reader)
		}
	}
	return names
}

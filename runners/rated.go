package runners

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/token"
	"recallbench/internal/result/rating"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// readRatings reads what people said of the answers on a dataset, by cell.
// Ratings that a person left out are in no mean.
func readRatings(folder record.Folder, dataset string) (map[string]map[judgedAnswer][]rating.Rating, error) {
	return readLabels(folder.Ratings(dataset), func(r rating.Rating) (string, judgedAnswer) {
		if !r.Counts() {
			return "", judgedAnswer{}
		}
		return r.Cell, judgedAnswer{key: key{r.Sample, r.Request}, sha256: r.Answer}
	})
}

// addRating fills in the mean of what people said of an answer.
func (s *scorer) addRating(item *metrics.Item, k key) {
	rated := s.rated[judgedAnswer{key: k, sha256: answerHash(item.Prediction)}]
	if len(rated) == 0 {
		return
	}
	sum := 0
	for _, r := range rated {
		sum += *r.UCS
	}
	item.Rating = new(float64(sum) / float64(len(rated)))
}

// RatingQuestions returns the requests on a dataset of a run that each of its
// methods was asked, with their answers, for people to rate. Of a method that ran
// with several seeds it takes the first.
//
// The history of a question is what the run folder has of it: the turns that
// mention what it is about, as the dataset says, and the turns that the gold
// answer rests on. Where a dataset names no such turns, those that the answer
// rests on are taken from the evidence that the methods retrieved, without saying
// whose it was. It has at most budget tokens.
func RatingQuestions(folder record.Folder, h record.Header, dataset string, budget int, tokens token.Codec) ([]rating.Question, error) {
	d, ok := h.Dataset(dataset)
	if !ok {
		return nil, fmt.Errorf("the run has no dataset %q", dataset)
	}
	golds, err := readGolds(folder, d)
	if err != nil {
		return nil, err
	}
	cells := ratedCells(h, dataset)
	answers := make(map[key][]rating.Answer)
	texts := make(map[key]string) // of turns of samples
	for _, c := range cells {
		records, err := lastRecords(folder, c.ID)
		if err != nil {
			return nil, err
		}
		for k, r := range records {
			answers[k] = append(answers[k], rating.Answer{Cell: c.ID, Method: c.name, Text: r.Answer})
		}
		if err := addTurns(folder, c.Cell, texts); err != nil {
			return nil, err
		}
	}
	var questions []rating.Question
	for _, k := range golds.order {
		if len(answers[k]) < len(cells) {
			continue
		}
		g := golds.gold[k]
		questions = append(questions, rating.Question{
			Sample: k.sample, Request: k.request, Turn: g.Question,
			History: rating.History(historyOf(k.sample, g, texts), budget, tokens),
			Facts:   facts(g), Answers: answers[k],
		})
	}
	if len(questions) == 0 {
		return nil, fmt.Errorf("no request on %s was answered by each of the %d methods; 'bench resume %s' goes on with a run that was stopped", dataset, len(cells), folder)
	}
	return questions, nil
}

// A ratedCell is a cell under the name that people know it by.
type ratedCell struct {
	record.Cell
	name string
}

// ratedCells returns the cells of a dataset, of those that differ in the seed
// only the first.
func ratedCells(h record.Header, dataset string) []ratedCell {
	models := make(map[string]bool)
	for _, c := range h.Cells {
		models[c.Model] = true
	}
	var cells []ratedCell
	for _, c := range h.Cells {
		name := c.Method
		if len(models) > 1 {
			name += ", " + c.Model
		}
		if c.Dataset == dataset && !slices.ContainsFunc(cells, func(have ratedCell) bool { return have.name == name }) {
			cells = append(cells, ratedCell{c, name})
		}
	}
	return cells
}

// addTurns adds the texts of turns that were retrieved by themselves or with few
// others: of several blocks with a turn the shortest.
func addTurns(folder record.Folder, c record.Cell, texts map[key]string) error {
	for line, err := range record.Lines[record.Block](folder.Blocks(c.ID)) {
		if err != nil {
			return err
		}
		b := line.Value
		for _, turn := range b.Sources {
			k := key{b.Sample, turn}
			have, ok := texts[k]
			if !ok || len(b.Text) < len(have) || len(b.Text) == len(have) && b.Text < have {
				texts[k] = b.Text
			}
		}
	}
	return nil
}

// historyOf returns what is known of the history of a question, in its order.
func historyOf(sample string, g record.Gold, texts map[key]string) []rating.Turn {
	var turns []rating.Turn
	known := make(map[string]bool)
	for _, u := range g.History {
		known[u.Turn] = true
		turns = append(turns, rating.Turn{Speaker: u.Speaker, Text: u.Text, Evidence: slices.Contains(g.Evidence, u.Turn)})
	}
	shown := make(map[string]bool)
	for _, id := range g.Evidence {
		text, ok := texts[key{sample, id}]
		if !ok || known[id] || shown[text] {
			continue
		}
		shown[text] = true
		turns = append(turns, rating.Turn{Speaker: "from the conversation", Text: text, Evidence: true})
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

// RatingNames returns what no item may say: the names of methods, and where
// several models answered, theirs.
func RatingNames(h record.Header) []string {
	var names []string
	for _, c := range h.Cells {
		names = append(names, c.Method, c.Use)
	}
	if len(h.Models) > 1 {
		for _, m := range h.Models {
			names = append(names, m.Label, m.Reader)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// RatedDataset returns the label of the dataset whose answers are rated: the one
// that is named, or the only one of the run.
func RatedDataset(h record.Header, name string) (string, error) {
	labels := lists.Map(h.Datasets, func(d record.Dataset) string { return d.Label })
	switch {
	case slices.Contains(labels, name):
		return name, nil
	case name == "" && len(labels) == 1:
		return labels[0], nil
	case name == "":
		return "", fmt.Errorf("the run has several datasets; name one with --dataset: %s", strings.Join(labels, ", "))
	default:
		return "", fmt.Errorf("the run has no dataset %q; it has %s", name, strings.Join(labels, ", "))
	}
}

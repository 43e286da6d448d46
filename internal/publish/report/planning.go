package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/result/record"
)

// A DesignQuestion describes the study to plan.
type DesignQuestion struct {
	Detect    []float64 // differences to detect, in the unit of the tables
	Power     float64   // the chance to detect them
	Questions []float64 // for each conversation; none for as many as in the pilot
	Seeds     []float64 // repetitions of each question; none for as many as in the pilot
	// Spent returns what the base (0) and the new side (1) of a row spent in the pilot; nil
	// if that is not known.
	Spent func(r *Contrast, side int) (Expense, error)
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
func DesignTable(rows []*Contrast, q DesignQuestion) (*Document, error) {
	designs, err := designs(rows, q)
	if err != nil {
		return nil, err
	}
	t := &Table{Name: "design", Title: "Conversations needed"}
	t.NoteTitle(fmt.Sprintf("conversations with which a t-test at 5 %% detects the difference in %g %% of comparisons, if at most %d; power is that of the pilot's number of conversations", 100*q.Power, infer.MostConversations),
		"share-: part of the variance of the mean difference, in the design")
	number := func(name string, digits int, of func(design) float64) Field[design] {
		return NumberField(name, func(d design) Cell { return Decimal(of(d), digits, nil) })
	}
	share := func(name string, i int) Field[design] {
		return NumberField(name, func(d design) Cell {
			if d.shares == nil {
				return Cell{}
			}
			return scaled(&d.shares[i], 100, 1)
		})
	}
	columns := contrastFields(t, designs, func(d design) (*Contrast, []string) { return d.Contrast, componentNotes(d.Components) })
	columns = append(columns,
		number("detect", 2, func(d design) float64 { return d.detect }),
		number("questions", 0, func(d design) float64 { return d.pilot.Questions }),
		number("repetitions", 0, func(d design) float64 { return d.pilot.Repetitions }),
		NumberField("conversations", func(d design) Cell { return Count(d.needed) }),
		number("power", 2, func(d design) float64 { return 100 * d.PowerOf(d.pilot, d.detect/d.Column.Scale) }),
		share("share-conversations", 0), share("share-questions", 1), share("share-repetitions", 2),
		TextField("buy", design.buy))
	if q.Spent != nil {
		t.NoteTitle("calls, dollars: of both sides together, at the rates of the pilot; recorded calls count as if paid; empty if a side has no records or a price is unknown")
		columns = append(columns,
			NumberField("calls", func(d design) Cell { return d.cost(d.spent.BuildCalls, d.spent.AskCalls, 0) }),
			NumberField("dollars", func(d design) Cell { return d.cost(d.spent.BuildDollars, d.spent.AskDollars, 2) }))
	}
	Fill(t, designs, columns...)
	return &Document{Tables: []*Table{t}}, nil
}

// contrastFields returns the columns that name what rows are about, a contrast with notes;
// those of files have no method.
func contrastFields[R any](t *Table, rows []R, of func(R) (*Contrast, []string)) []Field[R] {
	columns := repeating(
		TextField("method", func(r R) string { c, _ := of(r); return besides(c.Method, c.BaseMethod) }),
		NotedField(t, "metric", func(r R) (string, []string) { c, notes := of(r); return c.Column.Name, notes }),
	)
	if c, _ := of(rows[0]); c.Method == "" {
		return columns[1:]
	}
	return columns
}

// designs returns the studies that a plan needs.
func designs(rows []*Contrast, q DesignQuestion) ([]design, error) {
	var all []design
	for _, r := range rows {
		c, ok := infer.NewComponents(r.questions)
		if !ok {
			continue
		}
		d := design{Contrast: r, Components: c, pilot: c.Design}
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

// An evidence is that for a difference after some conversations.
type evidence struct {
	*Contrast
	conversations       int
	difference, e, most float64 // most is the greatest e so far
}

// AnytimeTable lays out the evidence for a difference after each conversation, in the
// order of their ids, for rows of a comparison. One may stop where it reaches 20. The
// difference of interest is in the unit of the tables.
func AnytimeTable(rows []*Contrast, interest float64) (*Document, error) {
	var all []evidence
	for _, r := range rows {
		units := lists.Filter(r.row.Units, func(u infer.Unit) bool { return u.N > 0 })
		means := lists.Map(units, func(u infer.Unit) float64 { return u.Sum / u.Weight })
		sum, most := 0.0, 1.0
		for i, e := range infer.EValues(means, interest/r.Column.Scale) {
			sum, most = sum+means[i], max(most, e)
			all = append(all, evidence{r, i + 1, sum / float64(i+1), e, most})
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no row has a conversation with a pair")
	}
	t := &Table{Name: "anytime", Title: "Evidence after each conversation"}
	t.NoteTitle(
		fmt.Sprintf("E: evidence for a difference of about %g points; at %d or more one may stop, at any time, with a 5 %% chance of being wrong", interest, infer.Confident),
		"p: 1 divided by the greatest E so far, valid at any time; rows are not adjusted",
		"the mean difference is too far from 0 if one stops early")
	Fill(t, all, append(contrastFields(t, all, func(v evidence) (*Contrast, []string) { return v.Contrast, nil }),
		NumberField("conversations", func(v evidence) Cell { return Whole(v.conversations) }),
		NumberField("difference", func(v evidence) Cell { return scaled(&v.difference, v.Column.Scale, v.Column.Digits) }),
		NumberField("e", func(v evidence) Cell { return Decimal(v.e, 3, nil) }),
		NumberField("p", func(v evidence) Cell { return PValue(new(1 / v.most)) }),
		TextField("verdict", func(v evidence) string {
			if v.most >= infer.Confident {
				return "shown"
			}
			return ""
		}),
	)...)
	return &Document{Tables: []*Table{t}}, nil
}

// Calibrate reports how often the rules of a comparison find a difference where there is
// none: some number of times, it assigns the two answers of each pair to the sides at random
// and tests the rows again. A rule that keeps its level finds a difference 5 % of the time.
func Calibrate(ctx context.Context, rows []*Contrast, o ContrastOptions, times int) (*Document, error) {
	if slices.ContainsFunc(rows, func(r *Contrast) bool { return !r.Paired }) {
		return nil, errors.New("a row is not paired; only paired answers can be assigned to the sides at random")
	}
	found := make(map[string]int) // by correction
	for draw := range times {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		family := lists.Map(rows, func(r *Contrast) infer.Row {
			return infer.Row{Pair: r.Side, Units: r.relabelled(rand.NewPCG(uint64(draw), uint64(r.Side)))}
		})
		for _, correct := range infer.Corrections() {
			results := infer.Decide(slices.Clone(family), infer.Options{Correct: correct, AcceptTwo: o.AcceptTwo, Seed: uint64(draw), Bare: true})
			if slices.ContainsFunc(results, func(r infer.Result) bool { return r.Shown }) {
				found[correct]++
			}
		}
	}
	t := &Table{Name: "calibration", Title: "Findings where there is no difference"}
	t.NoteTitle(fmt.Sprintf("with-finding: percentage of families of %s in which a difference is statistically significant although the sides were assigned at random, with its Monte Carlo error; 5 is nominal, less is conservative", Plural(len(rows), "row")))
	share := func(correct string) float64 { return float64(found[correct]) / float64(times) }
	Fill(t, infer.Corrections(),
		TextField("correction", func(correct string) string { return correct }),
		NumberField("families", func(string) Cell { return Whole(times) }),
		NumberField("with-finding", func(correct string) Cell { return scaled(new(share(correct)), 100, 2) }),
		NumberField("error", func(correct string) Cell {
			return scaled(new(math.Sqrt(share(correct)*(1-share(correct))/float64(times))), 100, 2)
		}),
	)
	return &Document{Tables: []*Table{t}}, nil
}

// relabelled returns the units of the row with a random sign for each question. Rows of
// the same pair of sides get the same signs.
func (c *Contrast) relabelled(source rand.Source) []infer.Unit {
	random := rand.New(source)
	var units []infer.Unit
	for i, questions := range c.questions {
		for k, q := range questions {
			x := q.Sum / q.Weight
			if random.Uint64()&1 == 1 {
				x = -x
			}
			if k == 0 {
				units = append(units, infer.Unit{ID: strconv.Itoa(i)})
			} else if c.Unit == ByRequest {
				units = append(units, infer.Unit{ID: fmt.Sprint(i, ".", k)})
			}
			units[len(units)-1].Add(x)
		}
	}
	return units
}

// SpentBy returns what the first two sides of a comparison spent on a row, from their
// records, for [DesignQuestion].
func SpentBy(sides []Side) func(r *Contrast, side int) (Expense, error) {
	return func(r *Contrast, side int) (e Expense, err error) {
		method, model := r.BaseMethod, r.BaseModel
		if side == 1 {
			method, model = r.Method, r.Model
		}
		run := sides[side]
		cells := lists.Filter(run.Header.Cells, func(c record.Cell) bool { return c.Method == method && c.Model == model && c.Dataset == r.Dataset })
		ingests := lists.Map(cells, func(c record.Cell) string { return run.Folder.Ingests(c.ID) })
		records := lists.Map(cells, func(c record.Cell) string { return run.Folder.Records(c.ID) })
		e.BuildCalls, e.BuildDollars, err = meanSpent(ingests, func(i record.Ingest) (map[string]llm.Usage, *float64) { return i.Usage, i.Cost })
		if err == nil {
			e.AskCalls, e.AskDollars, err = meanSpent(records, func(a record.Record) (map[string]llm.Usage, *float64) { return a.Usage["query"], a.Cost })
		}
		return e, err
	}
}

// meanSpent returns the mean calls and dollars of the lines of files; NaN if there is no
// file, as in a baseline, which has scores only, or if a price is unknown.
func meanSpent[T any](paths []string, of func(T) (map[string]llm.Usage, *float64)) (calls, dollars float64, err error) {
	n := 0.0
	for _, path := range paths {
		for line, err := range record.Values[T](path) {
			if errors.Is(err, fs.ErrNotExist) {
				return math.NaN(), math.NaN(), nil
			}
			if err != nil {
				return 0, 0, err
			}
			usage, cost := of(line)
			for _, u := range usage {
				calls += float64(u.Calls)
			}
			dollars += *cmp.Or(cost, new(math.NaN()))
			n++
		}
	}
	return calls / max(n, 1), dollars / max(n, 1), nil
}

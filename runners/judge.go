package runners

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/conc/pool"

	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// JudgePrompt is the path of a user's own prompt in the folder that
// [NewJudging] is given.
const JudgePrompt = judge.Prompt

// A Judging asks a language model about the answers of finished requests.
type Judging struct {
	plan     *Plan
	judge    *judge.Judge
	options  JudgeOptions
	model    *model // nil for a rule
	header   record.Judge
	payments *payments
	ledger   *ledger
	part     *ledgerPart // of the ledger; all answers

	halting // its mutex guards result, replies and header.Served too
	result  JudgeResult
	replies llm.Usage // of this judging
}

// A JudgeResult says how a judging ended.
type JudgeResult struct {
	Judge  record.Judge
	Judged int        // answers with a judgement, earlier ones included
	Failed int        // answers about which no reply could be used
	Taken  int        // answers that f1@span decided, and nobody was asked about
	Saved  JudgeCost  // what asking about these would have taken, at the length of the replies that came
	Paid   meter.Paid // by the judge in this run, earlier judgings included
}

// JudgeOptions say which judge a [Judging] is.
type JudgeOptions struct {
	// Profile is that of a judge with a column of its own; nil for the judge of the
	// column judge.
	Profile *judge.Profile
	// Label names the judge's columns; PROFILE@MODEL where it is empty.
	Label string
	judge.Words
	// ShowLure shows the judge of an abstention the tempting answer that is wrong.
	ShowLure bool
	// Sample bounds the answers that are asked about; nil for all.
	Sample []RowSample
	// Audit is the share of the answers that f1@span takes as right about which the judge
	// is asked all the same; nil asks about all answers, and not about unclear ones alone.
	Audit *float64
}

// An UnfitJudgeError says why a judge or a sample does not fit a run. Nothing was asked.
type UnfitJudgeError string

func (e UnfitJudgeError) Error() string { return string(e) }

// NewJudging opens the first entry of a config's models as a judge. the stand-in
// is refused: there is no language model behind it. A profile that asks no model opens
// none.
func NewJudging(ctx context.Context, c *config.Config, plugins config.Plugins, env Env, o JudgeOptions) (*Judging, error) {
	profile := o.Profile
	if profile == nil {
		profile = judge.Default
	}
	p := newPlan(c, env)
	if profile.Rule {
		asked, err := judge.New(profile, nil, o.Words)
		if err != nil {
			return nil, err
		}
		j := &Judging{plan: p, judge: asked, options: o}
		j.header = record.Judge{
			ID: hashOf(map[string]any{"schema": record.SchemaVersion, "rule": profile.Name}, 12), Name: cmp.Or(o.Label, profile.Name), Profile: profile.Name,
			Model: record.Model{Label: "rule", Backend: "rule", Reader: "rule"},
		}
		j.result.Paid.USD = new(0.0)
		return j, nil
	}
	models, err := p.openModels(ctx, plugins)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	m := models[0]
	if m.doors.Offline {
		return nil, errors.Join(fmt.Errorf("model %s: the stand-in answers for it and no language model; give a live model, such as configs/models/openai.yaml", m.entry.Label), p.Close())
	}
	asked, err := judge.New(profile, meter.Generator(m.doors.LLM, m.doors.Tokens, m.doors.Price), o.Words)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("model %s: %w", m.entry.Label, err), p.Close())
	}
	j := &Judging{plan: p, judge: asked, options: o, model: &m}
	j.header = record.Judge{ID: judgeID(asked, m, c.Seed, o.ShowLure), Prompts: asked.Hash(), Model: p.header.Models[0]}
	j.header.Reader, j.header.Roles = m.doors.ModelOf(judge.Role), nil
	if o.Profile != nil {
		j.header.Profile = profile.Name
		if o.ShowLure {
			j.header.Profile += "+lure"
		}
		j.header.Name = cmp.Or(o.Label, j.header.Profile+"@"+j.header.Reader)
	}
	if asked.Theirs() {
		repository, commit := profile.Origin()
		j.header.Clone = repository + " " + commit
	}
	j.result.Paid.USD = new(0.0)
	return j, nil
}

// judgeID is a hash of everything that judgements depend on beside the answer.
func judgeID(j *judge.Judge, m model, seed uint64, lure bool) string {
	of := map[string]any{
		"schema":  record.SchemaVersion,
		"prompts": j.Hash(),
		"model":   map[string]any{"use": m.entry.Use, "options": m.identity()},
		"seed":    seed,
	}
	if j.Profile != judge.Default {
		of["profile"], of["votes"] = j.Name, j.Votes()
	}
	if j.Theirs() {
		of["protocol"] = j.Protocol()
	}
	if lure {
		of["lure"] = true
	}
	return hashOf(of, 12)
}

// Name is that of the judge's columns; empty for the column judge.
func (j *Judging) Name() string { return j.header.Name }

// Close releases the model.
func (j *Judging) Close() error { return j.plan.Close() }

// Run asks about every answer of a run that has something to be compared with and no
// judgement by this judge from the same prompt. It appends a line for each. What
// could not be judged before is asked again. The caller has the folder to itself.
//
// It ends as [Run.Execute] does: with the error of ctx, with a fault that every
// further call would meet, or when judgements cannot be written. What was
// judged by then is on the disk and is not asked again.
func (j *Judging) Run(ctx context.Context, folder record.Folder, h record.Header, progress Progress) (JudgeResult, error) {
	cells, err := j.collect(folder, h)
	if err != nil {
		return j.result, err
	}
	j.payments, err = j.plan.openPayments(folder, j.header.ID, nil, func(e budget.Entry, _ bool) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.result.Paid = j.result.Paid.Add(*e.Paid)
	})
	if err != nil {
		return j.result, err
	}
	defer j.payments.close(j.plan.env.Log)
	growing := lists.Map(cells, func(c *judgedCell) string { return c.path })
	if err := folder.Unseal(&h, growing...); err != nil {
		return j.result, err
	}
	total := j.result.Judged
	for _, c := range cells {
		total += len(c.left)
	}
	l := newLedger(j.plan.accounts.Counts)
	j.ledger, j.part = l, l.add(0, total-j.result.Judged)
	var taken []answer
	for _, c := range cells {
		taken = append(taken, c.taken...)
	}
	saved, err := j.cost(taken)
	if err != nil {
		return j.result, err
	}
	j.result.Saved = saved
	if j.options.Audit != nil {
		j.plan.env.Log.Info(fmt.Sprintf("%d of %d answers go to the judge; f1@span decides the others, which would take at most %s", total, total+j.result.Taken, saved))
	}
	progress.Begin(Work{Requests: total, Done: j.result.Judged}, l.state)
	err = j.ask(meter.Count(ctx, l.tally), folder, cells, progress)
	progress.End()
	for _, c := range cells {
		err = errors.Join(err, c.close())
	}
	for _, c := range cells {
		if err == nil {
			err = c.arrange()
		}
	}
	j.result.Judge = j.header
	j.result.Saved = j.priced(j.result.Saved, j.replies)
	return j.result, err
}

func (j *Judging) ask(ctx context.Context, folder record.Folder, cells []*judgedCell, progress Progress) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	requests := pool.New().WithMaxGoroutines(j.plan.config.Concurrency.Requests)
	for _, c := range cells {
		if len(c.left)+len(c.taken) == 0 {
			continue
		}
		if err := errors.Join(j.open(folder, c), j.take(c)); err != nil {
			stop(err)
			break
		}
		for _, a := range c.left {
			requests.Go(func() {
				if ctx.Err() != nil || j.stopping() {
					return
				}
				if err := j.askAbout(ctx, a, c.log, progress); err != nil {
					stop(err)
				}
			})
		}
	}
	requests.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return j.stopped
}

func (j *Judging) open(folder record.Folder, c *judgedCell) (err error) {
	var dropped int64
	if c.log, dropped, err = folder.OpenLog(c.path, j.syncDelay()); err != nil {
		return err
	}
	if dropped > 0 {
		j.plan.env.Log.Warn("dropped a line that was not written to its end", "file", c.path, "bytes", dropped)
	}
	return nil
}

// askAbout asks about one answer and appends the judgement. A call that ctx
// ended leaves none.
func (j *Judging) askAbout(ctx context.Context, a answer, log *record.Log, progress Progress) error {
	metered, m, cancel := j.plan.meter(ctx)
	defer cancel()
	start := j.plan.env.Now()
	said, err := j.judge.Ask(metered, a.task)
	if fault := j.settle(m); fault != nil { //nolint:contextcheck // what was paid is settled, although the run may be ending
		return fault
	}
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if fault.KindOf(err).Stops() {
		j.halt(err)
		return nil
	}
	line := record.Judgement{
		Sample: a.sample, Request: a.request, Judge: j.header.ID, Reader: j.header.Reader, Prompts: j.header.Prompts,
		Answer: answerHash(a.task.Answer), Gold: a.told, Origin: a.origin, Taken: a.taken, Usage: m.Usage(), Cost: m.Cost(), Calls: m.Calls(), Time: j.plan.timing(start, m),
	}
	line.Time.Calls = callTimes(start, m)
	for _, s := range m.Served() {
		line.Served = insert(line.Served, s.Model)
	}
	status := record.OK
	if err != nil {
		status, line.Error = failed(metered, err)
	} else {
		line.Why, line.Votes, line.Order = said.Why, said.Votes, said.Order
		line.SetScore(said.Score)
	}
	if err := log.Append(line); err != nil {
		return err
	}
	j.mu.Lock()
	if err != nil {
		j.result.Failed++
	} else {
		j.result.Judged++
	}
	j.replies = j.replies.Add(m.Usage()[judge.Role])
	j.mu.Unlock()
	j.ledger.request(j.part, m.Usage(), status)
	progress.Request(status, m.Usage()[judge.Role].Total())
	return nil
}

// settle notes which models have replied, and what recordings saved.
func (j *Judging) settle(m *meter.Meter) error {
	j.mu.Lock()
	for _, s := range m.Served() {
		j.header.Served = insert(j.header.Served, s.Model)
	}
	j.mu.Unlock()
	if m.Paid().Reused == 0 {
		return nil
	}
	return j.plan.budget.Settle(context.Background(), 0, budget.Settlement{Paid: new(m.Paid())})
}

// syncDelay is as for records: what was paid for is synced at once.
func (j *Judging) syncDelay() time.Duration {
	if j.plan.env.Calls.Mode() == calls.Replay {
		return time.Second
	}
	return 0
}

// A RowSample asks for a number of answers of the rows whose labels a pattern of
// path.Match fits, such as ap-*.
type RowSample struct {
	Pattern string
	Answers int
}

// drawRows draws the answers that samples ask for, by cell: spread evenly over the rows
// of a pattern, and in each over the conversations. All rows have the same requests
// first, as a hash of seed and request orders them. It returns nil for no samples. A row
// that no pattern fits is left out; a pattern that fits none is an error.
func drawRows(h record.Header, sets map[string]golds, samples []RowSample, seed uint64) (map[string]map[key]bool, error) {
	if len(samples) == 0 {
		return nil, nil
	}
	wanted := make(map[string]map[key]bool)
	for _, s := range samples {
		cells := lists.Filter(h.Cells, func(c record.Cell) bool {
			fits, err := path.Match(s.Pattern, c.Method)
			return err == nil && fits && wanted[c.ID] == nil
		})
		if len(cells) == 0 {
			return nil, UnfitJudgeError(fmt.Sprintf("no row that is not sampled yet fits %s; the run has %s", s.Pattern,
				strings.Join(lists.Distinct(h.Cells, func(c record.Cell) string { return c.Method }), ", ")))
		}
		for i, c := range cells {
			wanted[c.ID] = make(map[key]bool)
			n := (s.Answers + len(cells) - 1 - i) / len(cells)
			for _, k := range sets[c.Dataset].spread(seed)[:min(n, len(sets[c.Dataset].order))] {
				wanted[c.ID][k] = true
			}
		}
	}
	return wanted, nil
}

// spread returns the requests in an order that goes round the conversations, with each
// one's in the order of a hash.
func (g golds) spread(seed uint64) []key {
	type place struct {
		key
		round int
		hash  string
	}
	places := lists.Map(g.order, func(k key) place {
		return place{key: k, hash: answerHash(fmt.Sprintf("%d\x00%s\x00%s", seed, k.sample, k.request))}
	})
	slices.SortFunc(places, func(a, b place) int { return strings.Compare(a.hash, b.hash) })
	rounds := make(map[string]int)
	for i := range places {
		places[i].round = rounds[places[i].sample]
		rounds[places[i].sample]++
	}
	slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.round, b.round) })
	return lists.Map(places, func(p place) key { return p.key })
}

// A judgedCell is a cell with the answers that are left to judge.
type judgedCell struct {
	path  string // of the judgements
	log   *record.Log
	left  []answer
	taken []answer // nobody is asked about them
	order order    // as asked
}

func (c *judgedCell) close() error {
	if c.log == nil {
		return nil
	}
	return c.log.Close()
}

// An answer is what a record holds, with what it is compared with.
type answer struct {
	key
	task judge.Task
	told string // the hash of the right answers, as in [record.Judgement]

	origin record.Origin
	taken  *bool // as in [record.Judgement]
	kept   bool  // the verdict is in the file, although nobody was asked
}

// collect finds the answers that are left to judge, in the order of the
// dataset, and counts those that were judged before.
func (j *Judging) collect(folder record.Folder, h record.Header) ([]*judgedCell, error) {
	sets, err := readAllGolds(folder, h)
	if err != nil {
		return nil, err
	}
	wanted, err := drawRows(h, sets, j.options.Sample, h.Seed)
	if err != nil {
		return nil, err
	}
	lured := false
	var cells []*judgedCell
	for _, info := range h.Cells {
		g := sets[info.Dataset]
		c := &judgedCell{path: folder.Judgements(info.ID), order: newOrder()}
		said, err := readVerdicts(folder, info.ID)
		if err != nil {
			return nil, err
		}
		records, err := lastRecords(folder, info.ID)
		if err != nil {
			return nil, err
		}
		for _, k := range g.order {
			c.order.add(k)
			r, ok := records[k]
			if !ok || r.Status != record.OK || wanted != nil && !wanted[info.ID][k] {
				continue
			}
			task := g.task(k, r.Answer)
			if lure := g.gold[k].Lure; j.options.ShowLure && lure != "" {
				task.Explanation = strings.TrimSpace(task.Explanation + " This tempting answer is wrong: " + lure)
				lured = true
			}
			if !j.judges(g, k, task) {
				continue
			}
			j.note(task)
			told := g.toldHash(k, g.ruling(k))
			a := answer{key: k, task: task, told: told}
			j.decide(&a, g, h.Seed)
			before, _ := said.of(j.header.ID, judgedAnswer{k, answerHash(r.Answer), told})
			switch {
			case before.Value() != nil && before.Origin != record.OfSpan:
				j.result.Judged++
				for _, name := range before.Served {
					j.header.Served = insert(j.header.Served, name)
				}
			case a.origin == record.OfSpan:
				j.result.Taken++
				a.kept = before.Origin == record.OfSpan
				c.taken = append(c.taken, a)
			default:
				c.left = append(c.left, a)
			}
		}
		cells = append(cells, c)
	}
	if j.options.ShowLure && !lured {
		return nil, UnfitJudgeError("no question of the run has a tempting answer to show; LoCoMo's category 5 has them in runs of this version")
	}
	if j.options.Profile != nil && j.result.Judged+j.result.Taken == 0 && !slices.ContainsFunc(cells, func(c *judgedCell) bool { return len(c.left) > 0 }) {
		return nil, UnfitJudgeError(fmt.Sprintf("profile %s has no prompt for any answer of the run; it needs %s", j.judge.Name, j.judge.Needs()))
	}
	return cells, nil
}

// note notes the columns that a task's judgement has beside the score.
func (j *Judging) note(t judge.Task) {
	if j.judge.Refusals() {
		j.header.Columns = []string{metrics.RefusalColumn}
	}
	if t.Abstain {
		j.header.Columns = lists.AddNew(j.header.Columns, metrics.AbstentionColumn)
	}
	if j.judge.Counts(t) {
		j.header.Columns = lists.AddNew(lists.AddNew(j.header.Columns, metrics.NuggetColumn), metrics.ReleasedColumn)
		if t.Ordered {
			j.header.Columns = lists.AddNew(j.header.Columns, metrics.OrderColumn)
		}
	}
}

// A JudgePlan is what a judging would take.
type JudgePlan struct {
	Name    string // of the judge
	Answers int    // that it has something to ask about
	Judged  int    // before
	Taken   int    // that f1@span decides
	Same    int    // left to judge with the same question, gold and answer as another
	JudgeCost
	Saved JudgeCost // what asking about those that f1@span decides would take
}

// A JudgeCost is what asking about answers takes.
type JudgeCost struct {
	Calls  int
	Order  int // calls about the order of lines, at most, beyond Calls
	Input  int // tokens of the prompts, as the model's tokenizer counts them
	Output int // tokens of the replies, at most; [judge.MaxTokens] where a profile sets no bound
	// USD is the price at most, nil where it is unknown. Calls about order are in none.
	USD *float64
}

// String says what the cost is, without calls about order.
func (c JudgeCost) String() string {
	usd := "at a price that is not known"
	if c.USD != nil {
		usd = fmt.Sprintf("$%.4f", *c.USD)
	}
	return fmt.Sprintf("%d calls, %d tokens, %s", c.Calls, c.Input+c.Output, usd)
}

// Plan returns what [Judging.Run] would take, and calls nothing.
func (j *Judging) Plan(folder record.Folder, h record.Header) (JudgePlan, error) {
	cells, err := j.collect(folder, h)
	if err != nil {
		return JudgePlan{}, err
	}
	p := JudgePlan{Name: cmp.Or(j.header.Name, j.judge.Name), Judged: j.result.Judged, Taken: j.result.Taken}
	seen := make(map[string]bool)
	var left, taken []answer
	for _, c := range cells {
		left, taken = append(left, c.left...), append(taken, c.taken...)
	}
	p.Answers = p.Judged + p.Taken + len(left)
	for _, a := range left {
		id := hashOf(map[string]any{"task": a.task}, 16)
		if seen[id] {
			p.Same++
		}
		seen[id] = true
	}
	if p.JudgeCost, err = j.cost(left); err != nil {
		return p, err
	}
	p.Saved, err = j.cost(taken)
	return p, err
}

// cost returns what asking about answers takes.
func (j *Judging) cost(answers []answer) (c JudgeCost, err error) {
	for _, a := range answers {
		requests, atMost, err := j.judge.Requests(a.task)
		if err != nil {
			return c, err
		}
		c.Calls, c.Order = c.Calls+len(requests), c.Order+atMost
		for _, r := range requests {
			c.Output += cmp.Or(r.Params.MaxTokens, judge.MaxTokens)
			for _, m := range r.Messages {
				c.Input += j.model.doors.Tokens.Count(m.Content)
			}
		}
	}
	return j.priced(c, llm.Usage{}), nil
}

// priced sets the price of a cost, with replies of the length of those that came.
func (j *Judging) priced(c JudgeCost, came llm.Usage) JudgeCost {
	if came.Calls > 0 {
		c.Output = c.Calls * came.Output / came.Calls
	}
	if c.Calls == 0 {
		c.USD = new(0.0)
	} else if usd, known := meter.Price(j.model.doors.Price).Of(judge.Role, llm.Usage{Calls: c.Calls, Input: c.Input, Output: c.Output}); known {
		c.USD = &usd
	}
	return c
}

// judges reports whether the judge has something to ask about an answer. Requests about
// trees are judged where they ask for facts.
func (j *Judging) judges(g golds, k key, task judge.Task) bool {
	if item := g.item(k); j.options.Profile == nil || item.Expect != nil || item.First != nil {
		item.Gold, item.Abstain = task.Gold, task.Abstain
		return item.Judgeable()
	}
	return j.judge.Judges(task)
}

// task is what a judge is asked about an answer.
func (g golds) task(k key, text string) judge.Task {
	gold := g.gold[k]
	t := judge.Task{
		Question: gold.Question, Category: gold.Category, Gold: gold.Answer, Abstain: gold.Abstain,
		Explanation: gold.Explanation, Rubric: gold.Rubric, Ordered: gold.Ordered, Answer: text,
	}
	if told := told(gold, g.ruling(k)); told != "" {
		t.Gold, t.Abstain, t.Explanation = told, false, ""
	}
	if gold.Expect != nil {
		t.Must, t.Not = gold.Expect.Answer.Must, gold.Expect.Answer.Not
	}
	return t
}

// arrange sorts the judgements into the order of the dataset.
func (c *judgedCell) arrange() error { return c.order.joinJudgements(c.path, c.path) }

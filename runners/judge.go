package runners

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"recallbench/internal/backend/budget"
	"recallbench/internal/calc/calibrate"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/metrics"
)

// A Judging has a language model judge the answers of a run.
type Judging struct {
	plan     *Plan
	judge    *judge.Judge
	options  JudgeOptions
	model    *model // nil for a rule
	header   record.Judge
	payments *payments
	ledger   *ledger

	halting // its mutex guards result and header.Served too
	result  JudgeResult
}

// A JudgeResult is the result of a judging.
type JudgeResult struct {
	Judge  record.Judge
	Judged int        // answers with a judgement, earlier ones included
	Failed int        // answers about which no reply could be used
	Taken  int        // answers that f1@span decided, and nobody was asked about
	Paid   meter.Paid // by the judge in this run, earlier judgings included
}

// JudgeOptions configure the judge of a [Judging].
type JudgeOptions struct {
	// Profile is the profile of a judge with its own column; nil for the judge of the
	// column judge.
	Profile *judge.Profile
	// Label names the judge's columns; if empty, they are named PROFILE@MODEL.
	Label string
	judge.Words
	// Sample limits the answers to judge to a number of those in the rows whose labels match
	// a pattern of path.Match, such as ap-*; nil judges all.
	Sample map[string]int
	// Audit is the share of the answers decided as right by f1@span that are judged anyway;
	// nil judges all answers, not only unclear ones.
	Audit *float64
}

// An UnfitJudgeError says why a judge or a sample does not fit a run. Nothing was asked.
type UnfitJudgeError string

func (e UnfitJudgeError) Error() string { return string(e) }

// NewJudging opens the first entry of a config's models as a judge. It refuses the
// stand-in, which is not a language model. A profile that asks no model opens none.
func NewJudging(ctx context.Context, c *config.Config, plugins config.Plugins, env Env, o JudgeOptions) (*Judging, error) {
	j := &Judging{plan: newPlan(c, env), options: o}
	j.result.Paid.USD = new(0.0)
	if err := j.open(ctx, plugins); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

func (j *Judging) open(ctx context.Context, plugins config.Plugins) (err error) {
	profile := j.options.Profile
	if profile == nil {
		profile = judge.Default
	}
	if profile.Rule {
		j.header = record.Judge{
			ID: hashOf(map[string]any{"schema": record.SchemaVersion, "rule": profile.Name}, 12), Name: cmp.Or(j.options.Label, profile.Name), Profile: profile.Name,
			Model: record.Model{Label: "rule", Backend: "rule", Reader: "rule"},
		}
		j.judge, err = judge.New(profile, nil, j.options.Words)
		return err
	}
	models, err := j.plan.openModels(ctx, plugins)
	if err != nil {
		return err
	}
	m := models[0]
	j.model = &m
	if m.doors.Offline {
		return fmt.Errorf("model %s: the stand-in cannot judge; give a live model, such as configs/models/openai.yaml", m.entry.Label)
	}
	if j.judge, err = judge.New(profile, meter.Generator(m.doors.LLM, m.doors.Tokens, m.doors.Price), j.options.Words); err != nil {
		return fmt.Errorf("model %s: %w", m.entry.Label, err)
	}
	j.header = record.Judge{ID: judgeID(j.judge, m, j.plan.config.Seed), Prompts: j.judge.Hash(), Model: j.plan.header.Models[0]}
	j.header.Reader, j.header.Roles = m.doors.ModelOf(judge.Role), nil
	if j.options.Profile != nil {
		j.header.Profile = profile.Name
		j.header.Name = cmp.Or(j.options.Label, profile.Name+"@"+j.header.Reader)
	}
	if j.judge.Theirs() {
		j.header.Clone = profile.Authors.Repository + " " + profile.Authors.Commit
	}
	return nil
}

// judgeID is a hash of everything that judgements depend on beside the answer.
func judgeID(j *judge.Judge, m model, seed uint64) string {
	of := map[string]any{
		"schema":  record.SchemaVersion,
		"prompts": j.Hash(),
		"model":   map[string]any{"use": m.entry.Use, "options": m.identity()},
		"seed":    seed,
	}
	if j.Profile != judge.Default {
		of["profile"], of["votes"] = j.Name, j.Votes
	}
	if j.Theirs() {
		of["protocol"] = j.Protocol()
	}
	return hashOf(of, 12)
}

// Name is that of the judge's columns; empty for the column judge.
func (j *Judging) Name() string { return j.header.Name }

// Close releases the model.
func (j *Judging) Close() error { return j.plan.Close() }

// Run judges every answer of a run that has a gold answer or expected facts, and no verdict
// by this judge with the same prompt yet. It appends a line for each, and retries answers
// that could not be judged before. The caller must hold the lock of the folder.
//
// It ends as [Run.Execute] does: with the error of ctx, with a fault that every further call
// would meet, or if verdicts cannot be written. Verdicts so far are on disk, and those
// answers are not judged again.
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
	if err := folder.Unseal(&h, lists.Map(cells, func(c judgedCell) string { return c.path })...); err != nil {
		return j.result, err
	}
	total := j.result.Judged
	for _, c := range cells {
		total += len(c.left)
	}
	if j.options.Audit != nil {
		j.plan.env.Log.Info(fmt.Sprintf("%d of %d answers go to the judge; f1@span decides the others", total, total+j.result.Taken))
	}
	j.ledger = newLedger(j.plan.env.Limits.Counts)
	end := progress.begin(Work{Requests: total, Done: j.result.Judged}, j.ledger.state)
	err = j.ask(meter.Count(ctx, j.ledger.tally), folder, cells)
	end()
	for _, c := range cells {
		if err == nil {
			err = c.order.joinJudgements(c.path)
		}
	}
	j.result.Judge = j.header
	return j.result, err
}

// ask asks about what is left of all cells.
func (j *Judging) ask(ctx context.Context, folder record.Folder, cells []judgedCell) (err error) {
	requests := firstError(ctx, j.plan.config.Concurrency.Requests)
	var logs []*record.Log
	defer func() {
		for _, log := range logs {
			err = errors.Join(err, log.Close())
		}
	}()
	for _, c := range cells {
		if len(c.left)+len(c.decided) == 0 {
			continue
		}
		log, err := openLines(folder, c.path, j.plan.env.Log)
		if err == nil {
			logs = append(logs, log)
			err = log.Append(c.decided...)
		}
		if err != nil {
			requests.Go(func(context.Context) error { return err })
			break
		}
		for _, a := range c.left {
			requests.Go(func(ctx context.Context) error {
				if ctx.Err() != nil || j.stop() != nil {
					return nil //nolint:nilerr // the run is ending for another reason
				}
				return j.askAbout(ctx, a, log)
			})
		}
	}
	return cmp.Or(requests.Wait(), context.Cause(ctx), j.stop())
}

// askAbout has one answer judged and appends the verdict. A call that ctx
// ended leaves none.
func (j *Judging) askAbout(ctx context.Context, a unjudged, log *record.Log) error {
	var said judge.Verdict
	s := j.plan.step(ctx, func(metered context.Context) (err error) {
		said, err = j.judge.Ask(metered, a.task)
		return err
	})
	seen := s.meter.Seen()
	if fault := j.settle(seen); fault != nil { //nolint:contextcheck // what was paid is settled, although the run may be ending
		return fault
	}
	if s.err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if fault.KindOf(s.err).Stops() {
		j.halt(s.err)
		return nil
	}
	line := a.line
	line.Usage, line.Cost, line.Calls, line.Time = seen.Usage, seen.Cost, seen.IDs(), j.plan.timing(s.start, seen)
	line.Time.Calls = callTimes(s.start, seen)
	for _, served := range seen.Served {
		line.Served = insert(line.Served, served.Model)
	}
	if line.Error = s.failure; s.err == nil {
		line.Why, line.Votes, line.Order = said.Why, said.Votes, said.Order
		line.SetScore(said.Score)
	}
	if err := log.Append(line); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if s.err != nil {
		j.result.Failed++
	} else {
		j.result.Judged++
	}
	j.ledger.request(s.status)
	return nil
}

// settle notes which models have replied, and what recordings saved.
func (j *Judging) settle(seen meter.Seen) error {
	j.mu.Lock()
	for _, s := range seen.Served {
		j.header.Served = insert(j.header.Served, s.Model)
	}
	j.mu.Unlock()
	if seen.Paid.Reused == 0 {
		return nil
	}
	return j.plan.env.Budget.Settle(context.Background(), 0, budget.Settlement{Paid: new(seen.Paid)})
}

// A judgedCell is a cell with the answers that have no verdict yet.
type judgedCell struct {
	path    string // of the judgements
	order   order  // as asked
	left    []unjudged
	decided []any // judgements by f1@span, so that nobody is asked
}

// An unjudged answer is the line of its judgement before the verdict, and what the judge
// is asked.
type unjudged struct {
	line record.Judgement
	task metrics.Item
}

// collect finds the answers that are left to judge, in the order of the
// dataset, and counts those that were judged before.
func (j *Judging) collect(folder record.Folder, h record.Header) (cells []judgedCell, err error) {
	sets, err := readAllGolds(folder, h)
	if err != nil {
		return nil, err
	}
	wanted, err := drawRows(h, sets, j.options.Sample)
	if err != nil {
		return nil, err
	}
	fits := false
	for _, info := range h.Cells {
		g := sets[info.Dataset]
		c := judgedCell{path: folder.Judgements(info.ID), order: newOrder(g.order...)}
		records, said, err := g.answers(folder, info.ID)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			k := key{r.Sample, r.Request}
			task := g.task(k, r.Answer)
			if r.Status != record.OK || wanted != nil && !wanted[info.ID][k] || !j.judges(task) {
				continue
			}
			fits = true
			j.note(task)
			of := g.judged(r, g.ruling(k))
			line := record.Judgement{
				Sample: r.Sample, Request: r.Request, Judge: j.header.ID, Reader: j.header.Reader, Prompts: j.header.Prompts,
				Answer: of.sha256, Gold: of.gold,
			}
			line.Origin, line.Taken = j.origin(g, k, task, h.Seed)
			before := said[verdict{j.header.ID, of}]
			switch {
			case before.Value() != nil && before.Origin != record.OfSpan:
				j.result.Judged++
				for _, name := range before.Served {
					j.header.Served = insert(j.header.Served, name)
				}
				continue
			case line.Origin != record.OfSpan:
				c.left = append(c.left, unjudged{line, task})
				continue
			}
			if j.result.Taken++; before.Origin != record.OfSpan {
				line.Correct, line.Cost, line.Time.Start = line.Taken, new(0.0), j.plan.env.Now()
				line.Why = "not asked: f1@span takes the answer as " + map[bool]string{true: "right", false: "wrong"}[*line.Taken]
				c.decided = append(c.decided, line)
			}
		}
		cells = append(cells, c)
	}
	if j.options.Profile != nil && !fits {
		return nil, UnfitJudgeError(fmt.Sprintf("profile %s has a prompt for none of the run's answers; it needs %s", j.judge.Name, j.judge.Needs()))
	}
	return cells, nil
}

// judges reports whether the judge has something to ask about an answer. Requests about
// trees are judged where they ask for facts.
func (j *Judging) judges(task metrics.Item) bool {
	if j.options.Profile == nil || task.Expect != nil || task.First != nil {
		return task.Judgeable()
	}
	return j.judge.Judges(task)
}

// note notes the columns that a task's judgement has beside the score.
func (j *Judging) note(t metrics.Item) {
	if j.judge.Refusals {
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

// origin says where the verdict on an answer comes from, and where f1@span decides it, what
// it takes the answer as.
func (j *Judging) origin(g golds, k key, task metrics.Item, seed uint64) (record.Origin, *bool) {
	item := g.item(k)
	if j.options.Audit == nil || j.judge.Rule || j.judge.Refusals || j.judge.Counts(task) || item.Expect != nil || item.First != nil {
		return "", nil
	}
	item.Prediction = task.Prediction
	span := best(metrics.SpanSpec, ruled(item, g.ruling(k), true))[0]
	verdict := metrics.Grounds{Span: &span.X}.Verdict()
	if !span.Defined || verdict == metrics.Unclear {
		return record.OfJudge, nil
	}
	taken := verdict == metrics.Right
	// The lot depends on nothing else, so that shards, rows and repeated judgings draw alike.
	sum := sha256.Sum256(fmt.Appendf(nil, "audit\x00%d\x00%s\x00%s", seed, k.Sample, k.Request))
	if lot := float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53); lot < calibrate.AuditShare(taken, *j.options.Audit) {
		return record.OfAudit, &taken
	}
	return record.OfSpan, &taken
}

// task is what a judge is asked about an answer.
func (g golds) task(k key, text string) metrics.Item {
	t := g.item(k)
	t.Prediction = text
	if told := told(g.gold[k], g.ruling(k)); told != "" {
		t.Gold, t.Abstain, t.Explanation = told, false, ""
	}
	return t
}

// drawRows draws the answers that samples ask for, by cell: spread evenly over the rows
// of a pattern, and in each over the conversations. All rows have the same requests
// first, as a hash of seed and request orders them. It returns nil for no samples. A row
// that no pattern fits is left out; a pattern that fits none is an error.
func drawRows(h record.Header, sets map[string]golds, samples map[string]int) (wanted map[string]map[key]bool, err error) {
	// Specific patterns precede general ones, such as ap-* before *.
	for _, pattern := range slices.Backward(slices.Sorted(maps.Keys(samples))) {
		cells := lists.Filter(h.Cells, func(c record.Cell) bool {
			fits, err := path.Match(pattern, c.Method)
			return err == nil && fits && wanted[c.ID] == nil
		})
		answers := samples[pattern]
		if answers < 1 {
			return nil, UnfitJudgeError(fmt.Sprintf("the sample of %s is %d answers, want at least 1", pattern, answers))
		}
		if len(cells) == 0 {
			return nil, UnfitJudgeError(fmt.Sprintf("no further row matches %s; the run has %s", pattern,
				strings.Join(lists.Distinct(h.Cells, func(c record.Cell) string { return c.Method }), ", ")))
		}
		if wanted == nil {
			wanted = make(map[string]map[key]bool)
		}
		for i, c := range cells {
			wanted[c.ID] = make(map[key]bool)
			n := (answers + len(cells) - 1 - i) / len(cells)
			all := sets[c.Dataset].spread(h.Seed)
			for _, k := range all[:min(n, len(all))] {
				wanted[c.ID][k] = true
			}
		}
	}
	return wanted, nil
}

// spread returns the requests in an order that goes round the conversations, with each
// one's in the order of a hash.
func (g golds) spread(seed uint64) []key {
	hashed := slices.Clone(g.order)
	slices.SortFunc(hashed, func(a, b key) int {
		hash := func(k key) string { return note.Sum(fmt.Sprintf("%d\x00%s\x00%s", seed, k.Sample, k.Request)) }
		return strings.Compare(hash(a), hash(b))
	})
	seen := make(map[string]int) // requests of a conversation so far
	rounds := make(map[key]int)
	for _, k := range hashed {
		rounds[k] = seen[k.Sample]
		seen[k.Sample]++
	}
	slices.SortStableFunc(hashed, func(a, b key) int { return cmp.Compare(rounds[a], rounds[b]) })
	return hashed
}

// A JudgePlan is what a judging would cost.
type JudgePlan struct {
	Name    string // of the judge
	Answers int    // that it has something to ask about
	Judged  int    // before
	Taken   int    // that f1@span decides
	Calls   int
	Order   int // calls about the order of lines, at most, beyond Calls
	Input   int // tokens of the prompts, as the model's tokenizer counts them
	Output  int // tokens of the replies, at most; [judge.MaxTokens] where a profile sets no bound
	// USD is the maximum price, nil if unknown. No figure includes calls about order.
	USD *float64
}

// Plan returns what [Judging.Run] would cost, without calling a model.
func (j *Judging) Plan(folder record.Folder, h record.Header) (JudgePlan, error) {
	cells, err := j.collect(folder, h)
	if err != nil {
		return JudgePlan{}, err
	}
	p := JudgePlan{Name: cmp.Or(j.header.Name, j.judge.Name), Judged: j.result.Judged, Taken: j.result.Taken}
	p.Answers = p.Judged + p.Taken
	for _, c := range cells {
		p.Answers += len(c.left)
		for _, a := range c.left {
			requests, order, err := j.judge.Requests(a.task)
			if err != nil {
				return p, err
			}
			p.Calls, p.Order = p.Calls+len(requests), p.Order+order
			for _, r := range requests {
				p.Output += cmp.Or(r.Params.MaxTokens, judge.MaxTokens)
				for _, m := range r.Messages {
					p.Input += j.model.doors.Tokens.Count(m.Content)
				}
			}
		}
	}
	if p.Calls == 0 {
		p.USD = new(0.0)
	} else if usd, known := meter.Price(j.model.doors.Price).Of(judge.Role, llm.Usage{Calls: p.Calls, Input: p.Input, Output: p.Output}); known {
		p.USD = &usd
	}
	return p, nil
}

// JudgedMetrics adds the metrics of verdicts to others.
func JudgedMetrics(h record.Header, of []string) []string {
	names := slices.Clone(of)
	if h.Judge != nil {
		names = lists.AddNew(names, metrics.JudgeSpec.Name)
		if slices.Contains(names, metrics.PassSpec.Name) {
			names = lists.AddNew(names, metrics.PassJudgeSpec.Name)
		}
	}
	for _, j := range h.Judges {
		columns := j.Columns
		if !slices.Contains(columns, metrics.RefusalColumn) {
			columns = append([]string{metrics.JudgeColumn}, columns...)
		}
		for _, kind := range columns {
			names = lists.AddNew(names, kind+":"+j.Name)
		}
	}
	return names
}

package runners

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/sourcegraph/conc/pool"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/record"
)

// JudgePrompt is the path of a user's own prompt in the folder that
// [NewJudging] is given.
const JudgePrompt = judge.Prompt

// A Judging asks a language model about the answers of finished requests.
type Judging struct {
	plan   *Plan
	judge  *judge.Judge
	header record.Judge
	ledger *ledger
	part   *ledgerPart // of the ledger; all answers

	halting // its mutex guards result and header.Served too
	result  JudgeResult
}

// A JudgeResult says how a judging ended.
type JudgeResult struct {
	Judge  record.Judge
	Judged int        // answers with a judgement, earlier ones included
	Failed int        // answers about which no reply could be used
	Paid   meter.Paid // now
}

// NewJudging opens the first entry of a config's models as a judge. Own is a
// folder with the user's own prompt, nil for none. The offline backend is
// refused: there is no language model behind it.
func NewJudging(ctx context.Context, c *config.Config, plugins config.Plugins, env Env, own fs.FS) (*Judging, error) {
	p := newPlan(c, env)
	models, err := p.openModels(ctx, plugins)
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	m := models[0]
	if m.doors.Offline {
		return nil, errors.Join(fmt.Errorf("model %s: rules answer for it and no language model, and what rules can tell of an answer the metrics do; give a live model, such as configs/models/openai.yaml", m.entry.Label), p.Close())
	}
	asked, err := judge.New(meter.Generator(m.doors.LLM, m.doors.Tokens, m.doors.Price), own)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("model %s: %w", m.entry.Label, err), p.Close())
	}
	j := &Judging{plan: p, judge: asked}
	j.header = record.Judge{ID: judgeID(asked, m, c.Seed), Prompts: asked.Hash(), Model: p.header.Models[0]}
	j.header.Reader, j.header.Roles = m.doors.ModelOf(judge.Role), nil
	j.result.Paid.USD = new(0.0)
	return j, nil
}

// judgeID is a hash of everything that judgements depend on beside the answer.
func judgeID(j *judge.Judge, m model, seed uint64) string {
	return hashOf(map[string]any{
		"schema":  record.SchemaVersion,
		"prompts": j.Hash(),
		"model":   map[string]any{"use": m.entry.Use, "options": m.identity()},
		"seed":    seed,
	}, 12)
}

// Close lets go of the model.
func (j *Judging) Close() error { return j.plan.Close() }

// Run asks about every answer of a run that has something to be held against,
// and that this judge has not judged yet from the same prompt, and appends a
// line for each. What could not be judged before is asked again. The caller has
// the folder to itself.
//
// It ends as [Run.Execute] does: with the error of ctx, with a fault that every
// further call would meet, or when judgements cannot be written. What was
// judged by then is on the disk and is not asked again.
func (j *Judging) Run(ctx context.Context, folder record.Folder, h record.Header, progress Progress) (JudgeResult, error) {
	cells, err := j.collect(folder, h)
	if err != nil {
		return j.result, err
	}
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
	return j.result, err
}

func (j *Judging) ask(ctx context.Context, folder record.Folder, cells []*judgedCell, progress Progress) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	requests := pool.New().WithMaxGoroutines(j.plan.config.Concurrency.Requests)
	for _, c := range cells {
		if len(c.left) == 0 {
			continue
		}
		if err := j.open(folder, c); err != nil {
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
	j.settle(m)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if fault.KindOf(err).Stops() {
		j.halt(err)
		return nil
	}
	line := record.Judgement{
		Sample: a.sample, Request: a.request, Judge: j.header.ID, Reader: j.header.Reader, Prompts: j.header.Prompts,
		Answer: answerHash(a.task.Answer), Usage: m.Usage(), Cost: m.Cost(), Calls: m.Calls(), Time: j.plan.timing(start, m),
	}
	line.Time.Calls = callTimes(start, m)
	for _, s := range m.Served() {
		line.Served = insert(line.Served, s.Model)
	}
	status := record.OK
	if err != nil {
		status, line.Error = failed(metered, err)
	} else {
		line.Correct, line.Why = &said.Correct, said.Why
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
	j.mu.Unlock()
	j.ledger.request(j.part, m, status)
	progress.Request(status, m.Usage()[judge.Role].Total())
	return nil
}

// settle notes which models have replied and what was paid.
func (j *Judging) settle(m *meter.Meter) {
	served, paid := m.Served(), m.Paid()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.result.Paid = j.result.Paid.Add(paid)
	for _, s := range served {
		j.header.Served = insert(j.header.Served, s.Model)
	}
}

// syncDelay is as for records: what was paid for is synced at once.
func (j *Judging) syncDelay() time.Duration {
	if j.plan.env.Calls.Mode() == calls.Replay {
		return time.Second
	}
	return 0
}

// A judgedCell is a cell with the answers that are left to judge.
type judgedCell struct {
	path  string // of the judgements
	log   *record.Log
	left  []answer
	order order // as asked
}

func (c *judgedCell) close() error {
	if c.log == nil {
		return nil
	}
	return c.log.Close()
}

// An answer is what a record holds, with what it is held against.
type answer struct {
	key
	task llm.JudgeTask
}

// collect finds the answers that are left to judge, in the order of the
// dataset, and counts those that were judged before.
func (j *Judging) collect(folder record.Folder, h record.Header) ([]*judgedCell, error) {
	sets := make(map[string]golds)
	for _, d := range h.Datasets {
		var err error
		if sets[d.Label], err = readGolds(folder, d); err != nil {
			return nil, err
		}
	}
	var cells []*judgedCell
	for _, info := range h.Cells {
		g := sets[info.Dataset]
		c := &judgedCell{path: folder.Judgements(info.ID), order: newOrder()}
		done, err := readJudgements(c.path, j.header.ID)
		if err != nil {
			return nil, err
		}
		answers, err := readAnswers(folder.Records(info.ID))
		if err != nil {
			return nil, err
		}
		for _, k := range g.order {
			c.order.add(k)
			text, ok := answers[k]
			if !ok || !g.item(k).Judgeable() {
				continue
			}
			if before := done[judgedAnswer{k, answerHash(text)}]; before.correct != nil {
				j.result.Judged++
				for _, name := range before.served {
					j.header.Served = insert(j.header.Served, name)
				}
				continue
			}
			c.left = append(c.left, answer{k, g.task(k, text)})
		}
		cells = append(cells, c)
	}
	return cells, nil
}

// readAnswers returns the answers of the requests that did not fail.
func readAnswers(path string) (map[key]string, error) {
	answers := make(map[key]string)
	for line, err := range record.Lines[record.Record](path) {
		if err != nil {
			return nil, err
		}
		r := line.Value
		k := key{r.Sample, r.Request}
		delete(answers, k) // of a request that was asked again the last counts
		if r.Status == record.OK {
			answers[k] = r.Answer
		}
	}
	return answers, nil
}

// task is what a judge is asked about an answer.
func (g golds) task(k key, text string) llm.JudgeTask {
	gold := g.gold[k]
	t := llm.JudgeTask{Question: gold.Question, Gold: gold.Answer, Answer: text}
	if gold.Expect != nil {
		t.Must, t.Not = gold.Expect.Answer.Must, gold.Expect.Answer.Not
	}
	return t
}

// arrange sorts the judgements into the order of the dataset.
func (c *judgedCell) arrange() error { return c.order.joinJudgements(c.path, c.path) }

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/price"
	"recallbench/internal/calc/infer"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/files/datadir"
	"recallbench/internal/publish/htmlreport"
	"recallbench/internal/publish/live"
	"recallbench/internal/publish/report"
	"recallbench/internal/publish/server"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/result/transcript"
	"recallbench/metrics"
	metricsuite "recallbench/metrics/suite"
	"recallbench/runners"
	"recallbench/runners/chat"
)

// A viewBook holds what pages show of runs, with their recordings.
type viewBook struct {
	*htmlreport.Book
	recorded *recordings
}

// openBook returns what pages show of the runs in some folders.
func (r *recordings) openBook(dirs []string) (server.Book, error) {
	page, err := (&webFlags{unscored: true}).page(dirs)
	if err != nil {
		return nil, err
	}
	book, err := page.Open()
	return viewBook{book, r}, err
}

// Calls returns the transcript of a request.
func (b viewBook) Calls(n int) (any, error) {
	t, _, err := b.read(n)
	return t, err
}

// Prompts compares the prompts of two requests.
func (b viewBook) Prompts(n, other int) (any, error) {
	left, blocksLeft, err := b.read(n)
	if err != nil {
		return nil, err
	}
	right, blocksRight, err := b.read(other)
	if err != nil {
		return nil, err
	}
	return transcript.Pairs(left, right, blocksLeft, blocksRight), nil
}

// read returns the transcript of a request and the blocks that it refers to.
func (b viewBook) read(n int) (*transcript.Transcript, []string, error) {
	q, err := b.Scored(n)
	if err != nil {
		return nil, nil, err
	}
	run := b.Run(n)
	subject, err := transcript.Whole(run.Folder, q)
	if err != nil {
		return nil, nil, err
	}
	source, err := b.recorded.source(run.Folder)
	if err != nil {
		return nil, nil, err
	}
	t, err := source.Read(subject)
	return t, subject.Blocks, err
}

// recordings holds the stores that transcripts of runs are read from.
type recordings struct {
	app   *app
	named string // by --store
	mu    sync.Mutex
	open  map[record.Folder]*transcript.Source
	close []func()
}

// asked returns the prompts and replies of a request, without the calls of its memory and
// its judge.
func (r *recordings) asked(run *scored.Run, q scored.Request) (*transcript.Transcript, error) {
	source, err := r.source(run.Folder)
	if err != nil {
		return nil, err
	}
	return source.Read(transcript.Of(q))
}

// source returns where the calls of a run are looked up. Without recordings, all calls
// are missing.
func (r *recordings) source(run record.Folder) (*transcript.Source, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.open[run]; s != nil {
		return s, nil
	}
	s, closing, err := r.app.transcripts(r.named, run)
	if err != nil {
		return nil, err
	}
	if s == nil {
		s = &transcript.Source{Prices: price.Builtin()}
	}
	if r.open == nil {
		r.open = make(map[record.Folder]*transcript.Source)
	}
	r.open[run], r.close = s, append(r.close, closing)
	return s, nil
}

// end closes the stores.
func (r *recordings) end() {
	for _, f := range r.close {
		f()
	}
}

// contrast compares sides with a base as bench compare does, and prints it as JSON.
func contrast(base server.Side, others []server.Side, columns []string, by string) ([]byte, error) {
	o := report.ContrastOptions{Options: reportOptions()}
	o.By = by
	o.Columns, o.Unit, o.Correct = columns, report.BySample, infer.MaxT
	if err := oneOf("by", by, []string{report.Category}); err != nil {
		return nil, err
	}
	var sides []report.Side
	for _, s := range append([]server.Side{base}, others...) {
		one, err := side(strings.TrimSuffix(s.Dir+":"+s.Row, ":"))
		if err == nil {
			err = checkRow(one)
		}
		if err != nil {
			return nil, err
		}
		if s.Dir == base.Dir && len(sides) > 0 && one.Method == sides[0].Method && one.Model == sides[0].Model {
			return nil, fmt.Errorf("%s is on both sides; the seeds of a row count as one, by their mean", cmp.Or(s.Row, "the run"))
		}
		sides = append(sides, one)
	}
	rows, notes, err := report.Contrasts(sides[0], sides[1:], o)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = report.ContrastTable(rows, notes, o, true).Write(&b, "json")
	return b.Bytes(), err
}

// liveConfig returns how runs in progress are followed: scored as bench score does.
func liveConfig() live.Config {
	return live.Config{
		Metric: metricsuite.Find, Alone: runners.ScoredAlone, Now: time.Now,
		Scorer: func(folder record.Folder, h record.Header, c record.Cell, specs []*metrics.Spec) (live.Scorer, error) {
			return runners.NewRecordScorer(folder, h, c, specs)
		},
	}
}

var notInReviewers = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// notes writes notes under the name of the user.
func (a *app) notes(readOnly bool) *note.Book {
	reviewer := strings.Trim(notInReviewers.ReplaceAllString(a.env("USER"), "-"), "-")
	return &note.Book{Reviewer: cmp.Or(reviewer, "reviewer"), ReadOnly: readOnly, Now: time.Now}
}

// chats holds the chats below results/chats.
func (a *app) chats(flags viewFlags) (*chat.Engine, error) {
	models := make(map[string]any)
	for _, path := range flags.models {
		list, err := modelList(path)
		if err != nil {
			return nil, err
		}
		if _, err := modelConfig(list, 1); err != nil {
			return nil, err
		}
		if path, err = filepath.Abs(path); err != nil {
			return nil, err
		}
		models[strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))] = path
	}
	data, err := datadir.Find("", a.env)
	if err != nil {
		return nil, err
	}
	store := callsDir(flags.store, a.env)
	house := chat.House{
		Plugins: suite.Plugins(), Models: models, Trees: flags.trees,
		Env:      runners.Env{DataDir: data, Now: time.Now, Log: a.log(), Binary: binary(), Argv: a.argv, Getenv: a.env},
		Recorder: func(mode calls.Mode) (*calls.Recorder, func(), error) { return a.recorder(mode, store) },
	}
	return &chat.Engine{
		Dir: filepath.Join("results", "chats"), Open: house.Open, Choices: house.Choices, Budget: budget.New(0, flags.budget), Now: time.Now, Log: a.log(),
		Store: func() (*calls.Store, error) { return calls.OpenToRead(store, a.log()) },
	}, nil
}

// transcripts returns where the calls of a run are looked up: the folder named, else
// that of its config or of the environment; nil if there is none.
func (a *app) transcripts(store string, run record.Folder) (*transcript.Source, func(), error) {
	named := store != ""
	if !named {
		if c, err := config.Load(run.Config(), suite.Plugins()); err == nil && c.Calls.Store != "" {
			store = c.Path(c.Calls.Store)
		}
	}
	dir := callsDir(store, a.env)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		if named {
			return nil, nil, usageError(fmt.Errorf("there are no recordings: %s is not a folder; --store names another", dir))
		}
		return nil, func() {}, nil
	}
	s, err := calls.OpenToRead(dir, a.log())
	if err != nil {
		return nil, nil, err
	}
	return &transcript.Source{Store: s, Prices: price.Builtin()}, func() { _ = s.Close() }, nil
}

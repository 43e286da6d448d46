package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/backend/price"
	"recallbench/internal/calc/infer"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/files/datadir"
	"recallbench/internal/publish/htmlreport"
	"recallbench/internal/publish/report"
	"recallbench/internal/publish/server"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/result/transcript"
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

// source returns where the calls of a run are looked up: in the folder named, else in that
// of its config or of the environment. Without recordings, all calls are missing.
func (r *recordings) source(run record.Folder) (*transcript.Source, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.open[run]; s != nil {
		return s, nil
	}
	dir := r.named
	if c, err := config.Load(run.Config(), suite.Plugins()); dir == "" && err == nil && c.Calls.Store != "" {
		dir = c.Path(c.Calls.Store)
	}
	dir = callsDir(dir, r.app.env)
	s := &transcript.Source{Prices: price.Builtin()}
	switch what := record.Describe(dir); {
	case what == "a folder":
		store, err := calls.OpenToRead(dir, r.app.log())
		if err != nil {
			return nil, err
		}
		s.Store = store
	case r.named != "":
		return nil, usageError(fmt.Errorf("there are no recordings: %s is not a folder; --store names another", dir))
	}
	if r.open == nil {
		r.open = make(map[record.Folder]*transcript.Source)
	}
	r.open[run] = s
	return s, nil
}

// end closes the stores.
func (r *recordings) end() {
	for _, s := range r.open {
		if s.Store != nil {
			_ = s.Store.Close() // it was only read
		}
	}
}

// contrast compares sides with a base as bench compare does, and prints it as JSON.
func contrast(base server.Side, others []server.Side, columns []string, by string) ([]byte, error) {
	if err := oneOf("by", by, []string{report.Category}); err != nil {
		return nil, err
	}
	o := report.ContrastOptions{Options: reportOptions()}
	o.By, o.Columns, o.Unit, o.Correct = by, columns, report.BySample, infer.MaxT
	all, err := sides(lists.Map(append([]server.Side{base}, others...), func(s server.Side) string { return strings.TrimSuffix(s.Dir+":"+s.Row, ":") }))
	for _, s := range all {
		row := func(c record.Cell) string { return c.Method + "@" + c.Model }
		if rows := lists.Distinct(s.Header.Cells, row); len(rows) > 1 && s.Method != "" {
			err = errors.Join(err, fmt.Errorf("%s has several models: want one of %s", s.Method, strings.Join(rows, ", ")))
		}
	}
	if err != nil {
		return nil, err
	}
	rows, notes, err := report.Contrasts(all[0], all[1:], o)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = report.ContrastTable(rows, notes, o, true).Write(&b, "json")
	return b.Bytes(), err
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

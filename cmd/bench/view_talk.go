package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/calls"
	"recallbench/internal/config/suite"
	"recallbench/internal/files/datadir"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
	"recallbench/runners"
	"recallbench/runners/chat"
)

// talkFlags are the flags of what bench view takes from people. Store is where chats
// record, and data where datasets are; both empty for the defaults.
type talkFlags struct {
	store, data, trees string
	models             []string
	budget             float64
	readOnly           bool
}

func (f *talkFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.trees, "trees", "", "`folder` of suites of one's own that chats may open")
	flags.StringArrayVar(&f.models, "model", nil, "`file` with an entry of a models list that chats may ask; may be repeated")
	flags.Float64Var(&f.budget, "chat-budget", 0, "`dollars` that chats may spend; 0 refuses models that cost something")
	flags.BoolVar(&f.readOnly, "read-only", false, "take no notes and hold no chats")
}

var notInReviewers = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// mounts returns what answers below /api/ for notes and chats. Find
// returns the folder of a run by its key.
func (f *talkFlags) mounts(a *app, find func(key string) (dir string, ok bool)) (mounts map[string]http.Handler, closeAll func(), err error) {
	models := make(map[string]map[string]any)
	for _, path := range f.models {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, fmt.Errorf("--model: %w", err)
		}
		doc, err := strictyaml.Parse(path, data)
		if err != nil {
			return nil, nil, fmt.Errorf("--model: %w", err)
		}
		var entry map[string]any
		doc.Root().Decode(&entry)
		if err := doc.Err(); err != nil {
			return nil, nil, fmt.Errorf("--model: %w", err)
		}
		models[strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))] = entry
	}
	data, err := datadir.Find(f.data, a.env)
	if err != nil {
		return nil, nil, err
	}
	reviewer := strings.Trim(notInReviewers.ReplaceAllString(a.env("USER"), "-"), "-")
	if reviewer == "" {
		reviewer = "reviewer"
	}
	book := &note.Book{Reviewer: reviewer, ReadOnly: f.readOnly, Now: time.Now}
	ofRun := func(serve func(http.ResponseWriter, *http.Request, record.Folder)) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			dir, ok := find(r.PathValue("key"))
			if !ok {
				refuseRequest(w, http.StatusNotFound, errNoRun)
				return
			}
			serve(w, r, record.Folder(dir))
		})
	}
	mounts = map[string]http.Handler{
		"run/{key}/notes": ofRun(book.Serve), "run/{key}/queues": ofRun(book.ServeQueues),
	}
	if f.readOnly {
		return mounts, func() {}, nil
	}
	house := chat.House{
		Plugins: suite.Plugins(), Models: models, Trees: f.trees,
		Env: runners.Env{DataDir: data, Now: time.Now, Log: a.log(), Binary: binary(), Argv: a.argv, Getenv: a.env},
		Recorder: func(mode calls.Mode) (*calls.Recorder, func(), error) {
			return a.recorder(mode, callsDir(f.store, a.env))
		},
	}
	engine := &chat.Engine{
		Dir: filepath.Join("results", "chats"), Open: house.Open, Budget: budget.New(0, f.budget), Now: time.Now, Log: a.log(),
	}
	engine.Calls = chat.CallsIn(func() (*calls.Store, error) { return calls.OpenToRead(callsDir(f.store, a.env), a.log()) })
	handler := engine.Handler()
	mounts["chat"], mounts["chat/"], mounts["chat/{id}/events"] = handler, handler, handler
	return mounts, func() {
		if err := engine.Close(); err != nil {
			a.log().Warn("closing the chats failed", "error", err)
		}
	}, nil
}

// errNoRun is the error of a key that no run has.
var errNoRun = errors.New("there is no run of the key; reload the index of runs")

func refuseRequest(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that went away is told nothing.
	_ = jsonout.Lines(w, map[string]string{"error": err.Error()})
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	datasetsuite "recallbench/datasets/suite"
	"recallbench/internal/backend"
	"recallbench/internal/backend/calls"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/files/datadir"
	"recallbench/internal/files/fetch"
	"recallbench/internal/publish/report"
	"recallbench/internal/text/termsafe"
	"recallbench/runners"
)

func newDoctorCommand(a *app) *cobra.Command {
	var (
		from  configFlags
		flags runFlags
		d     doctor
		alone configChecks
	)
	cmd := &cobra.Command{
		Use:   "doctor CONFIG.yaml...",
		Short: "Check what a run needs: models, data, methods, folders",
		Long: `Doctor tries what a config names as 'bench run' would use it, and prints a line
for each thing found: ok, warn (a run will work, but not in all ways) or fail, with
the remedy. It goes on where something fails.

It tries each server, key and model, reads the data, makes every method, and has
each method build a tiny memory with each model and answer one question. It looks
at the run folder, the recordings, the prices, and whether
the longest prompt fits into the model. It waits for a reply as long as
limits.attempt says.

It asks each chat model for a word, and embeds three short texts. What trying the methods takes is printed before it is done: they ask a
short question, and the longest one where the server does not say how many tokens
it takes. --no-calls calls no model, and lets the stand-in answer in its place. Nothing is
recorded, and no key is shown.

It exits as the run would: with 2 where it would not begin, 5, 6 or 7 where it would
stop, 3 where a request fails.

With --faults it looks at the configs alone, as many as are named, and prints a line
for each that is right, and of each that is not all faults: where, what, and what would
be right.`,
		Example: `  bench doctor my.yaml
  bench doctor my.yaml --no-calls
  bench doctor --faults configs/*.yaml configs/papers/*.yaml
  bench doctor my.yaml --print --set methods.flat-rag.options.k=5
  bench doctor --schema > schema.json
  bench doctor configs/quickstart.yaml --model configs/models/openai.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if done, err := alone.check(a, args, from, d.lines); done || err != nil {
				return err
			}
			config, err := from.load(args[0])
			if err != nil {
				return err
			}
			d.app = a
			return d.examine(cmd.Context(), config, flags)
		},
	}
	from.add(cmd)
	flags.addInput(cmd)
	alone.add(cmd)
	cmd.Flags().StringVar(&d.out, "out", "", "run `folder` that the run will make (default: one below results/runs)")
	cmd.Flags().BoolVar(&d.noCalls, "no-calls", false, "call no model; the stand-in answers in its place")
	cmd.Flags().BoolVar(&d.lines, "json", false, "write a JSON line for each finding, or with --faults for each config, to stdout and nothing else")
	return cmd
}

type finding struct {
	Model  string                `json:"model,omitzero"` // empty for what is about the run
	Status backend.FindingStatus `json:"status"`
	What   string                `json:"what"`
	Detail string                `json:"detail"`
	Remedy string                `json:"remedy,omitzero"`
}

func (f finding) line() string {
	s := fmt.Sprintf("%-4s  ", f.Status)
	if f.Model != "" {
		s += f.Model + ": "
	}
	s += f.What + ": " + f.Detail
	if f.Remedy != "" {
		s += "; " + f.Remedy
	}
	return termsafe.Text(s)
}

// A doctor prints what it finds.
type doctor struct {
	app     *app
	out     string
	noCalls bool
	lines   bool

	missing, here int   // findings that fail, and those of them about this machine
	noReplay      bool  // a replay finds nothing
	err           error // of printing
}

func (d *doctor) found(f finding) {
	if f.Status == backend.Missing {
		d.missing++
	}
	var err error
	if d.lines {
		err = json.NewEncoder(d.app.stdout).Encode(f)
	} else {
		_, err = fmt.Fprintln(d.app.stdout, f.line())
	}
	d.err = errors.Join(d.err, err)
}

// look prints what was found about this machine: err says what is wrong.
func (d *doctor) look(what, detail, remedy string, err error) {
	if err != nil {
		d.here++
		d.found(finding{What: what, Status: backend.Missing, Detail: err.Error(), Remedy: remedy})
		return
	}
	d.found(finding{What: what, Status: backend.Good, Detail: detail})
}

// examine tries everything, and returns the error that the run would end with.
func (d *doctor) examine(ctx context.Context, config *config.Config, flags runFlags) error {
	mode, store, err := d.app.recordings(config, flags)
	if err != nil {
		return usageError(err)
	}
	data, err := datadir.Find(flags.data, d.app.env)
	if err != nil {
		return usageError(err)
	}
	recorder := calls.NewRecorder(nil, calls.Off)
	if mode != calls.Off {
		opened, closeStore, err := d.openRecordings(mode, store)
		d.look("recordings", fmt.Sprintf("%s, mode %s", store, mode), "--store or BENCH_CALLS names another folder", err)
		if err != nil && mode == calls.Replay { // a run begins, with no recordings, and misses its first call
			d.noReplay = true
			d.here--
			empty, err := os.MkdirTemp("", "bench-doctor-*")
			if err != nil {
				return err
			}
			defer os.RemoveAll(empty)
			if opened, closeStore, err = d.app.recorder(mode, empty); err != nil {
				return err
			}
		}
		if opened != nil {
			recorder = opened
			defer closeStore()
		}
	}
	folder := d.out
	if folder == "" {
		folder = filepath.Join(pastRuns, "new")
	}
	d.look("run folder", filepath.Dir(folder)+" can be written", "--out names another folder", checkFree(folder))
	patient := runners.Doctor{
		Config: config, Plugins: suite.Plugins(), NoCalls: d.noCalls,
		Env: runners.Env{DataDir: data, Now: time.Now, Log: slog.New(slog.DiscardHandler), Binary: binary(), Getenv: d.app.env, Calls: recorder},
		Found: func(label string, f backend.Finding) {
			d.found(finding{label, f.Status, f.What, f.Detail, f.Remedy})
		},
		Cost: func(methods, models int, l runners.Load) {
			d.found(finding{What: "cost", Status: backend.Good, Detail: "trying " + report.Plural(methods, "method") + " with " + report.Plural(models, "model") + " takes " + costText(l)})
		},
	}
	found, err := patient.Examine(ctx)
	if ctx.Err() != nil {
		return withExit(exitInterrupted, errors.New("interrupted"))
	}
	if err != nil {
		return usageError(err)
	}
	if err := d.verifyData(ctx, config, data); err != nil {
		return usageError(err)
	}
	return errors.Join(d.err, d.verdict(found))
}

// verifyData holds the files of the config's datasets against those that were
// published. A run takes others, but its results are of them.
func (d *doctor) verifyData(ctx context.Context, c *config.Config, dir string) error {
	if dir == "" {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	defer root.Close()
	for _, s := range datasetsuite.All() {
		if !slices.ContainsFunc(c.Datasets, func(e config.Entry) bool { return e.Use == s.Name }) {
			continue
		}
		for _, f := range s.Files {
			err := fetch.Verify(ctx, root, pinned(s, f))
			if _, other := errors.AsType[*fetch.MismatchError](err); other {
				d.found(finding{What: "data", Status: backend.Warning, Detail: err.Error(), Remedy: "results are of another file than the published one; 'bench data fetch " + s.Name + "' gets that"})
			}
		}
	}
	return ctx.Err()
}

// verdict is the error of what is missing, with the exit code of the run.
func (d *doctor) verdict(found runners.Diagnosis) error {
	if d.missing == 0 {
		return nil
	}
	code := exitErrors
	switch {
	case found.Config > 0 || d.here > 0:
		code = exitUsage
	case d.noReplay:
		code = exitMiss
	case found.Provider != "":
		code = stopCode(found.Provider)
	}
	if d.lines {
		return withExit(code, errSilent)
	}
	if d.missing == 1 {
		return withExit(code, errors.New("1 check failed"))
	}
	return withExit(code, fmt.Errorf("%d checks failed", d.missing))
}

func costText(l runners.Load) string {
	text := report.Plural(l.Calls, "call") + " and about " + report.Plural(l.Input+l.Output+l.Embedded, "token")
	if l.MostPayTokens != nil {
		text += fmt.Sprintf(", at most %d", *l.MostPayTokens)
	}
	switch {
	case l.MostPay != nil:
		text += fmt.Sprintf(": $%.4f at most", *l.MostPay)
	case l.Pay != nil:
		text += fmt.Sprintf(": about $%.4f", *l.Pay)
	default:
		text += "; the price is unknown"
	}
	return text
}

// openRecordings opens the recordings as a run does, but makes no folder: one that
// is not there must be possible to make.
func (d *doctor) openRecordings(mode calls.Mode, dir string) (*calls.Recorder, func(), error) {
	_, err := os.Stat(dir)
	switch {
	case err == nil && mode != calls.Replay:
		if err := writable(dir); err != nil {
			return nil, nil, err
		}
		return d.app.recorder(mode, dir)
	case err == nil:
		return d.app.recorder(mode, dir)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, nil, err
	case mode == calls.Replay:
		return nil, nil, fmt.Errorf("%s is not there, so a replay finds no call in it", dir)
	}
	return calls.NewRecorder(nil, calls.Off), func() {}, writable(existing(dir))
}

// checkFree reports why a run folder cannot be made.
func checkFree(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && len(entries) > 0:
		return fmt.Errorf("%s is not empty", dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return writable(existing(dir))
}

// existing is the nearest folder above a path that is there, or the path itself.
func existing(path string) string {
	for path = filepath.Clean(path); ; path = filepath.Dir(path) {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
	}
}

// writable reports why nothing can be written into a folder.
func writable(dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file, want a folder", dir)
	}
	f, err := os.CreateTemp(dir, ".bench-doctor-*")
	if err != nil {
		e, _ := errors.AsType[*fs.PathError](err)
		return fmt.Errorf("%s cannot be written: %w", dir, e.Err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

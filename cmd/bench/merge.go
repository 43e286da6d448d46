package main

import (
	"context"
	"errors"

	"recallbench/internal/config/suite"
	"recallbench/runners"
)

// merge joins the run folders of all shards of a run into one, and scores and prints it
// as run does.
func (a *app) merge(ctx context.Context, dirs []string, out string, asJSON bool, o runners.MergeOptions) (err error) {
	m, err := runners.Merge(dirs, out, a.argv, suite.Plugins(), o)
	if err != nil {
		return usageError(err)
	}
	for _, w := range m.Warnings {
		a.log().Warn(w)
	}
	scored, err := a.scoreRun(ctx, m.Folder, m.Header, m.Header.Metrics)
	if err != nil {
		return err
	}
	if err := a.printRun(scored, asJSON); err != nil {
		return err
	}
	if err := a.sayFailures(m.Folder, m.Result); err != nil {
		return err
	}
	failed := tooManyFailed(m.Result, m.ErrorLimit)
	if asJSON {
		err = a.event("done", map[string]any{
			"dir": string(m.Folder), "status": m.Header.Status, "requests": m.Requests, "failed": m.Failed, "exit": exitCode(failed),
		})
	}
	return errors.Join(err, failed)
}

package main

import (
	"context"
	"errors"

	"recallbench/internal/config/suite"
	"recallbench/runners"
)

// merge makes the run folder out of the run folders of all shards of a run, and scores
// and prints it as run does.
func (a *app) merge(ctx context.Context, dirs []string, out string, asJSON bool, o runners.MergeOptions) (err error) {
	shards, err := runners.OpenShards(dirs, suite.Plugins(), o)
	if err != nil {
		return usageError(err)
	}
	defer func() { err = errors.Join(err, shards.Close()) }()
	folder, result, err := shards.Merge(out, a.argv)
	if err != nil {
		return usageError(err)
	}
	for _, w := range shards.Warnings() {
		a.log().Warn(w)
	}
	scored, err := a.scoreRun(ctx, folder, result.Header, result.Header.Metrics)
	if err != nil {
		return err
	}
	if err := a.printRun(scored, asJSON); err != nil {
		return err
	}
	if err := a.sayFailures(folder, result); err != nil {
		return err
	}
	failed := tooManyFailed(result, shards.ErrorLimit())
	if asJSON {
		err = a.event("done", map[string]any{
			"dir": string(folder), "status": result.Header.Status, "requests": result.Requests, "failed": result.Failed, "exit": exitCode(failed),
		})
	}
	return errors.Join(err, failed)
}

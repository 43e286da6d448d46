package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
)

// A callsQuery selects recordings of a store.
type callsQuery struct {
	store         string
	models, runs  []string
	since, before string
}

func (q *callsQuery) addStore(cmd *cobra.Command) {
	cmd.Flags().StringVar(&q.store, "store", "", "`folder` of the recordings (default $BENCH_CALLS, results/calls)")
}

func (q *callsQuery) add(cmd *cobra.Command) {
	q.addStore(cmd)
	cmd.Flags().StringSliceVar(&q.models, "model", nil, "only calls of `models`, by the name that was requested")
	cmd.Flags().StringVar(&q.since, "since", "", "only calls from `when` on: a date, a time or an age such as 30d or 12h")
	cmd.Flags().StringVar(&q.before, "older-than", "", "only calls before `when`: a date, a time or an age")
}

// open opens the store, whose folder must exist.
func (q *callsQuery) open(a *app) (*calls.Store, error) {
	dir := callsDir(q.store, a.env)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, usageError(fmt.Errorf("there are no recordings: %s is not a folder; --store or BENCH_CALLS names another", dir))
	}
	s, err := calls.OpenToRead(dir, a.log())
	return s, usageError(err)
}

// with calls use with the store and the selected recordings, newest first.
func (q *callsQuery) with(a *app, use func(*calls.Store, []*calls.Recording) error) error {
	s, err := q.open(a)
	if err != nil {
		return err
	}
	defer s.Close()
	match, err := q.matcher()
	if err != nil {
		return err
	}
	all, err := s.Recordings()
	if err != nil {
		return err
	}
	return use(s, lists.Filter(all, match))
}

// matcher returns a function that reports whether a recording is selected.
func (q *callsQuery) matcher() (func(*calls.Recording) bool, error) {
	now := time.Now()
	since, sinceErr := moment("--since", q.since, now)
	before, beforeErr := moment("--older-than", q.before, now)
	named, namedErr := record.Calls(q.runs...)
	return func(r *calls.Recording) bool {
		return (q.since == "" || !r.Time.Before(since)) &&
			(q.before == "" || r.Time.Before(before)) &&
			(len(q.runs) == 0 || r.Kind != calls.Chat || named[r.Key.ID()]) &&
			(len(q.models) == 0 || slices.Contains(q.models, r.Identity.Model))
	}, usageError(errors.Join(sinceErr, beforeErr, namedErr))
}

// moment reads a point in time: a date, a time, or an age such as 30d. The
// empty text is the zero time.
func moment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	age, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16)
		age = time.Duration(n) * 24 * time.Hour
	}
	if err == nil && age >= 0 {
		return now.Add(-age), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%s is %q, want a date such as 2026-01-31, a time such as 2026-01-31T15:04:05Z, or an age such as 30d or 12h", flag, text)
}

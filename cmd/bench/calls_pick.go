package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recallbench/internal/backend/calls"
	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
)

// A pick says which recordings a verb is about.
type pick struct {
	models, runs  []string
	since, before string
}

func (p *pick) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&p.models, "model", nil, "only calls of `models`, by the name asked for")
	flags.StringVar(&p.since, "since", "", "only calls from `when` on: a date, a time or an age such as 30d or 12h")
	flags.StringVar(&p.before, "older-than", "", "only calls before `when`: a date, a time or an age")
}

// empty reports whether every recording is picked.
func (p *pick) empty() bool {
	return len(p.models)+len(p.runs) == 0 && p.since == "" && p.before == ""
}

// matcher returns the function that says whether a recording is picked.
func (p *pick) matcher(now time.Time) (func(*calls.Recording) bool, error) {
	var faults []error
	since, err := moment("--since", p.since, now)
	faults = append(faults, err)
	before, err := moment("--older-than", p.before, now)
	faults = append(faults, err)
	named, err := runCalls(p.runs)
	faults = append(faults, err)
	if err := errors.Join(faults...); err != nil {
		return nil, usageError(err)
	}
	return func(r *calls.Recording) bool {
		switch {
		case p.since != "" && r.Time.Before(since),
			p.before != "" && !r.Time.Before(before),
			named != nil && r.Kind == calls.Chat && !named[r.Key.ID()],
			len(p.models) > 0 && !slices.Contains(p.models, r.Identity.Model):
			return false
		}
		return true
	}, nil
}

// choose returns the recordings that are picked, the newest first.
func (p *pick) choose(s *calls.Store) ([]*calls.Recording, error) {
	match, err := p.matcher(time.Now())
	if err != nil {
		return nil, err
	}
	all, err := s.Recordings()
	return lists.Filter(all, match), err
}

// damaged says what to do about recordings that cannot be read.
func damaged(err error) error {
	return withExit(exitFingerprint, fmt.Errorf("%w; 'bench calls verify' lists what is damaged, 'bench calls prune' leaves it out", err))
}

// runCalls returns the ids of the chat calls that runs' records name, those of
// their judges among them; nil without runs.
func runCalls(dirs []string) (map[string]bool, error) {
	if len(dirs) == 0 {
		return nil, nil
	}
	ids := make(map[string]bool)
	add := func(list []string) {
		for _, id := range list {
			ids[id] = true
		}
	}
	var faults []error
	for _, dir := range dirs {
		folder, header, err := record.Open(dir)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		for _, cell := range header.Cells {
			for line, err := range record.Lines[record.Record](folder.Records(cell.ID)) {
				faults = append(faults, err)
				add(line.Value.Calls)
			}
			for line, err := range record.Lines[record.Ingest](folder.Ingests(cell.ID)) {
				faults = append(faults, err)
				add(line.Value.Calls)
			}
			for line, err := range record.Lines[record.Judgement](folder.Judgements(cell.ID)) {
				faults = append(faults, err)
				add(line.Value.Calls)
			}
		}
	}
	return ids, errors.Join(faults...)
}

// moment reads a point in time: a date, a time, or an age such as 30d. The
// empty text is the zero time.
func moment(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02 15:04", time.DateTime, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if age, err := time.ParseDuration(text); err == nil && age >= 0 {
		return now.Add(-age), nil
	}
	return time.Time{}, fmt.Errorf("%s is %q, want a date such as 2026-01-31, a time such as 2026-01-31T15:04:05Z, or an age such as 30d or 12h", flag, text)
}

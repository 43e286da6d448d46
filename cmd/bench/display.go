package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"recallbench/internal/publish/report"
	"recallbench/runners"
)

// displays are the ways to show progress; auto is a bar in a terminal.
func displays() []string { return []string{"auto", "bar", "plain", "none"} }

// progress returns what shows the progress of a run on stderr.
func (a *app) progress(d string) runners.Progress {
	l := &lines{w: a.stderr, every: plainEvery}
	switch {
	case d == "none":
		return nil
	case d == "bar", d == "auto" && terminal(a.stderr):
		l.every, l.width = barEvery, terminalWidth(a.stderr)
	}
	return l.begin
}

// The time between two lines of a plain display, and between two updates of the line in
// a terminal.
const (
	plainEvery = 10 * time.Second
	barEvery   = 200 * time.Millisecond
)

// Lines show progress as one line every few seconds, even if nothing finishes, or in
// a terminal as one line that is updated.
type lines struct {
	w     io.Writer
	every time.Duration
	width int // of the terminal; 0 for none

	work  runners.Work
	start time.Time
	pace  []seen // of the last minute
}

// begin is a [runners.Progress].
func (l *lines) begin(w runners.Work, state func() runners.State) (end func()) {
	l.work, l.start = w, time.Now()
	l.pace = []seen{{at: l.start}}
	_, _ = fmt.Fprintf(l.w, "%s, %d of them finished before; memories to build: %d\n", report.Plural(w.Requests, "question"), w.Done, w.Memories)
	done := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		ticks := time.Tick(l.every)
		for {
			select {
			case now := <-ticks:
				s := state()
				l.show(l.standing(s, now) + l.left(s, now))
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		ended.Wait()
		l.show(l.standing(state(), time.Now()))
		if l.width > 0 {
			_, _ = fmt.Fprintln(l.w)
		}
	}
}

// show prints a line, which in a terminal replaces the one before. A failure to show
// progress does not stop a run.
func (l *lines) show(text string) {
	if l.width == 0 {
		_, _ = fmt.Fprintln(l.w, text)
		return
	}
	all := []rune(text)
	_, _ = fmt.Fprintf(l.w, "\r\x1b[K%s", string(all[:min(len(all), l.width-1)]))
}

// standing describes what is done, what was spent and how long it has taken.
func (l *lines) standing(s runners.State, now time.Time) string {
	parts := []string{fmt.Sprintf("%d/%d questions, %d failed", l.work.Done+s.Requests, l.work.Requests, s.Failed)}
	if l.work.Memories > 0 {
		parts = append([]string{fmt.Sprintf("%d/%d memories", s.Memories, l.work.Memories)}, parts...)
	}
	if s.Spent.Calls > 0 {
		parts = append(parts, fmt.Sprintf("%d calls (%d recorded), %d tokens", s.Spent.Calls, s.Spent.Reused, s.Spent.Tokens))
	}
	switch usd := s.Spent.USD; {
	case usd == nil:
		parts = append(parts, "price unknown")
	case *usd > 0:
		parts = append(parts, fmt.Sprintf("$%.4f", *usd))
	}
	if s.Retries+s.Refused > 0 {
		parts = append(parts, fmt.Sprintf("%d retries, %d rate limits (429)", s.Retries, s.Refused))
	}
	return strings.Join(append(parts, now.Sub(l.start).Round(time.Second).String()), ", ")
}

// seen is how many questions were finished at some time.
type seen struct {
	at        time.Time
	questions int
}

// left estimates how long the rest takes at the pace of the last minute, if that is
// known: questions answered by recordings say nothing about those that a server answers.
func (l *lines) left(s runners.State, now time.Time) string {
	if now.Sub(l.pace[len(l.pace)-1].at) >= time.Second {
		l.pace = append(l.pace, seen{now, s.Requests})
	}
	for len(l.pace) > 2 && now.Sub(l.pace[1].at) >= time.Minute {
		l.pace = l.pace[1:]
	}
	first := l.pace[0]
	if s.Requests <= first.questions {
		return ""
	}
	each := now.Sub(first.at) / time.Duration(s.Requests-first.questions)
	rest := time.Duration(l.work.Requests-l.work.Done-s.Requests) * each
	return ", about " + rest.Round(time.Second).String() + " left"
}

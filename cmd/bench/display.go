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
	switch {
	case d == "none":
		return runners.NoProgress{}
	case d == "bar", d == "auto" && terminal(a.stderr):
		return &lines{w: a.stderr, every: barEvery, width: terminalWidth(a.stderr)}
	default:
		return &lines{w: a.stderr, every: plainEvery}
	}
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
	runners.NoProgress
	w     io.Writer
	every time.Duration
	width int // of the terminal; 0 for none

	work  runners.Work
	state func() runners.State
	start time.Time
	pace  []seen // of the last minute
	end   chan struct{}
	ended sync.WaitGroup
}

// Begin implements [runners.Progress].
func (l *lines) Begin(w runners.Work, state func() runners.State) {
	l.work, l.state, l.start, l.end = w, state, time.Now(), make(chan struct{})
	l.pace = []seen{{at: l.start}}
	text := report.Plural(w.Requests, "question")
	if w.Done > 0 {
		text += fmt.Sprintf(", %d of them finished before", w.Done)
	}
	if w.Memories > 0 {
		text += fmt.Sprintf("; memories to build: %d", w.Memories)
	}
	l.say(text)
	l.ended.Go(func() {
		t := time.NewTicker(l.every)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				s, now := l.state(), time.Now()
				l.show(l.standing(s, now) + l.left(s, now))
			case <-l.end:
				return
			}
		}
	})
}

// End implements [runners.Progress].
func (l *lines) End() {
	close(l.end)
	l.ended.Wait()
	l.show(l.standing(l.state(), time.Now()))
	if l.width > 0 {
		l.say("")
	}
}

// show prints a line, which in a terminal replaces the one before.
func (l *lines) show(text string) {
	if l.width == 0 {
		l.say(text)
		return
	}
	if all := []rune(text); len(all) >= l.width {
		text = string(all[:max(0, l.width-1)])
	}
	_, _ = fmt.Fprintf(l.w, "\r\x1b[K%s", text)
}

// say prints a line. A failure to show progress does not stop a run.
func (l *lines) say(text string) { _, _ = io.WriteString(l.w, text+"\n") }

// standing describes what is done, what was spent and how long it has taken.
func (l *lines) standing(s runners.State, now time.Time) string {
	var parts []string
	add := func(holds bool, format string, args ...any) {
		if holds {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(l.work.Memories > 0, "%d/%d memories", s.Memories, l.work.Memories)
	add(true, "%d/%d questions", l.work.Done+s.Requests, l.work.Requests)
	add(true, "%d failed", s.Failed)
	add(s.Spent.Calls > 0, "%d calls (%d recorded)", s.Spent.Calls, s.Spent.Reused)
	add(s.Spent.Calls > 0, "%d tokens", s.Spent.Tokens)
	if usd := s.Spent.USD; usd == nil {
		add(true, "price unknown")
	} else {
		add(*usd > 0, "$%.4f", *usd)
	}
	add(s.Retries > 0, "%d retries", s.Retries)
	add(s.Refused > 0, "%d rate limits (429)", s.Refused)
	add(true, "%s", now.Sub(l.start).Round(time.Second))
	return strings.Join(parts, ", ")
}

// seen is how many steps were done at some time.
type seen struct {
	at   time.Time
	step float64
}

// left estimates how long the rest takes at the pace of the last minute, if that is
// known: calls answered by recordings say nothing about those that a server answers.
func (l *lines) left(s runners.State, now time.Time) string {
	if now.Sub(l.pace[len(l.pace)-1].at) >= time.Second {
		l.pace = append(l.pace, seen{now, s.Step})
	}
	for len(l.pace) > 2 && now.Sub(l.pace[1].at) >= time.Minute {
		l.pace = l.pace[1:]
	}
	first := l.pace[0]
	if s.Steps == 0 || s.Step <= first.step {
		return ""
	}
	each := float64(now.Sub(first.at)) / (s.Step - first.step)
	return ", about " + time.Duration((s.Steps-s.Step)*each).Round(time.Second).String() + " left"
}

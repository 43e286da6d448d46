package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/runners"
)

// A display says how progress is shown. The zero value is "auto".
type display string

func displays() []string { return []string{"auto", "bar", "plain", "none"} }

// String implements pflag.Value.
func (d *display) String() string {
	if *d == "" {
		return "auto"
	}
	return string(*d)
}

// Set implements pflag.Value.
func (d *display) Set(s string) error {
	if !slices.Contains(displays(), s) {
		return fmt.Errorf("want %s", strings.Join(displays(), ", "))
	}
	*d = display(s)
	return nil
}

// Type implements pflag.Value.
func (*display) Type() string { return "how" }

// progress returns what shows the progress of a run on stderr.
func (a *app) progress(d display) runners.Progress {
	switch {
	case d == "none":
		return runners.NoProgress{}
	case d == "bar", d.String() == "auto" && terminal(a.stderr):
		return &lines{w: a.stderr, every: barEvery, width: terminalWidth(a.stderr)}
	default:
		return &lines{w: a.stderr, every: plainEvery}
	}
}

// The time between two lines of a plain display, and between two states of the line of
// a terminal.
const (
	plainEvery = 10 * time.Second
	barEvery   = 200 * time.Millisecond
)

// Lines show progress as one line every few seconds, also where nothing finishes, or in
// a terminal as one line that changes.
type lines struct {
	w     io.Writer
	every time.Duration
	width int // of the terminal; 0 for none

	work  runners.Work
	state func() runners.State
	start time.Time
	pace  pace
	end   chan struct{}
	ended sync.WaitGroup
}

// Begin implements [runners.Progress].
func (l *lines) Begin(w runners.Work, state func() runners.State) {
	l.work, l.state, l.start, l.end = w, state, time.Now(), make(chan struct{})
	text := report.Plural(w.Requests, "request")
	if w.Done > 0 {
		text += fmt.Sprintf(", %d of them finished before", w.Done)
	}
	if w.Memories > 0 {
		text += fmt.Sprintf("; memories to build: %d", w.Memories)
	}
	l.pace.begin(l.start)
	l.say(text)
	l.ended.Go(func() {
		t := time.NewTicker(l.every)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				s, now := l.state(), time.Now()
				text := l.standing(s, now)
				if left, known := l.pace.left(now, s); known {
					text += ", about " + left.String() + " left"
				}
				l.show(text)
			case <-l.end:
				return
			}
		}
	})
}

// Memory implements [runners.Progress].
func (*lines) Memory() {}

// Request implements [runners.Progress].
func (*lines) Request(record.Status, int) {}

// End implements [runners.Progress].
func (l *lines) End() {
	close(l.end)
	l.ended.Wait()
	text := l.standing(l.state(), time.Now())
	l.show(text)
	if l.width > 0 {
		l.say("")
	}
}

// show prints a line, in a terminal in place of the one before.
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

func (l *lines) standing(s runners.State, now time.Time) string {
	text := ""
	if l.work.Memories > 0 {
		text = fmt.Sprintf("%d/%d memories, ", s.Memories, l.work.Memories)
	}
	text += fmt.Sprintf("%d/%d requests, %d failed", l.work.Done+s.Requests, l.work.Requests, s.Failed)
	if spent := spentText(s); spent != "" {
		text += "; " + spent
	}
	return text + "; " + now.Sub(l.start).Round(time.Second).String()
}

// say prints a line. A progress that cannot be shown stops no run.
func (l *lines) say(text string) { _, _ = io.WriteString(l.w, text+"\n") }

// spentText says what was spent, and what long calls are at; empty for nothing.
func spentText(s runners.State) string {
	var parts []string
	if s.Spent.Calls > 0 {
		text := short(int64(s.Spent.Calls)) + " calls"
		if s.Spent.Reused > 0 {
			text += " (" + short(int64(s.Spent.Reused)) + " recorded)"
		}
		parts = append(parts, text, short(int64(s.Spent.Tokens))+" tokens")
	}
	switch usd := s.Spent.USD; {
	case usd == nil:
		parts = append(parts, "price unknown")
	case *usd > 0:
		parts = append(parts, fmt.Sprintf("$%.4f", *usd))
	}
	if s.Retries > 0 {
		parts = append(parts, fmt.Sprintf("%d retries", s.Retries))
	}
	if s.Refused > 0 {
		parts = append(parts, fmt.Sprintf("%d times 429", s.Refused))
	}
	if s.Doing != "" {
		parts = append(parts, s.Doing)
	}
	return strings.Join(parts, ", ")
}

// A pace estimates the end from the steps of the last minute: calls that
// recordings answer say nothing of those that a server does.
type pace struct {
	seen []seen
}

// seen is how many steps were done at a time.
type seen struct {
	at   time.Time
	step float64
}

func (p *pace) begin(now time.Time) { p.seen = []seen{{at: now}} }

// left returns how long the rest takes at the pace of the last minute, and whether
// that is known.
func (p *pace) left(now time.Time, s runners.State) (left time.Duration, known bool) {
	if now.Sub(p.seen[len(p.seen)-1].at) >= time.Second {
		p.seen = append(p.seen, seen{now, s.Step})
	}
	for len(p.seen) > 2 && now.Sub(p.seen[1].at) >= time.Minute {
		p.seen = p.seen[1:]
	}
	first := p.seen[0]
	if s.Steps == 0 || s.Step <= first.step {
		return 0, false
	}
	each := float64(now.Sub(first.at)) / (s.Step - first.step)
	return time.Duration((s.Steps - s.Step) * each).Round(time.Second), true
}

// short writes a count in at most four digits.
func short(n int64) string {
	switch {
	case n >= 10_000_000:
		return fmt.Sprintf("%dM", n/1_000_000)
	case n >= 10_000:
		return fmt.Sprintf("%dk", n/1000)
	default:
		return strconv.FormatInt(n, 10)
	}
}

package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

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
		return &bar{w: a.stderr}
	default:
		return &plainDisplay{w: a.stderr}
	}
}

// A bar shows progress as two bars, of memories and of requests, with what was
// spent and the time left.
type bar struct {
	w        io.Writer
	pace     pace
	progress *mpb.Progress
	memories *mpb.Bar // nil where none is to build
	requests *mpb.Bar
}

// Begin implements [runners.Progress].
func (b *bar) Begin(w runners.Work, state func() runners.State) {
	b.pace.begin(time.Now())
	b.progress = mpb.New(mpb.WithOutput(b.w), mpb.WithRefreshRate(150*time.Millisecond), mpb.WithWidth(24))
	if w.Memories > 0 {
		b.memories = b.progress.AddBar(int64(w.Memories),
			mpb.PrependDecorators(decor.CountersNoUnit("%d/%d memories", decor.WCSyncSpace)),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return spentText(state()) })),
		)
	}
	b.requests = b.progress.AddBar(int64(w.Requests),
		mpb.PrependDecorators(decor.CountersNoUnit("%d/%d requests", decor.WCSyncSpace)),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
			s := state()
			text := fmt.Sprintf("%d failed", s.Failed)
			if left, known := b.pace.left(time.Now(), s); known && left > 0 {
				text += ", about " + left.String() + " left"
			}
			return text
		})),
	)
	b.requests.SetRefill(int64(w.Done))
	b.requests.IncrBy(w.Done)
}

// Memory implements [runners.Progress].
func (b *bar) Memory() { b.memories.Increment() }

// Request implements [runners.Progress].
func (b *bar) Request(record.Status, int) { b.requests.Increment() }

// End implements [runners.Progress].
func (b *bar) End() {
	for _, bar := range []*mpb.Bar{b.memories, b.requests} {
		if bar != nil && !bar.Completed() {
			bar.Abort(false)
		}
	}
	b.progress.Wait()
}

// plainEvery is the time between two lines of a plain display.
const plainEvery = 10 * time.Second

// A plainDisplay shows progress as lines: one every ten seconds, also where
// nothing finishes.
type plainDisplay struct {
	w io.Writer

	work  runners.Work
	state func() runners.State
	start time.Time
	pace  pace
	end   chan struct{}
	ended sync.WaitGroup
}

// Begin implements [runners.Progress].
func (p *plainDisplay) Begin(w runners.Work, state func() runners.State) {
	p.work, p.state, p.start, p.end = w, state, time.Now(), make(chan struct{})
	text := report.Plural(w.Requests, "request")
	if w.Done > 0 {
		text += fmt.Sprintf(", %d of them finished before", w.Done)
	}
	if w.Memories > 0 {
		text += fmt.Sprintf("; memories to build: %d", w.Memories)
	}
	p.pace.begin(p.start)
	p.say(text)
	p.ended.Go(func() {
		t := time.NewTicker(plainEvery)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				s, now := p.state(), time.Now()
				text := p.standing(s, now)
				if left, known := p.pace.left(now, s); known {
					text += ", about " + left.String() + " left"
				}
				p.say(text)
			case <-p.end:
				return
			}
		}
	})
}

// Memory implements [runners.Progress].
func (*plainDisplay) Memory() {}

// Request implements [runners.Progress].
func (*plainDisplay) Request(record.Status, int) {}

// End implements [runners.Progress].
func (p *plainDisplay) End() {
	close(p.end)
	p.ended.Wait()
	p.say(p.standing(p.state(), time.Now()))
}

func (p *plainDisplay) standing(s runners.State, now time.Time) string {
	text := ""
	if p.work.Memories > 0 {
		text = fmt.Sprintf("%d/%d memories, ", s.Memories, p.work.Memories)
	}
	text += fmt.Sprintf("%d/%d requests, %d failed", p.work.Done+s.Requests, p.work.Requests, s.Failed)
	if spent := spentText(s); spent != "" {
		text += "; " + spent
	}
	return text + "; " + now.Sub(p.start).Round(time.Second).String()
}

// say prints a line. A progress that cannot be shown stops no run.
func (p *plainDisplay) say(text string) { _, _ = io.WriteString(p.w, text+"\n") }

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

package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"recallbench/internal/record"
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
		return &plainDisplay{w: a.stderr, now: time.Now}
	}
}

// tally counts what a progress is told.
type tally struct {
	done, failed, tokens atomic.Int64
}

func (t *tally) add(status record.Status, tokens int) {
	t.done.Add(1)
	if status != record.OK {
		t.failed.Add(1)
	}
	t.tokens.Add(int64(tokens))
}

// A bar shows progress as a bar with rate, errors, tokens and the time left.
type bar struct {
	w        io.Writer
	tally    tally
	progress *mpb.Progress
	bar      *mpb.Bar
}

func (b *bar) Begin(total, done int) {
	b.progress = mpb.New(mpb.WithOutput(b.w), mpb.WithRefreshRate(150*time.Millisecond), mpb.WithWidth(40))
	b.bar = b.progress.AddBar(int64(total),
		mpb.PrependDecorators(
			decor.CountersNoUnit("%d/%d requests"),
			decor.AverageSpeed(0, " %.1f/s"),
		),
		mpb.AppendDecorators(
			decor.Any(func(decor.Statistics) string {
				return fmt.Sprintf("%d errors, %s tokens, ", b.tally.failed.Load(), short(b.tally.tokens.Load()))
			}),
			decor.AverageETA(decor.ET_STYLE_GO), decor.Name(" left"),
		),
	)
	b.bar.SetRefill(int64(done))
	b.bar.IncrBy(done)
}

func (b *bar) Request(status record.Status, tokens int) {
	b.tally.add(status, tokens)
	b.bar.Increment()
}

func (b *bar) End() {
	if !b.bar.Completed() {
		b.bar.Abort(false)
	}
	b.progress.Wait()
}

// plainEvery is the time between two lines of a plain display.
const plainEvery = 10 * time.Second

// A plainDisplay shows progress as lines.
type plainDisplay struct {
	w   io.Writer
	now func() time.Time

	tally       tally
	total, from int

	mu          sync.Mutex
	start, last time.Time
}

func (p *plainDisplay) Begin(total, done int) {
	p.total, p.from = total, done
	p.start = p.now()
	p.last = p.start
	text := fmt.Sprintf("%d requests", total)
	if done > 0 {
		text += fmt.Sprintf(", %d of them finished before", done)
	}
	p.say(text)
}

func (p *plainDisplay) Request(status record.Status, tokens int) {
	p.tally.add(status, tokens)
	now := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.last) < plainEvery {
		return
	}
	p.last = now
	p.line(now)
}

func (p *plainDisplay) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line(p.now())
}

// line prints the state; mu is held.
func (p *plainDisplay) line(now time.Time) {
	done := int(p.tally.done.Load())
	elapsed := now.Sub(p.start)
	rate := float64(done) / max(elapsed.Seconds(), 1e-3)
	text := fmt.Sprintf("%d/%d requests, %.1f/s, %d errors, %s tokens, %s", p.from+done, p.total, rate,
		p.tally.failed.Load(), short(p.tally.tokens.Load()), elapsed.Round(time.Second))
	if left := p.total - p.from - done; left > 0 && rate > 0 {
		text += fmt.Sprintf(", %s left", time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))
	}
	p.say(text)
}

// say prints a line. A progress that cannot be shown stops no run.
func (p *plainDisplay) say(text string) { _, _ = io.WriteString(p.w, text+"\n") }

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

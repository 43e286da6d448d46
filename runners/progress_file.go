package runners

import (
	"os"
	"reflect"
	"slices"
	"sync"
	"time"

	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
)

// flights are the requests and the memories under way. The zero value has none.
type flights struct {
	mu  sync.Mutex
	all []*flight // in the order of their start
}

type flight struct {
	record.InFlight
	meter *meter.Meter
}

// begin notes what begins; the function it returns ends it.
func (f *flights) begin(what record.InFlight, m *meter.Meter) (end func()) {
	one := &flight{what, m}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, one)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		at := slices.Index(f.all, one)
		f.all = slices.Delete(f.all, at, at+1)
	}
}

// oldest returns those that began first, with their stages.
func (f *flights) oldest() []record.InFlight {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := []record.InFlight{}
	for _, one := range f.all[:min(len(f.all), record.MaxInFlight)] {
		one.Since = one.Since.UTC()
		one.Stage = one.meter.Current()
		all = append(all, one.InFlight)
	}
	return all
}

// How often the progress of a run is written: at most once in progressEvery, and at
// least as often that readers know that the process lives.
const (
	progressEvery = time.Second
	progressAlive = 5 * time.Second
)

// keepProgress writes how it stands with the run while it goes on; the function it
// returns ends that and removes the file.
func (e *execution) keepProgress(w Work) (end func()) {
	done := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		ticks := time.NewTicker(progressEvery)
		defer ticks.Stop()
		begun := time.Now().UTC()
		var last record.Progress
		for {
			var now time.Time // that of who reads it, whatever clock the records have
			select {
			case <-done:
				return
			case now = <-ticks.C:
			}
			p := e.progress(w)
			p.Begun, p.Time = begun, last.Time
			if reflect.DeepEqual(p, last) && now.Sub(last.Time) < progressAlive {
				continue
			}
			p.Time = now.UTC()
			if err := e.folder.WriteProgress(p); err != nil {
				e.plan.env.Log.Warn("the progress of the run is not written", "error", err)
				return
			}
			last = p
		}
	})
	return func() {
		close(done)
		writing.Wait()
		if err := e.folder.RemoveProgress(); err != nil {
			e.plan.env.Log.Warn("the progress of the run is left behind", "error", err)
		}
	}
}

// progress is how it stands with the run, but for the times.
func (e *execution) progress(w Work) record.Progress {
	s := e.ledger.state()
	p := record.Progress{
		PID: os.Getpid(), Host: record.Host(), Total: w.Requests, Done: w.Done + s.Requests, Failed: s.Failed, InFlight: e.flights.oldest(),
		Budget: record.ProgressBudget{Tokens: e.plan.config.Budget.Tokens, USD: e.plan.config.Budget.USD}, Accounts: []record.Account{},
	}
	e.mu.Lock()
	if paid := e.plan.header.Paid; paid != nil {
		p.Paid = *paid
	}
	e.mu.Unlock()
	if e.Watch != nil {
		p.Workers = e.Watch()
	}
	for _, a := range e.plan.accounts.Status() {
		one := record.Account{Name: a.Name, Limit: a.Limit, InFlight: a.InFlight, Waiting: a.Waiting}
		if !a.Paused.IsZero() {
			one.PausedUntil = new(a.Paused.UTC())
		}
		p.Accounts = append(p.Accounts, one)
	}
	return p
}

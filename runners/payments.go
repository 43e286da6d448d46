package runners

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"recallbench/internal/backend/budget"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
)

// payments are the file of what was paid for in a run folder. A call is in it before it
// is sent and once it was answered, so that a kill loses no payment.
type payments struct {
	folder record.Folder
	judge  string
	take   func(e budget.Entry, now bool)

	mu  sync.Mutex
	log *record.Log // nil before the first entry
}

// openPayments opens the payments of a run, or of the judge with an id: the plan's
// budget goes on with what earlier parts have spent. Take is told of what they settled
// and of what is settled now. Before is what a run has paid that has no such file,
// because it was merged or is of an earlier version.
func (p *Plan) openPayments(folder record.Folder, judge string, before *meter.Paid, take func(e budget.Entry, now bool)) (*payments, error) {
	all := &payments{folder: folder, judge: judge, take: take}
	for line, err := range record.Lines[budget.Entry](folder.Payments()) {
		if fault, ok := errors.AsType[*record.Fault](err); ok {
			return nil, &record.Damage{Dir: string(folder), Faults: []*record.Fault{fault}}
		} else if err != nil {
			return nil, err
		}
		e := line.Value
		if e.Judge != judge {
			continue
		}
		before = nil
		p.budget.Restore(e)
		if e.Paid != nil {
			take(e, false)
		}
	}
	p.budget.Keep(all.add)
	if before == nil || before.Calls+before.Reused+before.Tokens == 0 {
		return all, nil
	}
	e := budget.Entry{Settlement: budget.Settlement{Paid: before}}
	p.budget.Restore(e)
	return all, all.add(e)
}

// add writes an entry.
func (p *payments) add(e budget.Entry) error {
	e.Judge = p.judge
	log, err := p.open()
	if err == nil {
		err = log.Append(e)
	}
	if err != nil {
		return &fault.Error{Kind: fault.Unavailable, Message: "a payment cannot be written: " + err.Error(), Err: err}
	}
	if e.Paid != nil {
		p.take(e, true)
	}
	return nil
}

func (p *payments) open() (_ *record.Log, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.log == nil { // a call waits for no disk: a loss of power may take the last second
		p.log, _, err = p.folder.OpenLog(p.folder.Payments(), time.Second)
	}
	return p.log, err
}

func (p *payments) close(log *slog.Logger) {
	if p == nil || p.log == nil {
		return
	}
	if err := p.log.Close(); err != nil {
		log.Error("what was paid may not be on the disk", "error", err)
	}
}

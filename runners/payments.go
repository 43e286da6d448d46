package runners

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"recallbench/internal/backend/budget"
	"recallbench/internal/calc/lists"
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
// budget starts from what earlier parts have spent. Take is told of what they settled
// and of what is settled now. Before is what a run has paid that has no such file,
// because it was merged.
func (p *Plan) openPayments(folder record.Folder, judge string, before *meter.Paid, take func(e budget.Entry, now bool)) (*payments, error) {
	all := &payments{folder: folder, judge: judge, take: take}
	for e, err := range record.Values[budget.Entry](folder.Payments()) {
		if fault, ok := errors.AsType[*record.Fault](err); ok {
			return nil, &record.Damage{Dir: string(folder), Faults: []*record.Fault{fault}}
		} else if err != nil {
			return nil, err
		}
		if e.Judge != judge {
			continue
		}
		before = nil
		p.env.Budget.Restore(e)
		if e.Paid != nil {
			take(e, false)
		}
	}
	p.env.Budget.Keep(all.add)
	if before == nil || before.Calls+before.Reused+before.Tokens == 0 {
		return all, nil
	}
	e := budget.Entry{Settlement: budget.Settlement{Paid: before}}
	p.env.Budget.Restore(e)
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
	if p.log == nil {
		p.log, _, err = p.folder.OpenLog(p.folder.Payments())
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

// servedBy is a model that has replied to calls of an entry.
type servedBy struct {
	label string
	meter.Served
}

// openPayments continues from the payments of earlier parts of the run, which are those
// that the header has from then on.
func (e *execution) openPayments() (err error) {
	h := &e.plan.header
	before := h.Paid
	if h.Paid = nil; slices.ContainsFunc(h.Models, func(m record.Model) bool { return !m.Offline }) {
		h.Paid = &meter.Paid{USD: new(0.0)}
	}
	e.payments, err = e.plan.openPayments(e.folder, "", before, func(entry budget.Entry, now bool) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.take(entry.Settlement)
		if now && e.Workers != nil { // whose meters are elsewhere
			p := *entry.Paid
			e.ledger.tally.Add(meter.Spent{Calls: p.Calls + p.Reused, Tokens: p.Tokens, Paid: p})
		}
	})
	return err
}

// settle notes which models of an entry have replied to what a meter measured, as far as
// that is new, and how many of the replies were recorded ones. What was paid is noted at
// each call.
func (e *execution) settle(label string, m *meter.Meter) {
	s := budget.Settlement{Model: label, Paid: new(m.Paid())}
	e.mu.Lock()
	s.Served = lists.Filter(m.Served(), func(m meter.Served) bool { return !e.served[servedBy{label, m}] })
	for _, m := range s.Served {
		e.served[servedBy{label, m}] = true
	}
	e.mu.Unlock()
	if len(s.Served) == 0 && s.Paid.Reused == 0 {
		return
	}
	if err := e.plan.env.Budget.Settle(context.Background(), 0, s); err != nil {
		e.halt(err)
	}
}

// take puts a settlement into the header; mu is held.
func (e *execution) take(s budget.Settlement) {
	h := &e.plan.header
	if h.Paid != nil {
		*h.Paid = h.Paid.Add(*s.Paid)
	}
	at := slices.IndexFunc(h.Models, func(m record.Model) bool { return m.Label == s.Model })
	if at < 0 {
		return
	}
	model := &h.Models[at]
	for _, m := range s.Served {
		e.served[servedBy{s.Model, m}] = true
		if role, ok := model.Roles[m.Role]; ok {
			role.Served = insert(role.Served, m.Model)
			model.Roles[m.Role] = role
			continue
		}
		model.Served = insert(model.Served, m.Model)
		model.Fingerprints = insert(model.Fingerprints, m.Fingerprint)
		model.Recorded = insert(model.Recorded, m.Recorded)
	}
}

// insert puts a name into a sorted list, unless it is empty or there already.
func insert(names []string, name string) []string {
	at, there := slices.BinarySearch(names, name)
	if there || name == "" {
		return names
	}
	return slices.Insert(names, at, name)
}

package tree

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

// handle is the rule for a [treetask.HandleTask].
func (rules *Rules) handle(ctx context.Context, task treetask.HandleTask) (treetask.Action, []string) {
	found := slices.DeleteFunc(slices.Clone(task.Found), func(f treetask.Found) bool { return len(f.Path) == 0 })
	if len(found) == 0 {
		return said("There is nothing like that.", nil), nil
	}
	if task.Schema == nil {
		task.Schema = tree.Infer(found[0].Path[0])
	}
	items := itemsOf(found, task.Schema)
	v := vocabOf(task.Schema, task.Today, items)
	items = filter(items, func(it *item) bool { return v.kind(it.node.Type) != nil })
	r := read(task.Request, task.Operation, v, task.Today)
	switch r.op {
	case treetask.Read:
		return rules.answer(ctx, r, items, task.Change), nil
	case treetask.Restore:
		return rules.restored(r, items, task.Change), nil
	default:
	}
	e := editor{reading: r, items: items}
	a := e.edit(ctx, rules)
	if node := unseen(a, items); node != "" {
		return said("The request seems to be about "+node+", which was not found for it. Nothing was changed.", nil), e.notes
	}
	return a, e.notes
}

// unseen returns the id of a node that an action is about and that was not among
// those found; empty for none.
func unseen(a treetask.Action, items []*item) string {
	ids := slices.Clone(a.Nodes)
	for _, edit := range a.Edits {
		if edit.Op != treetask.Create {
			ids = append(ids, edit.Node)
		}
	}
	for _, id := range ids {
		shown := slices.ContainsFunc(items, func(it *item) bool { return it.shown && it.node.ID == id })
		if !shown && !isParent(a, id) {
			return id
		}
	}
	return ""
}

// isParent reports whether something is created or moved below a node.
func isParent(a treetask.Action, id string) bool {
	return slices.ContainsFunc(a.Edits, func(e treetask.ActionEdit) bool { return e.Parent == id })
}

// said is an action that changes nothing. Of nodes those are named that were found.
func said(answer string, nodes []*item) treetask.Action {
	a := treetask.Action{Operation: treetask.Read, Nodes: []string{}, Answer: answer, Edits: []treetask.ActionEdit{}}
	for _, it := range nodes {
		if it.shown {
			a.Nodes = append(a.Nodes, it.node.ID)
		}
	}
	return a
}

// answer answers a question.
func (rules *Rules) answer(ctx context.Context, r *reading, items []*item, change *treetask.Change) treetask.Action {
	got := rules.choose(ctx, r, items)
	if changed := touched(items, change); len(changed) > 0 && (len(got) == 0 || len(got) > 3) {
		got = changed
	}
	if len(got) == 0 {
		if r.total == "count" {
			return said("0: there is none.", nil)
		}
		return said("There is nothing like that.", nil)
	}
	var b strings.Builder
	if f := r.summed(); f != nil && r.total != "count" && r.total != "" {
		if having := filter(got, func(it *item) bool { _, ok := it.node.Field(f.name); return ok }); len(having) > 0 {
			got = having
		}
	}
	switch r.total {
	case "count":
		fmt.Fprintf(&b, "%d: ", len(got))
	case "sum", "mean":
		b.WriteString(r.sum(got))
	}
	for i, it := range got {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(r.describe(it, len(got) == 1))
	}
	b.WriteString(".")
	return said(b.String(), got)
}

// touched returns the items that a change was about.
func touched(items []*item, change *treetask.Change) []*item {
	if change == nil {
		return nil
	}
	return filter(items, func(it *item) bool {
		return slices.ContainsFunc(change.Edits, func(c tree.Edit) bool {
			return c.ID == it.node.ID || c.Op == tree.Create && c.Node.ID == it.node.ID
		})
	})
}

// summed returns the field that a request to sum names; nil for none.
func (r *reading) summed() *field {
	for _, a := range r.asks {
		if a.kind != kindText {
			return a
		}
	}
	return nil
}

// sum writes the sum or the mean of the quantity that is asked for.
func (r *reading) sum(got []*item) string {
	kinds := append(slices.Clone(r.asked), kindMoney, kindDuration, kindNumber)
	k := r.v.kind(got[0].node.Type)
	f := r.summed()
	if f == nil {
		f = k.field(kinds...)
	}
	if f == nil && k.field(kindTime) != nil {
		f = k.field(kindTime)
	}
	if f == nil {
		return ""
	}
	want := f.kind
	if want == kindTime {
		want = kindDuration
	}
	total, example := 0.0, ""
	for _, it := range got {
		if v, ok := quantity(f, it.node, r.v.today, want); ok {
			total += v
			if value, _ := it.node.Field(f.name); example == "" && v > 0 {
				example = value
			}
		}
	}
	if r.total == "mean" {
		total /= float64(len(got))
	}
	if f.kind == kindTime || f.kind == kindDuration && total >= 60 {
		return fmt.Sprintf("%s min (%s h): ", amount(total), amount(total/60))
	}
	return rewriteNumber(example, total) + ": "
}

// rewriteNumber writes a number in the manner of an example: "$15", "10 g".
func rewriteNumber(example string, n float64) string {
	at := numberForm().FindStringIndex(example)
	text := amount(n)
	if at == nil {
		return text
	}
	if strings.Contains(example[at[0]:at[1]], ".") && !strings.Contains(text, ".") {
		text += ".00"
	}
	return example[:at[0]] + text + example[at[1]:]
}

// amount writes a number with as many decimals as it has, at most two.
func amount(n float64) string {
	if n == float64(int64(n)) {
		return strconv.FormatInt(int64(n), 10)
	}
	return strconv.FormatFloat(n, 'f', 2, 64)
}

// describe writes an item with the fields that are asked for, or with all.
func (r *reading) describe(it *item, all bool) string {
	n := it.node
	out := it.label
	var fields []string
	k := r.v.kind(n.Type)
	add := func(f *field, on *tree.Node) {
		value, ok := on.Field(f.name)
		if !ok && (slices.Contains(r.asks, f) || !all) {
			value = "none"
		}
		if value == "" || value == it.label {
			return
		}
		text := f.name + " " + value
		if !slices.Contains(fields, text) {
			fields = append(fields, text)
		}
	}
	for _, a := range r.asks {
		for _, v := range slices.Backward(it.path) {
			if _, ok := v.Field(a.name); ok {
				add(a, v)
				break
			}
		}
	}
	for _, want := range r.asked {
		if f := k.field(want); f != nil {
			add(f, n)
		} else if f := k.field(kindTime); f != nil && want == kindDuration {
			add(f, n)
		}
	}
	if r.rank != nil && r.rank.kind != "" {
		if f := k.field(r.rank.kind); f != nil {
			add(f, n)
		}
	}
	if all || len(fields) == 0 && len(r.asked) > 0 {
		for _, f := range k.fields {
			if _, ok := n.Field(f.name); ok {
				add(f, n)
			}
		}
	}
	if len(it.path) > 2 && !k.leaf || all {
		if up := it.parent(); up != nil && len(it.path) > 2 {
			out += " (" + up.Name() + ")"
		}
	}
	if len(fields) == 0 {
		return out
	}
	return out + ", " + strings.Join(fields, ", ")
}

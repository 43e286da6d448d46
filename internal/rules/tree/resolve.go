package tree

import (
	"slices"
	"strings"

	"recallbench/internal/engine/treetask"
)

// everythingTask is the task of a request to restore the whole memory.
const everythingTask = "everything"

// resolve is the rule for an [treetask.ResolveTask].
func resolve(task treetask.ResolveTask) (treetask.Resolution, []string) {
	request := clip(task.Request)
	words := firstWords(scan(request))
	op, why := operation(words)
	r := treetask.Resolution{Operation: op, Version: "latest", Task: strings.TrimSpace(request)}
	if back, ok := wantedBack(words); ok {
		r.Operation, why = treetask.Restore, back
	}
	notes := []string{string(r.Operation) + ": " + why}
	if r.Operation != treetask.Read && r.Operation != treetask.Restore {
		return r, notes
	}
	for _, f := range ruleForms() {
		m, ok := f.form.find(words)
		if !ok {
			continue
		}
		switch f.kind {
		case "undo":
			r.Operation, r.Version, r.Number = treetask.Restore, "number", -2
			return r, append(notes, "undo without more")
		case "steps", "previous":
			r.Version, r.Number = "number", -2
			if f.kind == "steps" {
				r.Number = -max(1, m.number) - 1
			}
			if r.Operation == treetask.Restore {
				return r, append(notes, "so many steps back")
			}
			r.Task = cutWords(request, words, m.from, m.to)
			return r, append(notes, "so many steps back")
		case "first":
			r.Version, r.Number = "number", 1
			r.Task = cutWords(request, words, m.from, m.to)
			if r.Operation == treetask.Restore && (namesNothing(words, m) || hasForm(words, "undo/scrap/discard/forget/reset/restore everything/all")) {
				r.Task = everythingTask
			}
			return r, append(notes, "the first version")
		case "number":
			r.Version, r.Number = "number", m.number
			r.Task = cutWords(request, words, m.from, m.to)
			if r.Operation == treetask.Restore && namesNothing(words, m) {
				r.Task = everythingTask
			}
			return r, append(notes, "a version by its number")
		case "before", "at", "gone", "back", "former":
			if f.kind == "back" && r.Operation == treetask.Read && !strings.Contains(strings.Join(f.form, " "), "<") {
				continue
			}
			r.Version = "before"
			if f.kind == "at" {
				r.Version = "at"
			}
			about := ""
			if m.shut > m.open {
				about = join(request, words[m.open:m.shut])
				if f.kind == "gone" {
					about += " " + join(request, nextContent(words[m.shut:], 3))
				}
			}
			rest := words
			if f.kind == "before" && r.Operation == treetask.Restore && m.from > 0 && wholeBack(words[:m.from]) {
				r.Task = everythingTask
			} else if f.kind != "gone" && f.kind != "back" {
				r.Task = cutWords(request, words, m.from, m.to)
			}
			if m.shut > m.open {
				rest = slices.Concat(words[:m.open], words[m.shut:])
			}
			r.About = aboutOf(about, rest, f.kind == "gone")
			return r, append(notes, "a change that is spoken of: "+f.kind)
		}
	}
	if r.Operation == treetask.Restore {
		r.Version, r.About = "before", aboutOf("", words, false)
		if wholeBack(words) {
			r.Version, r.Number, r.About = "number", -2, ""
		}
	}
	return r, notes
}

// wantedBack reports whether a request wants something back as it was.
func wantedBack(words []word) (string, bool) {
	for _, c := range clauses(words) {
		if c.manner == question && c.op == treetask.Read && !hasForm(c.words, "have/put/get/bring/take/switch .. back", "want/like .. back") {
			continue
		}
		for _, f := range ruleForms() {
			switch m, ok := f.form.find(c.words); {
			case !ok:
			case f.form[len(f.form)-1] == "$" && slices.Contains(f.form, "after") && slices.ContainsFunc(c.words, func(w word) bool { return w.in("not") }):
			case f.kind == "undo", f.kind == "whole", f.kind == "steps" && !hasForm(c.words, "before/without"),
				f.kind == "back" && !slices.Contains(f.form, "<") && !towardsValue(c.words, m):
				return "wants something back", true
			}
		}
	}
	return "", false
}

// towardsValue reports whether "back" goes to a value that is named or by an
// amount: no earlier version is needed for that.
func towardsValue(words []word, m match) bool {
	for i, w := range words {
		if w.low != "back" && w.low != "after" {
			continue
		}
		if i+1 < len(words) && (words[i+1].low == "on" || words[i+1].low == "in") {
			continue
		}
		for _, n := range words[i+1 : min(len(words), i+4)] {
			_, value := number(n.low)
			_, day := weekdays[n.low]
			if n.mark {
				break
			}
			if value || day || n.low == "a" || n.low == "an" || n.low == "half" {
				return true
			}
		}
		if i > 0 && (words[i-1].low == "call" || words[i-1].low == "flight" || words[i-1].low == "way" || words[i-1].low == "train") {
			return true
		}
		if i > 1 && words[i-2].low == "call" {
			return true
		}
	}
	return m.to == m.from
}

// wholeBack reports whether words name nothing but the memory.
func wholeBack(words []word) bool {
	for _, w := range words {
		if content(w) && !w.in("restore") && !w.in("version") && !w.in("changed") && !w.in("everything") && !w.in("deed") && !w.in("filler") && !w.in("former") && !w.in("ask") && !w.in("neutral") {
			return false
		}
	}
	return true
}

// namesNothing reports whether the words around a match name nothing but the
// memory.
func namesNothing(words []word, m match) bool {
	return wholeBack(words[:m.from]) && wholeBack(words[m.to:])
}

// cutWords returns a text without some of its words.
func cutWords(s string, words []word, from, to int) string {
	if from >= to {
		return strings.TrimSpace(s)
	}
	return strings.TrimSpace(strings.TrimRight(s[:words[from].start], " ,") + s[words[to-1].end:])
}

// nextContent returns the words up to the n-th that says something.
func nextContent(words []word, n int) []word {
	for i, w := range words {
		if w.mark || w.low == "and" || w.low == "but" {
			return words[:i]
		}
		if content(w) {
			if n--; n == 0 {
				return words[:i+1]
			}
		}
	}
	return words
}

// aboutOf writes a change for comparing it with those that were made, its verb as
// summaries of versions have it. It takes words of the request where the change
// itself names nothing.
func aboutOf(about string, rest []word, away bool) string {
	var out []string
	named := 0
	all := scan(about)
	for i, w := range all {
		switch {
		case w.mark:
		case i > 0 && w.in("deed") && slices.Contains([]string{"my", "our", "the", "that"}, all[i-1].low):
			out = append(out, w.low)
		case w.in("deleted"):
			out = append(out, "deleted")
		case w.in("updated"):
			out = append(out, "updated")
		case w.in("created"):
			out = append(out, "created")
		default:
			out = append(out, w.low)
			if content(w) && !w.in("changed") && !w.in("ask") {
				named++
			}
		}
	}
	if away && !slices.Contains(out, "deleted") {
		out = append(out, "deleted")
	}
	if named < 2 {
		var extra []string
		for _, w := range rest {
			if content(w) && !w.in("ask") && !w.in("changed") && !slices.Contains(out, w.low) {
				extra = append(extra, w.low)
			}
		}
		out = append(out, extra[max(0, len(extra)-8):]...)
	}
	if len(out) == 0 {
		return "changed"
	}
	return strings.Join(out, " ")
}

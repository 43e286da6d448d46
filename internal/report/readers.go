package report

import (
	"slices"
	"strings"
	"unicode"

	"recallbench/internal/published"
)

// readers returns the models of the table's rows, in order; none where its rows
// have no model.
func (c comparison) readers() []string {
	var readers []string
	for _, r := range c.table.Rows {
		if r.Model != "" && !slices.Contains(readers, r.Model) {
			readers = append(readers, r.Model)
		}
	}
	return readers
}

// reader returns the reader of a row of the table that answered a line.
func (c comparison) reader(l *line) (published.Reader, bool) {
	if l.model.Offline {
		return published.Reader{}, false
	}
	readers := c.readers()
	i := slices.IndexFunc(c.table.Readers, func(r published.Reader) bool {
		return slices.Contains(readers, r.Row) && (r.Is(l.model.Reader) || slices.ContainsFunc(l.model.Served, r.Is))
	})
	if i < 0 {
		return published.Reader{}, false
	}
	return c.table.Readers[i], true
}

// nearest returns the reader of the table whose rows a line stands beside: the
// one that answered it, else the one with the longest beginning of its name in
// common with the name of the line's model, else the first. The offline backend
// has no model, and stands beside the first.
func (c comparison) nearest(l *line) string {
	if r, ok := c.reader(l); ok {
		return r.Row
	}
	best, most := "", -1
	for _, reader := range c.readers() {
		names := []string{reader}
		if r, ok := c.table.Reader(reader); ok {
			names = append(names, r.Names...)
		}
		common := 0
		if !l.model.Offline {
			for _, own := range append([]string{l.model.Reader}, l.model.Served...) {
				for _, name := range names {
					common = max(common, sameBeginning(own, name))
				}
			}
		}
		if common > most {
			best, most = reader, common
		}
	}
	return best
}

// sameBeginning returns how many letters and digits two names of models have in
// common from their beginning, without what stands before a slash, such as a
// provider.
func sameBeginning(a, b string) int {
	plain := func(name string) string {
		name = name[strings.LastIndexByte(name, '/')+1:]
		return strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return -1
			}
			return unicode.ToLower(r)
		}, name)
	}
	a, b = plain(a), plain(b)
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// beside reports whether a line may stand beside the rows of a model: those of
// its own reader, where the table has it; else those of the nearest one, or where
// all readers are asked for, of each.
func (c comparison) beside(l *line, model string) bool {
	if model == "" {
		return true
	}
	if r, ok := c.reader(l); ok {
		return r.Row == model
	}
	return c.AllReaders || c.nearest(l) == model
}

// shown returns the rows of the table that are printed: those of the readers that
// are nearest to the lines', or all.
func (c comparison) shown() []published.Row {
	return slices.DeleteFunc(slices.Clone(c.table.Rows), func(r published.Row) bool {
		return r.Model != "" && !c.AllReaders && !slices.ContainsFunc(c.lines, func(l *line) bool { return c.nearest(l) == r.Model })
	})
}

// hiddenNote says which readers of the table are not shown; empty for none.
func (c comparison) hiddenNote() string {
	var hidden []string
	for _, model := range c.readers() {
		if !slices.ContainsFunc(c.rows, func(r published.Row) bool { return r.Model == model }) {
			hidden = append(hidden, model)
		}
	}
	if len(hidden) == 0 {
		return ""
	}
	return "only the published rows of the nearest model; 'bench table RUN --published all' adds those of " + strings.Join(hidden, ", ")
}

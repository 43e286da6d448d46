package interchange

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/record"
	"recallbench/internal/text/termsafe"
	"recallbench/metrics"
)

// writeBenchfmt writes the Go benchmark format, as
// golang.org/design/14313-benchmark-format and golang.org/x/perf/benchfmt have it:
//
//	dataset: locomo@sha256:79fa87e90f04
//	reader: gpt-4o-mini
//	backend: openai
//	Unit f1@mem0-pct better=higher assume=nothing
//	BenchmarkLocomo/method=xmemory/model=gpt-4o-mini/cat=temporal 321 41.2 f1@mem0-pct
//
// A line is a cell, or a category of it; those of several seeds have the same name
// and are the samples that benchstat tests. The number behind the name is that of
// the requests. Ratios are in percent, as tables print them.
//
// Only what makes numbers incomparable is configuration: benchstat splits its
// tables by all of it. What else is good to know, such as the run and the version,
// stands in comments, so that runs of two versions can be compared.
func writeBenchfmt(e *Export, w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# recallbench: %s\n", configValue(e.Version))
	for _, c := range e.Columns {
		better := " better=higher"
		switch {
		case c.Neutral:
			better = ""
		case c.Lower:
			better = " better=lower"
		}
		fmt.Fprintf(b, "Unit %s%s assume=nothing\n", benchUnit(c), better)
	}
	config := make(map[string]string)
	for _, c := range e.Cells {
		fmt.Fprintf(b, "# run: %s, cell %s, seed %d\n", configValue(runName(c.Run)), configValue(c.ID), c.Seed)
		backend := c.Model.Backend
		if c.Model.Offline {
			backend = "offline"
		}
		for _, line := range [][2]string{
			{"dataset", fmt.Sprintf("%s@sha256:%s", c.Dataset.Name, c.Dataset.SHA256[:min(12, len(c.Dataset.SHA256))])},
			{"reader", c.Model.Reader},
			{"backend", backend},
		} {
			if value, ok := config[line[0]]; !ok || value != line[1] {
				config[line[0]] = line[1]
				fmt.Fprintf(b, "%s: %s\n", line[0], configValue(line[1]))
			}
		}
		if err := benchLines(e, c, b); err != nil {
			return err
		}
	}
	return b.Flush()
}

// benchLines writes the lines of a cell: that of all requests, then those of the
// categories in the order of the dataset.
func benchLines(e *Export, c Cell, w *bufio.Writer) error {
	all := newSums(e.Columns)
	categories := make(map[string]*sums)
	order := lists.Map(c.Dataset.Categories, func(cat record.Category) string { return cat.ID })
	for r, err := range c.Run.Requests(c.Cell) {
		if err != nil {
			return err
		}
		id := r.Gold.Category
		if categories[id] == nil {
			categories[id] = newSums(e.Columns)
			order = lists.AddNew(order, id)
		}
		all.add(r)
		categories[id].add(r)
	}
	benchLine(w, c, "all", all)
	for _, id := range order {
		if s := categories[id]; s != nil {
			benchLine(w, c, c.Dataset.CategoryName(id), s)
		}
	}
	return nil
}

// benchLine writes a line, unless it would have no number.
func benchLine(w *bufio.Writer, c Cell, category string, s *sums) {
	var values strings.Builder
	for i, column := range s.columns {
		if m, ok := s.mean(i); ok {
			fmt.Fprintf(&values, " %s %s", strconv.FormatFloat(m.value*column.Scale, 'g', -1, 64), benchUnit(column))
		}
	}
	if values.Len() == 0 {
		return
	}
	fmt.Fprintf(w, "Benchmark%s/method=%s/model=%s/cat=%s %d%s\n",
		upperFirst(benchName(c.Cell.Dataset)), benchName(c.Method), benchName(c.Cell.Model), lastName(benchName(category)), s.n, values.String())
}

// benchUnit is the unit of a column: its name, and for a ratio that it is in
// percent.
func benchUnit(c metrics.Column) string {
	unit := benchName(c.Name)
	if c.Scale == 100 {
		unit += "-pct"
	}
	return unit
}

// benchName escapes what would end a name or a part of it, as addresses do: white
// space and what does not print, the slash, and the percent sign itself.
func benchName(s string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(s, "\ufffd") {
		if r == '/' || r == '%' || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// lastName keeps digits behind a dash at the end of a name from being read as the
// number of processors.
func lastName(s string) string {
	digits := len(s) - len(strings.TrimRight(s, "0123456789"))
	if at := len(s) - digits - 1; digits > 0 && at >= 0 && s[at] == '-' {
		return s[:at] + "%2D" + s[at+1:]
	}
	return s
}

// upperFirst begins a name with a capital, which the name of a benchmark needs.
func upperFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// configValue makes a text one line.
func configValue(s string) string { return strings.TrimSpace(termsafe.Text(s)) }

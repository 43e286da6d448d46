// Package htmlreport holds the pages that show scored runs, and writes runs with these
// pages as one HTML file: tables and figures, settings, and every request with its
// question, gold answer, answers and evidence.
//
// The file needs nothing else and asks for nothing: its content security policy
// allows the one script and the one style sheet that it holds, by their hashes,
// and pictures that are part of it. Texts of datasets and models become text nodes.
//
// The requests are data for the script, not elements. An index of them all, one array
// for each property, is what filters read. Everything else about a request lies in
// chunks, as do the blocks of evidence; each is stored once for the whole page. The
// index and the chunks are JSON, gzip and base64 in script elements that no browser
// runs, and are inflated when they are looked at.
package htmlreport

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"recallbench/internal/publish/report"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/internal/result/transcript"
	"recallbench/metrics"
)

// A Page is what one file shows.
type Page struct {
	Title string
	Runs  []Run
	// Rankings ranks the rows by a column, or by the first that leads where it is empty.
	// Tables are those of the runs, and Figures what can be drawn of them. Each is made
	// when a reader asks for it, and may be nil.
	Rankings func(column string) ([]report.Ranking, error)
	Tables   func() (*report.Document, error)
	Figures  func() ([]Figure, error)
	// Metrics are those that the runs are scored with, each once.
	Metrics []*metrics.Spec
	// Column names the one that alone says which answers are right; where it is empty,
	// people, judges and f1@span do, as [metrics.Grounds] has it.
	Column string
	// Anonymous leaves out what tells of machines: command lines, configs, accounts and
	// the settings of datasets and models.
	Anonymous bool
	// Calls reads what models were asked and replied for a request. A file has that, the
	// memories that requests saw and what people say of answers where it is not nil.
	Calls func(*scored.Run, scored.Request) (*transcript.Transcript, error)
}

// A Run is a run with a name that tells it from the others of its page.
type Run struct {
	*scored.Run
	Name string
}

// A Figure is a drawing in SVG.
type Figure struct {
	Title string   `json:"title"`
	SVG   []byte   `json:"svg"`
	Notes []string `json:"notes,omitempty"`
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	book, err := p.Open()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err := layout.ExecuteTemplate(out, "file", struct{ Title, Policy string }{p.Title, filePolicy()}); err != nil {
		return err
	}
	fmt.Fprintf(out, "<style>%s</style>\n", style())
	if err := layout.ExecuteTemplate(out, "body", p.Title); err != nil {
		return err
	}
	if err := book.writeRequests(out); err != nil {
		return err
	}
	if book.data, err = book.index.seal(); err != nil {
		return err
	}
	for _, name := range Parts() {
		data, err := book.Part(name, "")
		if err != nil {
			return err
		}
		if err := writeData(out, name, data); err != nil {
			return err
		}
	}
	if err := book.writeRankings(out); err != nil {
		return err
	}
	if p.Calls != nil {
		if err := p.writeNotes(out); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "<script>%s</script>\n</body>\n</html>\n", script())
	return out.Flush()
}

// judging returns what says which answers are right, and the column whose values are shown,
// one that all runs are scored with if there is one.
func (p *Page) judging() (judging, error) {
	if p.Column != "" {
		_, err := scored.Decider(p.Metrics, p.Column)
		return judging{p.Column, p.Column}, err
	}
	c, err := scored.Judging(p.shared())
	if err != nil {
		c, err = scored.Judging(p.Metrics)
	}
	if !slices.ContainsFunc(p.Runs, func(r Run) bool {
		return slices.ContainsFunc(r.Header.Models, func(m record.Model) bool { return m.Backend != "none" })
	}) {
		return judging{byEvidence, c.Name}, err
	}
	return judging{"", c.Name}, err
}

// shared are the metrics that all runs are scored with.
func (p *Page) shared() []*metrics.Spec {
	return slices.DeleteFunc(slices.Clone(p.Metrics), func(spec *metrics.Spec) bool {
		return slices.ContainsFunc(p.Runs, func(r Run) bool { return !slices.Contains(r.Header.Metrics, spec.Name) })
	})
}

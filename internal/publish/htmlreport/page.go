// Package htmlreport writes scored runs as one HTML file to look through: tables and
// figures, settings, and every request with its question, gold answer, answers and
// evidence.
//
// The file needs nothing else and asks for nothing: its content security policy
// allows the one script and the one style sheet that it holds, by their hashes,
// and pictures that are part of it. Texts of datasets and models are escaped where
// Go writes them and become text nodes where the script does.
//
// The requests are data for the script, not elements. An index of them all, one
// array for each property, is what filters read. Everything else about a request
// lies in chunks, as do the blocks of evidence, each of which is stored once for
// the whole page. The index and the chunks are JSON, gzip and base64 in script
// elements that no browser runs, and are inflated when they are looked at.
package htmlreport

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"recallbench/internal/publish/report"
	"recallbench/internal/result/scored"
	"recallbench/internal/text/suggest"
	"recallbench/metrics"
)

// A Page is what one file shows.
type Page struct {
	Title string
	Runs  []Run
	// Tables are those of the runs.
	Tables  *report.Document
	Figures []Figure
	// Metrics are those that the runs are scored with, each once.
	Metrics []*metrics.Spec
	// An answer is right if its value in the column named Column, in the unit of
	// the scores, is at least Threshold. An empty Column stands for that of
	// [scored.Judging], with its threshold.
	Column    string
	Threshold float64
	// Anonymous leaves out what tells of machines: command lines, configs, accounts and
	// the settings of datasets and models.
	Anonymous bool
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
	if err := p.writeTop(out); err != nil {
		return err
	}
	if err := book.writeRequests(out); err != nil {
		return err
	}
	data, err := book.index.seal()
	if err != nil {
		return err
	}
	if err := writeData(out, "index", data); err != nil {
		return err
	}
	if err := p.writeRest(out, book.index); err != nil {
		return err
	}
	return out.Flush()
}

func (p *Page) writeTop(w *bufio.Writer) error {
	if err := layout.ExecuteTemplate(w, "head", head{p.Title, policy()}); err != nil {
		return err
	}
	fmt.Fprintf(w, "<style>%s</style>\n", style())
	figures := make([]picture, len(p.Figures))
	for i, f := range p.Figures {
		figures[i] = f.picture()
	}
	if err := layout.ExecuteTemplate(w, "top", top{p.Title, p.summaries(), figures}); err != nil {
		return err
	}
	if err := layout.ExecuteTemplate(w, "tables", nil); err != nil {
		return err
	}
	for _, t := range p.Tables.Tables {
		if err := t.HTML(w); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	w.WriteString("</section>\n")
	if len(figures) == 0 {
		return nil
	}
	return layout.ExecuteTemplate(w, "figures", figures)
}

func (p *Page) writeRest(w *bufio.Writer, x *index) error {
	if err := layout.ExecuteTemplate(w, "requests", requestsPart{x.Judging.String(), searched}); err != nil {
		return err
	}
	settings, err := p.settings()
	if err != nil {
		return err
	}
	if err := layout.ExecuteTemplate(w, "settings", settings); err != nil {
		return err
	}
	fmt.Fprintf(w, "<script>%s</script>\n</body>\n</html>\n", script())
	return nil
}

// judging returns how right answers are told from wrong ones: where nobody says,
// by what all runs are scored with if that will do.
func (p *Page) judging() (judging, error) {
	if p.Column == "" {
		c, ok := scored.Judging(p.shared())
		if !ok {
			c, ok = scored.Judging(p.Metrics)
		}
		if !ok {
			return judging{}, errors.New("no metric of the runs tells right answers from wrong ones")
		}
		return newJudging(c, scored.Even), nil
	}
	var names []string
	for _, spec := range p.Metrics {
		for _, c := range spec.Columns {
			if !scored.Judges(c) {
				continue
			}
			if c.Name == p.Column {
				return newJudging(c, p.Threshold), nil
			}
			names = append(names, c.Name)
		}
	}
	return judging{}, errors.New(suggest.Unknown("column of which higher is better", p.Column, names))
}

// shared are the metrics that all runs are scored with.
func (p *Page) shared() []*metrics.Spec {
	return slices.DeleteFunc(slices.Clone(p.Metrics), func(spec *metrics.Spec) bool {
		return slices.ContainsFunc(p.Runs, func(r Run) bool { return !slices.Contains(r.Header.Metrics, spec.Name) })
	})
}

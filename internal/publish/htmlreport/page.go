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
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsontree"
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
	Folder record.Folder
	Header record.Header
	Name   string
}

// A Figure is a drawing in SVG.
type Figure struct {
	Title string   `json:"title"`
	SVG   []byte   `json:"svg"`
	Notes []string `json:"notes,omitempty"`
}

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if err := layout.ExecuteTemplate(out, "file", struct{ Title, Policy string }{p.Title, filePolicy()}); err != nil {
		return err
	}
	fmt.Fprintf(out, "<style>%s</style>\n", style())
	if err := layout.ExecuteTemplate(out, "body", p.Title); err != nil {
		return err
	}
	if err := p.writeRequests(out); err != nil {
		return err
	}
	for _, name := range Parts()[1:] {
		if err := p.writePart(out, name, name, ""); err != nil {
			return err
		}
	}
	for i, column := range p.rankable() {
		if err := p.writePart(out, fmt.Sprint("ranking", i), "overview", column); err != nil {
			return err
		}
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
	c, err := scored.Judging(lists.Filter(p.Metrics, func(spec *metrics.Spec) bool { // that all runs are scored with
		return !slices.ContainsFunc(p.Runs, func(r Run) bool { return !slices.Contains(r.Header.Metrics, spec.Name) })
	}))
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

// clock is how the page prints a time, which is in UTC.
const clock = "2006-01-02 15:04:05 UTC"

// An overview is what a reader sees first.
type overview struct {
	Title string  `json:"title"`
	Runs  []group `json:"runs"`
	// Columns are those by which rows can be ranked, and Rankings are by one of them.
	Columns  []string         `json:"columns"`
	Rankings []report.Ranking `json:"rankings"`
}

// overview ranks the rows by a column.
func (p *Page) overview(column string) (overview, error) {
	o := overview{p.Title, p.summaries(), p.rankable(), []report.Ranking{}}
	if p.Rankings == nil {
		return o, nil
	}
	rankings, err := p.Rankings(column)
	o.Rankings = append(o.Rankings, rankings...)
	return o, err
}

// rankable are the columns that say which rows are better, but for those of usage.
func (p *Page) rankable() []string {
	names := []string{}
	for _, spec := range p.Metrics {
		for _, c := range spec.Columns {
			if !c.Neutral && spec.Of != metrics.Usage {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// writePart writes a part of the page as a data element.
func (p *Page) writePart(w io.Writer, id, name, column string) error {
	data, err := p.part(name, column)
	if err != nil {
		return err
	}
	return writeData(w, id, data)
}

// summaries says of each run what it is and what a reader has to know first; the settings
// have the rest.
func (p *Page) summaries() []group {
	return lists.Map(p.Runs, func(r Run) group {
		h := r.Header
		g := group{Title: r.Name}
		g.add("run", h.Name+", id "+h.ID)
		g.add("status", strings.TrimSuffix(string(h.Status)+": "+h.Stopped, ": "))
		g.add("edited", h.EditedNote())
		g.add("began", h.Start.UTC().Format(clock))
		g.add("datasets", lists.Map(h.Datasets, func(d record.Dataset) string {
			return strings.TrimSuffix(fmt.Sprintf("%s: %s about %s. %s", d.Label, report.Plural(d.Requests, "request"), report.Plural(d.Samples, "sample"), d.Caveat), ". ")
		})...)
		g.add("methods", lists.Distinct(h.Cells, func(c record.Cell) string { return c.Method })...)
		g.add("models", lists.Map(h.Models, func(m record.Model) string {
			if m.Offline {
				return m.Label + ", by the stand-in and no language model: not comparable with published numbers"
			}
			return strings.TrimSuffix(m.Label+": "+m.Reader, ": "+m.Label)
		})...)
		if h.Shard != nil {
			g.add("shard", fmt.Sprintf("%d of %d: a part of the samples", h.Shard.Index, h.Shard.Of))
		}
		if h.Paid != nil {
			g.add("spent", h.Paid.String())
		}
		g.add("left out", h.Skipped...)
		return g
	})
}

// A judging says what decides which answers are right.
type judging struct {
	By     string `json:"by"`     // a column alone, or byEvidence; empty for people, else judges, else f1@span
	Column string `json:"column"` // whose values are shown
}

// byEvidence stands for the evidence that reached the reader, which decides of runs without
// answers.
const byEvidence = "evidence"

// A group is facts under a title.
type group struct {
	Title string `json:"title"`
	Facts []fact `json:"facts"`
}

// A fact is a name with what is known under it.
type fact struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// add adds a fact, but for values that are empty.
func (g *group) add(name string, values ...string) {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	if len(values) > 0 {
		g.Facts = append(g.Facts, fact{name, values})
	}
}

// A setup is what a run was made with.
type setup struct {
	Name   string  `json:"name"`
	Groups []group `json:"groups"`
	Config string  `json:"config,omitempty"` // config.yaml; empty where it is left out or there is none
}

// settings are what run.json says, without the digests of its files: a group of what
// stands at its top, and one for each dataset, model, judge, cell and the like.
func (p *Page) settings() ([]setup, error) {
	var all []setup
	for _, r := range p.Runs {
		header, err := json.Marshal(p.shownOf(r.Header))
		if err != nil {
			return nil, err
		}
		tree, err := jsontree.Parse(header)
		if err != nil {
			return nil, err
		}
		top, parts := group{Title: "Run"}, []group(nil)
		for _, f := range tree.Fields {
			if !hasObjects(&f.Value) {
				top.addValue(f.Name, &f.Value)
				continue
			}
			for i, v := range f.Value.Items {
				g := group{Title: f.Name + " " + strconv.Itoa(i+1)}
				if named := cmp.Or(v.Get("label"), v.Get("id")); named != nil {
					g.Title = f.Name + " " + named.Text
				}
				g.addValue("", &v)
				parts = append(parts, g)
			}
		}
		measured := group{Title: "Metrics"}
		for _, spec := range p.Metrics {
			if slices.Contains(r.Header.Metrics, spec.Name) {
				measured.add(spec.Name, spec.Doc, spec.Source)
			}
		}
		for _, j := range r.Header.AllJudges() {
			measured.add("judge "+cmp.Or(j.Name, j.Label), r.Header.Trust(&j))
		}
		s := setup{Name: r.Name, Groups: slices.Concat([]group{top}, parts, []group{measured})}
		if !p.Anonymous {
			config, err := record.ReadRegular(r.Folder.Config())
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // imported answers have none
				return nil, err
			}
			s.Config = string(config)
		}
		all = append(all, s)
	}
	return all, nil
}

// shownOf is a header without digests, and where the page is anonymous, without what
// tells of machines.
func (p *Page) shownOf(h record.Header) record.Header {
	h.Files, h.Scored, h.Sum = nil, nil, ""
	if !p.Anonymous {
		return h
	}
	h.Argv = nil
	h.Datasets = lists.Map(h.Datasets, func(d record.Dataset) record.Dataset { d.Settings = nil; return d })
	h.Models = lists.Map(h.Models, func(m record.Model) record.Model { m.Settings = nil; return m })
	h.Judges = lists.Map(h.Judges, func(j record.Judge) record.Judge { j.Settings = nil; return j })
	if h.Judge != nil {
		judge := *h.Judge
		judge.Settings, h.Judge = nil, &judge
	}
	return h
}

// hasObjects reports whether a value is a list with objects.
func hasObjects(v *jsontree.Value) bool {
	return slices.ContainsFunc(v.Items, func(of jsontree.Value) bool { return of.Kind == jsontree.Object })
}

// addValue adds a value, of an object each field under its path.
func (g *group) addValue(name string, v *jsontree.Value) {
	for _, f := range v.Fields {
		g.addValue(strings.TrimSpace(name+" "+f.Name), &f.Value)
	}
	switch {
	case v.Kind == jsontree.Object:
	case hasObjects(v):
		for i := range v.Items {
			g.addValue(name+" "+strconv.Itoa(i+1), &v.Items[i])
		}
	default:
		g.add(strings.ReplaceAll(name, "_", " "), append(lists.Map(v.Items, func(of jsontree.Value) string { return of.Text }), v.Text)...)
	}
}

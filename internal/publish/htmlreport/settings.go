package htmlreport

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/result/record"
)

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

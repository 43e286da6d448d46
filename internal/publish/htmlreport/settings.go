package htmlreport

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
	"recallbench/metrics"
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

// settings lists what the runs were made with.
func (p *Page) settings() ([]setup, error) {
	var all []setup
	for _, r := range p.Runs {
		s := setup{Name: r.Name, Groups: []group{p.program(r.Header)}}
		for _, d := range r.Header.Datasets {
			s.Groups = append(s.Groups, p.dataset(d))
		}
		for _, m := range r.Header.Models {
			s.Groups = append(s.Groups, p.model("Model "+m.Label, m))
		}
		for _, j := range r.Header.AllJudges() {
			g := p.model("Judge "+cmp.Or(j.Name, j.Label), j.Model)
			g.add("id", j.ID)
			g.add("profile", j.Profile)
			g.add("prompts", j.Prompts)
			g.add("labels", r.Header.Trust(&j))
			s.Groups = append(s.Groups, g)
		}
		s.Groups = append(s.Groups, p.measured(r.Header))
		for _, t := range r.Header.Tunings {
			s.Groups = append(s.Groups, tuning(t))
		}
		for _, c := range r.Header.Cells {
			s.Groups = append(s.Groups, cellSettings(c))
		}
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

func (p *Page) program(h record.Header) group {
	g := group{Title: "Program"}
	version := h.Binary.Version
	if h.Binary.Commit != "" {
		version += ", commit " + h.Binary.Commit
	}
	if h.Binary.Dirty {
		version += ", with changes"
	}
	g.add("version", version)
	g.add("built with", h.Binary.Go, h.Binary.Host)
	if !p.Anonymous {
		g.add("command line", strings.Join(h.Argv, " "))
	}
	g.add("config", h.ConfigSHA256)
	seeds := []string{strconv.FormatUint(h.Seed, 10)}
	if len(h.Seeds) > 0 {
		seeds = nil
		for _, s := range h.Seeds {
			seeds = append(seeds, strconv.FormatUint(s, 10))
		}
	}
	g.add("seed", seeds...)
	if h.Shard != nil {
		g.add("shard", fmt.Sprintf("%d of %d", h.Shard.Index, h.Shard.Of))
	}
	g.add("recordings", h.Calls)
	g.add("prices of", h.Prices)
	if h.Paid != nil {
		g.add("spent", h.Paid.String())
	}
	if !p.Anonymous { // an account is named by its server
		for _, c := range h.Limits {
			g.add("limit of "+c.Account, fmt.Sprintf("%d from %s: %s", c.Limit, c.Time.UTC().Format(clock), c.Reason))
		}
	}
	return g
}

func (p *Page) dataset(d record.Dataset) group {
	g := group{Title: "Dataset " + d.Label}
	g.add("name", d.Name)
	g.add("version", d.Version)
	g.add("sha256", d.SHA256)
	g.add("size", size(d.Requests, d.Samples))
	categories := lists.Map(d.Categories, func(c record.Category) string { return c.ID + ": " + c.Name })
	g.add("categories", categories...)
	if !p.Anonymous {
		g.add("settings", pairs(d.Settings)...)
	}
	g.add("caveat", d.Caveat)
	if len(d.Errata) > 0 {
		g.add("answer key", d.AnswerKey())
	}
	g.add("warnings", d.Warnings...)
	return g
}

func (p *Page) model(title string, m record.Model) group {
	g := group{Title: title}
	g.add("backend", m.Backend)
	if m.Offline {
		g.add("stand-in", "in place of a language model")
	}
	g.add("asked for", m.Reader)
	g.add("served", m.Served...)
	g.add("fingerprints", m.Fingerprints...)
	g.add("tokenizer", m.Tokens)
	for _, role := range slices.Sorted(maps.Keys(m.Roles)) {
		g.add("role "+role, append([]string{m.Roles[role].Model}, m.Roles[role].Served...)...)
	}
	if !p.Anonymous {
		g.add("settings", pairs(m.Settings)...)
	}
	return g
}

func (p *Page) measured(h record.Header) group {
	g := group{Title: "Metrics"}
	for _, name := range h.Metrics {
		i := slices.IndexFunc(p.Metrics, func(s *metrics.Spec) bool { return s.Name == name })
		if i < 0 {
			g.add(name, "of another version of the program")
			continue
		}
		g.add(name, p.Metrics[i].Doc, p.Metrics[i].Source)
	}
	return g
}

func tuning(t record.Tuning) group {
	g := group{Title: fmt.Sprintf("Tuning of %s with %s", t.Method, t.Model)}
	for _, d := range t.Datasets {
		g.add("on", fmt.Sprintf("%s %s, %d requests", d.Name, d.Version, t.Requests))
	}
	g.add("for", t.Column)
	for i, point := range t.Points {
		name := "tried"
		if i == t.Chosen {
			name = "chosen"
		}
		g.add(name, fmt.Sprintf("%s: %.4g", compact(point.Options), point.Score))
	}
	return g
}

func cellSettings(c record.Cell) group {
	g := group{Title: fmt.Sprintf("Cell %s: %s on %s with %s", c.ID, c.Method, c.Dataset, c.Model)}
	g.add("method", c.Use)
	g.add("variant of", c.VariantOf)
	if from := c.Imported; from != nil {
		g.add("imported", from.File, from.Format, from.SHA256)
	}
	g.add("seed", strconv.FormatUint(c.Seed, 10))
	g.add("prompts", c.Prompts)
	g.add("planned", size(c.Planned, c.Samples))
	if len(c.Options) > 0 {
		g.add("options", compact(c.Options))
	}
	return g
}

func pairs(settings map[string]string) []string {
	return lists.Map(slices.Sorted(maps.Keys(settings)), func(k string) string { return k + ": " + settings[k] })
}

// compact is a value of a run's header as JSON, which it was read from.
func compact(v any) string {
	var b strings.Builder
	if err := jsonout.Lines(&b, v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

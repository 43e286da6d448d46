package config

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recallbench/datasets"
	"recallbench/datasets/errata"
	"recallbench/internal/backend"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/text/suggest"
	"recallbench/methods"
	"recallbench/metrics"
)

// A plugin is what an entry may use.
type plugin struct {
	name    string
	options any // the default ones; nil for none
}

// A list is one of the lists of entries with what they may use.
type list struct {
	key, kind string
	entries   []Entry
	plugins   []plugin
}

// checkedLists returns a config's lists in the order of its keys.
func checkedLists(c *Config, p Plugins) []list {
	return []list{
		{"datasets", "dataset", c.Datasets, lists.Map(p.Datasets, func(s *datasets.Spec) plugin { return plugin{s.Name, s.Options} })},
		{"methods", "method", c.Methods, lists.Map(p.Methods, func(s *methods.Spec) plugin { return plugin{s.Name, s.Options} })},
		{"models", "model", c.Models, lists.Map(p.Models, func(s *backend.Spec) plugin { return plugin{s.Name, s.Options} })},
	}
}

// resolve fills in what depends on the plug-ins, and records the faults of
// what the config names.
func resolve(c *Config, root strictyaml.Value, p Plugins) {
	resolveSeeds(c, root)
	all := checkedLists(c, p)
	for _, l := range all {
		if at := root.At(l.key); at.Exists() || !root.At("extends").Faulty() {
			l.resolve(at)
		}
	}
	resolveVariants(c.Methods, root.At("methods"))
	if at := root.At("tuning"); at.Exists() {
		c.Tuning.resolve(all[0], at, p)
	}
	if at := root.At("metrics"); at.Exists() {
		resolveMetrics(c.Metrics, at, p)
	} else {
		c.Metrics = p.MetricsOf(c.Datasets...)
	}
	resolveJudges(c.Judges, all[2], root.At("judges"), p)
	unique(c.Published, root.At("published"), func(name string) string {
		if slices.Contains(p.Published, name) {
			return ""
		}
		return suggest.Unknown("published table", name, p.Published)
	})
}

// resolve fills in the datasets that are tuned on.
func (t *Tuning) resolve(l list, at strictyaml.Value, p Plugins) {
	l.entries = t.Datasets
	l.resolve(at.At("datasets"))
	for i, e := range t.Datasets {
		if len(e.Errata) > 0 {
			at.At("datasets", i, "errata").Faultf("options are tuned on the published answers; leave out the key")
		}
	}
	switch metric := at.At("metric"); {
	case !metric.Exists() && !at.Faulty():
		at.Faultf("the key metric is missing, which names the metric to maximize; have %s", strings.Join(p.MetricNames, ", "))
	case metric.Exists() && !metric.Faulty():
		if spec, err := p.Metrics(t.Metric); err != nil {
			metric.Faultf("%v", err)
		} else if slices.Contains([]metrics.Part{metrics.Usage, metrics.Judgement, metrics.Rated}, spec.Of) || spec.Columns[0].Lower {
			metric.Faultf("cannot tune for %s; want a metric of answers or evidence in which higher is better", t.Metric)
		}
	}
}

func (l list) names() []string {
	return lists.Map(l.plugins, func(p plugin) string { return p.name })
}

// resolve fills in the labels and options of a list's entries.
func (l list) resolve(at strictyaml.Value) {
	if len(l.entries) == 0 && !at.Faulty() {
		at.Faultf("want at least one %s; have %s", l.kind, strings.Join(l.names(), ", "))
	}
	for i := range l.entries {
		l.resolveEntry(i, at.At(i))
	}
}

// resolveEntry fills in the label and options of an entry.
func (l list) resolveEntry(i int, at strictyaml.Value) {
	e := &l.entries[i]
	if !at.At("use").Exists() {
		if !at.Faulty() {
			at.Faultf("the key use is missing, which names the %s; have %s", l.kind, strings.Join(l.names(), ", "))
		}
		return
	}
	l.resolveUse(e, at)
	label := at.At("label")
	if !label.Exists() {
		e.Label = e.Use
	}
	if at.At("use").Faulty() || label.Faulty() {
		return
	}
	// Labels name files, and not every file system tells A from a.
	first := slices.IndexFunc(l.entries[:i], func(other Entry) bool { return strings.EqualFold(other.Label, e.Label) })
	switch {
	case e.Label == "":
		label.Faultf("empty; leave out the key to use the name in use")
	case utf8.RuneCountInString(e.Label) > maxLabel:
		label.Faultf("want at most %d characters, including those that axes add", maxLabel)
	case strings.TrimSpace(e.Label) != e.Label, strings.ContainsFunc(e.Label, unicode.IsControl):
		label.Faultf("want text without line breaks, control characters or surrounding white space")
	case l.key == "datasets" && strings.ContainsAny(e.Label, notInFiles):
		label.Faultf(`want text without / \ : * ? " < > |, as files are named by a dataset's label`)
	case first >= 0:
		label.Faultf("%[2]s[%[3]d] has the label %[1]q, too; set label to another name, such as %[4]q", e.Label, l.key, first, e.Label+" 2")
	}
}

// resolveUse finds what an entry uses and decodes its options.
func (l list) resolveUse(e *Entry, at strictyaml.Value) {
	for key, of := range map[string]string{
		"optional": "datasets", "errata": "datasets", "answer_key": "datasets", "key_options": "datasets", "variant_of": "methods",
	} {
		needsErrata := key == "key_options" || key == "answer_key" && e.AnswerKey != errata.Published
		switch v := at.At(key); {
		case !v.Exists() || v.Faulty():
		case l.key != of:
			v.Faultf("only %s have this key", of)
		case needsErrata && len(e.Errata) == 0:
			v.Faultf("there are no errata to apply; name some, such as errata: [locomo-audit]")
		}
	}
	i := slices.IndexFunc(l.plugins, func(p plugin) bool { return p.name == e.Use })
	if i < 0 {
		if use := at.At("use"); !use.Faulty() {
			msg := suggest.Unknown(l.kind, e.Use, l.names())
			if l.key == "models" && !strings.Contains(msg, "did you mean") {
				msg += "; to call a server, write {use: live, options: {chat: {base_url: URL, model: NAME}}}"
			}
			use.Faultf("%s", msg)
		}
		return
	}
	options := at.At("options")
	if l.plugins[i].options == nil {
		if options.Exists() {
			options.Faultf("%s has no options", e.Use)
		}
		return
	}
	e.Options = options.Over(l.plugins[i].options)
}

// resolveSeeds makes the first of several seeds the seed. A list of one is the
// same as that seed.
func resolveSeeds(c *Config, root strictyaml.Value) {
	at := root.At("seeds")
	if !at.Exists() || at.Faulty() {
		return
	}
	if len(c.Seeds) == 0 {
		at.Faultf("want at least one seed; leave out the key for one run with seed")
		return
	}
	if root.At("seed").Exists() {
		at.Faultf("seed is set, too; want one of them: seed for one run of everything, seeds for several")
	}
	for i, seed := range c.Seeds {
		if j := slices.Index(c.Seeds[:i], seed); j >= 0 {
			at.At(i).Faultf("%d is already in the list, at [%d]", seed, j)
		}
	}
	c.Seed = c.Seeds[0]
	if len(c.Seeds) == 1 {
		c.Seeds = nil
	}
}

// resolveVariants checks that what methods are variants of is there.
func resolveVariants(methods []Entry, at strictyaml.Value) {
	for i, m := range methods {
		at := at.At(i, "variant_of")
		if !at.Exists() || at.Faulty() {
			continue
		}
		j := slices.IndexFunc(methods, func(other Entry) bool { return other.Label == m.VariantOf })
		switch {
		case j == i:
			at.Faultf("%q is the method itself; want the label of another", m.VariantOf)
		case j < 0:
			labels := lists.Map(slices.Concat(methods[:i], methods[i+1:]), func(e Entry) string { return e.Label })
			at.Faultf("%s", suggest.Unknown("method label", m.VariantOf, labels))
		case methods[j].VariantOf != "":
			at.Faultf("%q is itself a variant of %q; want the label of a method that is not a variant", m.VariantOf, methods[j].VariantOf)
		}
	}
}

// MetricsOf returns the metrics that datasets bring, in the order of MetricNames.
func (p Plugins) MetricsOf(entries ...Entry) []string {
	var all []string
	for _, s := range p.Datasets {
		if slices.ContainsFunc(entries, func(e Entry) bool { return e.Use == s.Name }) {
			all = lists.AddNew(all, s.Metrics...)
		}
	}
	place := func(metric string) int { // which may be cut at a rank
		return slices.IndexFunc(p.MetricNames, func(name string) bool { return metric == name || strings.HasPrefix(metric, name+"@") })
	}
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	return all
}

func resolveMetrics(names []string, at strictyaml.Value, p Plugins) {
	if len(names) == 0 && !at.Faulty() {
		at.Faultf("want at least one metric; have %s", strings.Join(p.MetricNames, ", "))
	}
	unique(names, at, func(name string) string {
		if _, err := p.Metrics(name); err != nil {
			return err.Error()
		}
		return ""
	})
}

// judgeLabel is what columns are named by.
var judgeLabel = regexp.MustCompile(`^[\pL\pN_@.-]*$`)

// resolveJudges checks judges and fills in the options of their models.
func resolveJudges(judges []Judge, models list, at strictyaml.Value, p Plugins) {
	for i := range judges {
		j, at := &judges[i], at.At(i)
		if profile := at.At("profile"); !slices.Contains(p.Judges, j.Profile) && !profile.Faulty() {
			profile.Faultf("%s", suggest.Unknown("profile of a judge", j.Profile, p.Judges))
		}
		if label := at.At("label"); label.Exists() && !label.Faulty() {
			switch same := slices.IndexFunc(judges[:i], func(o Judge) bool { return o.Label == j.Label }); {
			case j.Label == "" || !judgeLabel.MatchString(j.Label):
				label.Faultf("is %q, want letters, digits, dots, hyphens, underscores and @", j.Label)
			case same >= 0:
				label.Faultf("judges[%[2]d] has the label %[1]q, too", j.Label, same)
			}
		}
		if model := at.At("model"); model.Exists() {
			models.entries = []Entry{j.Model}
			models.resolveEntry(0, model)
			j.Model = models.entries[0]
		}
	}
}

// unique records the names of a list that come twice and those with a fault.
func unique(names []string, at strictyaml.Value, fault func(name string) string) {
	for i, name := range names {
		at := at.At(i)
		if j := slices.Index(names[:i], name); j >= 0 && !at.Faulty() {
			at.Faultf("%q is already in the list, at [%d]", name, j)
		} else if msg := fault(name); msg != "" && !at.Faulty() {
			at.Faultf("%s", msg)
		}
	}
}

package config

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/strictyaml"
	"recallbench/internal/text/suggest"
)

// resolveExclude checks the conditions of a config, and puts the labels of its copies in
// the place of one that is written. If it is lenient, it leaves out conditions on what is
// not there: the command line may have replaced it.
func (c *Config) resolveExclude(at strictyaml.Value, made map[string][]made, lenient bool) {
	var kept []Exclusion
	for i, e := range c.Exclude {
		at, meets := at.At(i), true
		if !at.Faulty() && len(e.Dataset)+len(e.Method)+len(e.Model)+len(e.Seed) == 0 {
			at.Faultf("no condition; want a mapping with at least one of dataset, method, model, seed")
		}
		for list, labels := range map[string]*[]string{"dataset": &e.Dataset, "method": &e.Method, "model": &e.Model} {
			found := copiesOf(*labels, at.At(list), made[list+"s"], lenient)
			meets = meets && (len(found) > 0 || len(*labels) == 0)
			*labels = found
		}
		seeds := lists.Filter(e.Seed, func(seed uint64) bool { return slices.Contains(c.EachSeed(), seed) })
		if len(seeds) < len(e.Seed) && !lenient && !at.Faulty() {
			at.At("seed").Faultf("has what is not a seed of the run; have %s", strings.Trim(fmt.Sprint(c.EachSeed()), "[]"))
		}
		if meets && (len(seeds) > 0 || len(e.Seed) == 0) {
			e.Seed = seeds
			kept = append(kept, e)
		}
	}
	if c.Exclude = kept; len(kept) == 0 || at.Faulty() {
		return
	}
	for range c.Cells() {
		return
	}
	at.Faultf("leaves no cell to run")
}

// copiesOf returns the labels of the entries that are made of those that labels name.
func copiesOf(labels []string, at strictyaml.Value, all []made, lenient bool) (found []string) {
	for i, label := range labels {
		copies := lists.Filter(all, func(m made) bool { return m.label == label || m.written == label })
		if len(copies) == 0 && !lenient {
			at.At(i).Faultf("%s", suggest.Unknown("label", label, lists.Map(all, func(m made) string { return m.label })))
		}
		found = lists.AddNew(found, lists.Map(copies, func(m made) string { return m.label })...)
	}
	return found
}

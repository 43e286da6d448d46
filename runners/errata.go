package runners

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/result/record"
)

// answerKeys is what a dataset is scored under besides its published answers; the
// zero value for nothing.
type answerKeys struct {
	keys    record.Dataset // has the keys alone
	changes []errata.Change
	notes   []string
}

// matchErrata matches overlays to questions.
func matchErrata(data errata.Data, key errata.Key, overlays []*errata.Overlay) (answerKeys, error) {
	m, err := errata.Match(data, overlays...)
	if key == "" {
		key = errata.Published
	}
	all := answerKeys{record.Dataset{Key: key, KeyOptions: data.Options.String()}, m.Changes, m.Notes}
	for _, o := range overlays {
		all.keys.Errata = append(all.keys.Errata, record.Overlay{Name: o.Name, Version: o.Version, SHA256: o.SHA256, License: o.License, Source: o.Source, Attribution: o.Attribution})
	}
	return all, err
}

// openErrata opens the errata of a dataset and matches them to its questions.
func (p *Plan) openErrata(ctx context.Context, entry config.Entry, set *datasets.Set) (answerKeys, error) {
	if slices.ContainsFunc(set.Entries, func(e datasets.Entry) bool { return e.Tree }) {
		return answerKeys{}, errors.New("errata are about answers, but rules check its tasks; leave out the key errata")
	}
	env := p.datasetEnv()
	overlays, err := errata.OpenAll(ctx, env, entry.Errata)
	if err != nil {
		return answerKeys{}, err
	}
	questions, err := errata.Questions(ctx, set, overlays...)
	if err != nil {
		return answerKeys{}, err
	}
	return matchErrata(errata.Data{
		Dataset: set.Name, SHA256: set.SHA256, Questions: questions,
		Categories: lists.Map(set.Categories, func(c datasets.Category) string { return c.ID }), Options: entry.KeyOptions,
	}, entry.AnswerKey, overlays)
}

// write writes the changes of those requests that are asked; nothing without errata.
func (a answerKeys) write(path string, asked func(key) bool) error {
	if len(a.keys.Errata) == 0 {
		return nil
	}
	return writeLines(path, lists.Filter(a.changes, func(c errata.Change) bool { return asked(key{c.Sample, c.Request}) }))
}

// errataFiles are the files of the datasets of a run that have errata.
func errataFiles(folder record.Folder, h *record.Header) []string {
	with := lists.Filter(h.Datasets, func(d record.Dataset) bool { return len(d.Errata) > 0 })
	return lists.Map(with, func(d record.Dataset) string { return folder.Errata(d.Label) })
}

// SetErrata gives a run other errata, matched to its own questions, and makes a key
// the one that counts; an empty one leaves it. Without overlays the run has those
// that it had, and with remove none. The caller has the folder to itself, and scores
// the run and writes the header afterwards.
func SetErrata(folder record.Folder, h *record.Header, overlays []*errata.Overlay, key errata.Key, options errata.Options, remove bool) (notes []string, err error) {
	h.Datasets = slices.Clone(h.Datasets)
	names := lists.Map(h.Datasets, func(d record.Dataset) string { return d.Name })
	var faults []error
	for _, o := range overlays {
		if !slices.Contains(names, o.Dataset) {
			faults = append(faults, fmt.Errorf("errata %s are for the dataset %s; the run has %s", o.Name, o.Dataset, strings.Join(names, ", ")))
		}
	}
	given := make(map[*record.Dataset]answerKeys)
	for i := range h.Datasets {
		d := &h.Datasets[i]
		of := lists.Filter(overlays, func(o *errata.Overlay) bool { return o.Dataset == d.Name })
		switch {
		case len(of) > 0:
			given[d], err = matchFolder(folder, *d, options, of)
			faults = append(faults, err)
			notes = append(notes, lists.Map(given[d].notes, func(note string) string { return "dataset " + d.Label + ": " + note })...)
		case remove:
			given[d] = answerKeys{}
		}
	}
	if err = errors.Join(faults...); err == nil {
		err = rewriteErrata(folder, h, given)
	}
	if err != nil {
		return nil, err
	}
	has := false
	for i := range h.Datasets {
		if d := &h.Datasets[i]; key != "" && len(d.Errata) > 0 {
			d.Key, has = key, true
		}
	}
	if key != "" && !has {
		return nil, fmt.Errorf("the run has no errata, and only the key %s; name errata with --errata", errata.Published)
	}
	return notes, nil
}

// matchFolder matches overlays to the questions that a run holds of a dataset.
func matchFolder(folder record.Folder, d record.Dataset, options errata.Options, overlays []*errata.Overlay) (answerKeys, error) {
	data := errata.Data{
		Dataset: d.Name, SHA256: d.SHA256, Options: options,
		Categories: lists.Map(d.Categories, func(c datasets.Category) string { return c.ID }),
	}
	for g, err := range record.Values[record.Gold](folder.Gold(d.Label)) {
		if err != nil {
			return answerKeys{}, err
		}
		if g.Expect != nil {
			return answerKeys{}, fmt.Errorf("dataset %s: errata are about answers, but rules check its tasks", d.Label)
		}
		data.Questions = append(data.Questions, errata.Question{Sample: g.Sample, Request: g.Request, Name: g.Name, Text: g.Question, Answer: g.Answer})
	}
	return matchErrata(data, d.Key, overlays)
}

// rewriteErrata writes the changes of datasets of a header. Until that is done the header
// on the disk has no errata of them: a kill leaves the published answers.
func rewriteErrata(folder record.Folder, h *record.Header, given map[*record.Dataset]answerKeys) error {
	if len(given) == 0 {
		return nil
	}
	sealed := len(h.Files) > 0
	var paths []string
	for d := range given {
		d.SetKeys(record.Dataset{})
		paths = append(paths, folder.Errata(d.Label))
	}
	if err := errors.Join(folder.Unseal(h, paths...), folder.WriteHeader(*h)); err != nil {
		return err
	}
	for d, keys := range given {
		path := folder.Errata(d.Label)
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := keys.write(path, func(key) bool { return true }); err != nil {
			return err
		}
		d.SetKeys(keys.keys)
	}
	if !sealed {
		return nil
	}
	return folder.Seal(h, nil, paths...)
}

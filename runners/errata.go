package runners

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/datasets/errata"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
)

// answerKeys is what a dataset is scored under besides its published answers; the
// zero value for nothing.
type answerKeys struct {
	overlays []record.Overlay
	key      errata.Key // the one that counts
	options  string     // by which the changes were made
	changes  []errata.Change
	notes    []string
}

func newAnswerKeys(overlays []*errata.Overlay, key errata.Key, o errata.Options, m errata.Matching) answerKeys {
	if key == "" {
		key = errata.Published
	}
	return answerKeys{key: key, options: o.String(), changes: m.Changes, notes: m.Notes, overlays: lists.Map(overlays, func(o *errata.Overlay) record.Overlay {
		return record.Overlay{Name: o.Name, Version: o.Version, SHA256: o.SHA256, License: o.License, Source: o.Source, Attribution: o.Attribution}
	})}
}

// openErrata opens the errata of a dataset and matches them to its questions.
func (p *Plan) openErrata(ctx context.Context, spec *datasets.Spec, entry config.Entry, set *datasets.Set) (answerKeys, error) {
	if slices.ContainsFunc(set.Entries, func(e datasets.Entry) bool { return e.Tree }) {
		return answerKeys{}, errors.New("errata are about answers, and its requests are checked by rules; leave the key errata out")
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
	m, err := errata.Match(errata.Data{
		Dataset: set.Name, SHA256: set.SHA256, Questions: questions, Has: errata.Asks(ctx, spec, env, set.SHA256),
		Categories: lists.Map(set.Categories, func(c datasets.Category) string { return c.ID }), Options: entry.KeyOptions,
	}, overlays...)
	return newAnswerKeys(overlays, entry.AnswerKey, entry.KeyOptions, m), err
}

// write writes the changes of the requests of some samples; nothing without errata.
func (a answerKeys) write(path string, samples []datasets.Entry) error {
	if len(a.overlays) == 0 {
		return nil
	}
	asked := make(map[key]bool)
	for _, s := range samples {
		for _, r := range s.Requests {
			asked[key{s.ID, r.ID}] = true
		}
	}
	return writeChanges(path, lists.Filter(a.changes, func(c errata.Change) bool { return asked[key{c.Sample, c.Request}] }))
}

func writeChanges(path string, changes []errata.Change) error {
	return record.WriteFile(path, func(w io.Writer) error { return jsonout.Lines(w, changes...) })
}

// keepErrata goes on with the errata that a run has: they change no answer, and may
// have come after it.
func (p *Plan) keepErrata(dir string, h record.Header) {
	for i := range p.header.Datasets {
		own := &p.header.Datasets[i]
		has, ok := h.Dataset(own.Label)
		if !ok {
			continue
		}
		if !own.SameKeys(has) {
			p.env.Log.Warn(fmt.Sprintf("dataset %s: %s is scored by the answer key it has, %s; 'bench score %[2]s' with --errata, --key and --options gives it another", own.Label, dir, has.AnswerKey()))
		}
		own.SetKeys(has)
	}
}

// SetErrata gives a run other errata, matched to its own questions, and makes a key
// the one that counts; an empty one leaves it. Without overlays the run has those
// that it had, and with remove none. The caller has the folder to itself, and scores
// the run and writes the header afterwards.
func SetErrata(folder record.Folder, h *record.Header, overlays []*errata.Overlay, key errata.Key, options errata.Options, remove bool) (notes []string, err error) {
	h.Datasets = slices.Clone(h.Datasets)
	var faults []error
	given := make(map[int]answerKeys)
	for i := range h.Datasets {
		d := &h.Datasets[i]
		of := lists.Filter(overlays, func(o *errata.Overlay) bool { return o.Dataset == d.Name })
		if len(of) > 0 {
			m, err := matchFolder(folder, *d, options, of)
			faults = append(faults, err)
			given[i] = newAnswerKeys(of, d.Key, options, m)
			for _, note := range m.Notes {
				notes = append(notes, "dataset "+d.Label+": "+note)
			}
		} else if remove {
			given[i] = answerKeys{}
		}
	}
	for _, o := range overlays {
		names := lists.Map(h.Datasets, func(d record.Dataset) string { return d.Name })
		if !slices.Contains(names, o.Dataset) {
			faults = append(faults, fmt.Errorf("errata %s are about the dataset %s; the run has %s", o.Name, o.Dataset, strings.Join(names, ", ")))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if err := rewriteErrata(folder, h, given); err != nil {
		return nil, err
	}
	for i := range h.Datasets {
		d := &h.Datasets[i]
		if key != "" && len(d.Errata) > 0 {
			d.Key = key
		}
	}
	if key != "" && !slices.ContainsFunc(h.Datasets, func(d record.Dataset) bool { return len(d.Errata) > 0 }) {
		return nil, fmt.Errorf("the run has no errata, and no key but %s; --errata names some", errata.Published)
	}
	return notes, nil
}

// matchFolder matches overlays to the questions that a run holds of a dataset.
func matchFolder(folder record.Folder, d record.Dataset, options errata.Options, overlays []*errata.Overlay) (errata.Matching, error) {
	data := errata.Data{
		Dataset: d.Name, SHA256: d.SHA256, Options: options,
		Categories: lists.Map(d.Categories, func(c record.Category) string { return c.ID }),
	}
	for g, err := range record.Values[record.Gold](folder.Gold(d.Label)) {
		if err != nil {
			return errata.Matching{}, err
		}
		if g.Expect != nil {
			return errata.Matching{}, fmt.Errorf("dataset %s: errata are about answers, and its requests are checked by rules", d.Label)
		}
		data.Questions = append(data.Questions, errata.Question{Sample: g.Sample, Request: g.Request, Name: g.Name, Text: g.Question, Answer: g.Answer})
	}
	return errata.Match(data, overlays...)
}

// rewriteErrata writes the changes of datasets. Until that is done the header on the
// disk has no errata of them: a kill leaves the published answers.
func rewriteErrata(folder record.Folder, h *record.Header, given map[int]answerKeys) error {
	if len(given) == 0 {
		return nil
	}
	sealed := len(h.Files) > 0
	var paths []string
	for i := range h.Datasets {
		if _, ok := given[i]; ok {
			h.Datasets[i].SetKeys(record.Dataset{})
			paths = append(paths, folder.Errata(h.Datasets[i].Label))
		}
	}
	if err := errors.Join(folder.Unseal(h, paths...), folder.WriteHeader(*h)); err != nil {
		return err
	}
	for i := range h.Datasets {
		keys, ok := given[i]
		path := folder.Errata(h.Datasets[i].Label)
		switch {
		case !ok:
			continue
		case len(keys.overlays) == 0:
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		default:
			if err := writeChanges(path, keys.changes); err != nil {
				return err
			}
		}
		h.Datasets[i].SetKeys(record.Dataset{Errata: keys.overlays, Key: keys.key, KeyOptions: keys.options})
	}
	if !sealed {
		return nil
	}
	return folder.Seal(h, paths...)
}

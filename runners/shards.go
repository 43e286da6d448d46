package runners

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"

	"recallbench/internal/result/note"
	"recallbench/internal/result/record"
)

// shardOf returns every n-th of samples, n being the number of shards, from the
// index of the shard on.
func shardOf(samples []datasets.Entry, s config.Shard) (kept []datasets.Entry) {
	for i := s.Index - 1; i < len(samples); i += s.Of {
		kept = append(kept, samples[i])
	}
	return kept
}

// takeShard leaves the datasets the samples of the config's shard. What a method
// is tuned on is not split, so that each shard makes the same choice. A shard may
// have no sample of a small dataset; where some shard would have none of any, the
// shards are too many, and every one of them says so.
func (p *Plan) takeShard() error {
	s := p.config.Shard
	if s == (config.Shard{}) {
		return nil
	}
	largest := p.sets[0]
	for i, d := range p.sets {
		if len(d.samples) > len(largest.samples) {
			largest = d
		}
		p.sets[i].samples = shardOf(d.samples, s)
		p.header.Datasets[i] = p.sets[i].info()
	}
	if n := len(largest.samples); s.Of > n {
		return fmt.Errorf("shard %s: there are more shards than conversations: the largest dataset, %s, has %d; want at most %d shards", s, largest.label, n, n)
	}
	p.header.Shard = &record.Shard{Index: s.Index, Of: s.Of}
	return nil
}

// shardText says which samples a run asks.
func shardText(s *record.Shard) string {
	if s == nil {
		return "all conversations"
	}
	return fmt.Sprintf("shard %d/%d", s.Index, s.Of)
}

// MergeOptions set which shards can be joined.
type MergeOptions struct {
	// Versions lets shards be of different versions of the program.
	Versions bool
	// Edited takes shards that were edited after they ended as they are.
	Edited bool
}

// A Merged is the run that shards are parts of. It is not scored.
type Merged struct {
	Result
	Folder record.Folder
	// Warnings are notes for readers of the run.
	Warnings []string
	// ErrorLimit is the share of failed requests that the config allows.
	ErrorLimit float64
}

// Merge writes the run folder that one machine would have written, of the folders of all
// shards of a run, in any order: into dir, or where dir is empty into a folder as
// [Plan.Start] makes it. Argv is the command line that the header names. The shards must
// be of the same run, each there once and complete; all faults are reported at once. The
// header comes last: a folder with a header is a whole run folder.
func Merge(dirs []string, dir string, argv []string, plugins config.Plugins, o MergeOptions) (m Merged, err error) {
	s := new(shards)
	defer func() {
		for _, one := range s.all {
			err = errors.Join(err, one.unlock())
		}
	}()
	var faults []error
	for _, dir := range dirs {
		one, err := s.open(dir, plugins, o)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		s.all = append(s.all, one)
	}
	slices.SortStableFunc(s.all, func(a, b *shard) int { return a.header.Shard.Index - b.header.Shard.Index })
	if err := errors.Join(append(faults, s.check(o)...)...); err != nil {
		return m, err
	}
	merged := *s.all[0].config
	merged.Shard = config.Shard{}
	text, err := merged.Marshal()
	if err != nil {
		return m, err
	}
	m.Header, m.ErrorLimit = s.header(argv, text), merged.Limits.Errors
	for _, one := range s.all {
		failed, requests, err := one.folder.Failed(one.header)
		if err != nil {
			return m, err
		}
		m.Requests, m.Failed = m.Requests+requests, m.Failed+len(failed)
	}
	if dir == "" {
		dir = runFolder(m.Header)
	}
	if m.Folder, err = record.Create(dir); err != nil {
		return m, err
	}
	unlock, err := m.Folder.Lock()
	if err != nil {
		return m, err
	}
	if err := s.write(m.Folder, &m.Header, text); err != nil {
		return m, errors.Join(fmt.Errorf("run folder: %w", err), unlock())
	}
	m.Warnings = s.warnings
	return m, unlock()
}

// shards are the parts of one run, in their order.
type shards struct {
	all      []*shard
	warnings []string
}

// A shard is the folder of a shard, which is locked.
type shard struct {
	dir    string
	folder record.Folder
	header record.Header
	config *config.Config
	unlock func() error
}

// String names the shard with its folder.
func (s *shard) String() string { return fmt.Sprintf("%s (%s)", shardText(s.header.Shard), s.dir) }

// open opens the folder of a shard. One that is named twice is locked once, so
// that it can be told which two names it has.
func (s *shards) open(dir string, plugins config.Plugins, o MergeOptions) (_ *shard, err error) {
	if record.Unbegun(dir) {
		return nil, fmt.Errorf("%s was killed before it asked anything; 'bench resume %s' continues it", dir, dir)
	}
	var options []record.Option
	if o.Edited {
		options = append(options, record.AcceptEdits)
	}
	if _, err := record.ReadHeader(dir, options...); err != nil {
		return nil, err
	}
	one := &shard{dir: dir, folder: record.Folder(dir), unlock: func() error { return nil }}
	if !slices.ContainsFunc(s.all, func(other *shard) bool { return record.SameFolder(dir, other.dir) }) {
		if one.unlock, err = one.folder.Lock(); err != nil {
			return nil, err
		}
	}
	if _, one.header, err = record.Open(dir, options...); err == nil {
		switch h := one.header; {
		case h.Shard == nil || h.Shard.Index < 1 || h.Shard.Index > h.Shard.Of:
			err = fmt.Errorf("%s is not a shard: it has all conversations", dir)
		case h.Status != record.Complete:
			err = fmt.Errorf("%s is unfinished; 'bench resume %s' finishes it", one, dir)
		default:
			one.config, err = config.Load(one.folder.Config(), plugins)
		}
	}
	if err != nil {
		return nil, errors.Join(err, one.unlock())
	}
	return one, nil
}

// check returns what keeps the shards from being joined.
func (s *shards) check(o MergeOptions) (faults []error) {
	if len(s.all) == 0 {
		return nil
	}
	first := s.all[0]
	at := make(map[int]*shard)
	for _, one := range s.all {
		if fault := sameRun(first, one); fault != nil {
			faults = append(faults, fmt.Errorf("%s is not a shard of the same run as %s: %w", one.dir, first.dir, fault))
			continue
		}
		if other := at[one.header.Shard.Index]; other != nil {
			faults = append(faults, fmt.Errorf("%s is given twice: %s and %s", shardText(one.header.Shard), other.dir, one.dir))
			continue
		}
		at[one.header.Shard.Index] = one
		if fault := sameProgram(first, one); fault != nil && !o.Versions {
			faults = append(faults, fmt.Errorf("%w; --any-version joins them anyway", fault))
		} else if fault != nil {
			s.warnings = append(s.warnings, fault.Error())
		}
		if one.judged() {
			s.warnings = append(s.warnings, fmt.Sprintf("%s has verdicts, ratings or notes, which are not joined; use 'bench judge' and 'bench judge people' on the joined run", one))
		}
	}
	var missing []string
	for i := 1; i <= first.header.Shard.Of; i++ {
		if at[i] == nil {
			missing = append(missing, fmt.Sprintf("%d/%d", i, first.header.Shard.Of))
		}
	}
	if len(missing) > 0 {
		faults = append(faults, fmt.Errorf("missing: shard %s", strings.Join(missing, ", ")))
	}
	return faults
}

// judged reports whether somebody has said something of a shard's answers.
func (s *shard) judged() bool {
	notes, err := note.Read(s.folder)
	return len(s.header.AllJudges()) > 0 || len(notes) > 0 || err != nil ||
		slices.ContainsFunc(s.header.Datasets, func(d record.Dataset) bool {
			_, err := os.Stat(s.folder.Asked(d.Label))
			return err == nil
		})
}

// sameProgram reports a shard that another version of the program made than the first:
// cells do not hash its code, so that their answers may be those of other methods.
func sameProgram(first, one *shard) error {
	a, b := first.header.Binary, one.header.Binary
	if a.Version == b.Version && a.Commit == b.Commit && a.Dirty == b.Dirty {
		return nil
	}
	text := func(b record.Binary) string { return strings.TrimSpace(b.Version + " " + b.Commit) }
	return fmt.Errorf("%s was made by another version of the program than %s: %s, not %s", one, first, text(b), text(a))
}

// sameRun reports what two shards differ in that those of one run do not.
func sameRun(a, b *shard) error {
	if keys := differentKeys(a.config, b.config); len(keys) > 0 {
		return fmt.Errorf("their configs differ in %s", strings.Join(keys, ", "))
	}
	if n, m := a.header.Shard.Of, b.header.Shard.Of; n != m {
		return fmt.Errorf("the run was split into %d parts, not %d", m, n)
	}
	label := func(d record.Dataset) string { return d.Label }
	if x, y := lists.Map(a.header.Datasets, label), lists.Map(b.header.Datasets, label); !slices.Equal(x, y) {
		return fmt.Errorf("its datasets are %s, not %s", strings.Join(y, ", "), strings.Join(x, ", "))
	}
	for i, d := range a.header.Datasets {
		if e := b.header.Datasets[i]; !e.SameKeys(d) {
			return fmt.Errorf("its dataset %s is scored with different errata or another answer key; 'bench score' with --errata, --key and --options makes them equal", d.Label)
		}
	}
	chosen := func(t record.Tuning) string {
		return fmt.Sprintf("point %d for %s with %s", t.Chosen, t.Method, t.Model)
	}
	if x, y := lists.Map(a.header.Tunings, chosen), lists.Map(b.header.Tunings, chosen); !slices.Equal(x, y) {
		return fmt.Errorf("tuning chose %q, not %q; share the recordings of their calls ('bench calls export'), or set the options", y, x)
	}
	return errors.Join(sameData(a.header.Datasets, b.header.Datasets), sameCells(a.header.Cells, b.header.Cells))
}

// differentKeys names the keys in which configs differ, but for those that change
// no answer and may be others on another machine.
func differentKeys(a, b *config.Config) (keys []string) {
	x, y := comparedKeys(a), comparedKeys(b)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[config.Config]()) {
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if !reflect.DeepEqual(x[key], y[key]) {
			keys = append(keys, key)
		}
	}
	return keys
}

// comparedKeys returns the keys of a config that every shard has alike. What cells
// hash is left to them: prompts by their content, models by what they answer with.
func comparedKeys(c *config.Config) (keys map[string]any) {
	own := *c
	own.Shard = config.Shard{}
	own.Base, own.Prompts, own.Memories, own.Prices = "", "", "", ""
	own.Concurrency, own.Budget, own.Calls = config.Concurrency{}, config.Budget{}, config.Calls{}
	own.Models = slices.Clone(c.Models)
	for i := range own.Models {
		own.Models[i].Options = nil
	}
	data, err := own.Marshal()
	if err == nil {
		err = yaml.Unmarshal(data, &keys)
	}
	if err != nil {
		panic("runners: a config does not encode: " + err.Error()) // it came from YAML
	}
	return keys
}

// write writes all files. A config without a header would be a run that has not
// begun, so that both come last.
func (s *shards) write(into record.Folder, h *record.Header, config []byte) error {
	written := make(map[string]record.Digest)
	var errata []string
	paths := func(path func(record.Folder) string) []string {
		return lists.Map(s.all, func(one *shard) string { return path(one.folder) })
	}
	join := func(path func(record.Folder) string, join joining) error {
		return joinFiles(path(into), paths(path), join, written)
	}
	for _, d := range h.Datasets {
		gold := func(f record.Folder) string { return f.Gold(d.Label) }
		o, err := interleave(paths(gold))
		if err != nil {
			return err
		}
		faults := []error{
			join(gold, o.byRequest()),
			join(func(f record.Folder) string { return f.Errata(d.Label) }, o.byRequest()),
			join(func(f record.Folder) string { return f.Turns(d.Label) }, joined(func(a, b turn) int { return o.compareSamples(a.Sample, b.Sample) })),
			joinTrees(into.Trees(d.Label), paths(func(f record.Folder) string { return f.Trees(d.Label) }), o),
		}
		for _, c := range lists.Filter(h.Cells, func(c record.Cell) bool { return c.Dataset == d.Label }) {
			faults = append(faults, os.MkdirAll(into.Cell(c.ID), 0o755))
			for _, file := range o.cellFiles() {
				faults = append(faults, join(func(f record.Folder) string { return file.path(f, c.ID) }, file.join))
			}
		}
		if err := errors.Join(faults...); err != nil {
			return err
		}
		if len(d.Errata) > 0 {
			errata = append(errata, into.Errata(d.Label))
		}
	}
	if err := errors.Join(record.WriteBytes(into.Config(), config), into.SealWritten(h, written, errata...)); err != nil {
		return err
	}
	return into.WriteHeader(*h)
}

// A turn is the key of a line of the order of turns.
type turn struct{ Sample, Turn string }

// interleave returns the order that samples were split from, by the gold files of the
// shards in their order: each has every n-th sample.
func interleave(paths []string) (order, error) {
	type sample []key // its requests
	shards := make([][]sample, len(paths))
	for i, path := range paths {
		for line, err := range record.Parts[asked](path) {
			if err != nil {
				return order{}, err
			}
			k := key{line.Value.Sample, line.Value.Request}
			n := len(shards[i])
			if n == 0 || shards[i][n-1][0].sample != k.sample {
				shards[i] = append(shards[i], sample{k})
				continue
			}
			shards[i][n-1] = append(shards[i][n-1], k)
		}
	}
	o := newOrder()
	for place := range shards[0] { // the first shard has the most samples
		for _, samples := range shards {
			if place < len(samples) {
				for _, k := range samples[place] {
					o.add(k)
				}
			}
		}
	}
	return o, nil
}

// joinTrees writes the structured memories of several files, each once for all
// samples that begin with it; nothing where there are none.
func joinTrees(path string, files []string, o order) error {
	type memory struct {
		dialogue bool
		xml      string
	}
	samples := make(map[memory][]string)
	for _, file := range files {
		for t, err := range record.Values[record.Tree](file) {
			if err != nil {
				return err
			}
			m := memory{t.Dialogue, t.XML}
			samples[m] = append(samples[m], t.Samples...)
		}
	}
	if len(samples) == 0 {
		return nil
	}
	var lines []record.Tree
	for m, of := range samples {
		slices.SortFunc(of, o.compareSamples)
		lines = append(lines, record.Tree{Samples: of, Dialogue: m.dialogue, XML: m.xml})
	}
	slices.SortFunc(lines, func(a, b record.Tree) int { return o.compareSamples(a.Samples[0], b.Samples[0]) })
	return writeLines(path, lines)
}

// header returns the header that one machine would have written with a config. The
// same shards give the same id.
func (s *shards) header(argv []string, config []byte) record.Header {
	h := s.all[0].header
	h.Status, h.Stopped, h.Shard, h.Argv = record.Complete, "", nil, argv
	sum := sha256.Sum256(config)
	h.ConfigSHA256 = hex.EncodeToString(sum[:])
	h.Datasets, h.Cells, h.Models = slices.Clone(h.Datasets), slices.Clone(h.Cells), slices.Clone(h.Models)
	several := func(of func(record.Header) string) string {
		return strings.Join(lists.Distinct(s.all, func(one *shard) string { return of(one.header) }), ", ")
	}
	h.Binary = record.Binary{
		Version: several(func(h record.Header) string { return h.Binary.Version }),
		Commit:  several(func(h record.Header) string { return h.Binary.Commit }),
		Go:      several(func(h record.Header) string { return h.Binary.Go }),
		Host:    several(func(h record.Header) string { return h.Binary.Host }),
		Dirty:   slices.ContainsFunc(s.all, func(one *shard) bool { return one.header.Binary.Dirty }),
	}
	h.Calls = several(func(h record.Header) string { return h.Calls })
	h.Prices = several(func(h record.Header) string { return h.Prices })
	h.Files, h.Scored, h.Judge, h.Judges = nil, nil, nil, nil
	for _, one := range s.all[1:] {
		addShard(&h, one.header)
	}
	if slices.ContainsFunc(s.all, func(one *shard) bool { return !slices.Equal(one.header.Metrics, h.Metrics) }) {
		s.warnings = append(s.warnings, "the shards were scored with different metrics; the joined run is scored with those of the config")
		h.Metrics = s.all[0].config.Metrics
	}
	h.ID = runID(h)
	return h
}

// addShard adds what another shard did to a header.
func addShard(h *record.Header, o record.Header) {
	if o.Start.Before(h.Start) {
		h.Start = o.Start
	}
	if o.End.After(h.End) {
		h.End = o.End
	}
	switch {
	case o.Paid == nil:
	case h.Paid == nil:
		h.Paid = o.Paid
	default:
		h.Paid = new(h.Paid.Add(*o.Paid))
	}
	h.Accepted = slices.Concat(h.Accepted, o.Accepted)
	for j := range h.Datasets {
		h.Datasets[j].Samples += o.Datasets[j].Samples
		h.Datasets[j].Requests += o.Datasets[j].Requests
	}
	for j := range h.Cells {
		h.Cells[j].Samples += o.Cells[j].Samples
		h.Cells[j].Planned += o.Cells[j].Planned
		if a := h.Cells[j].Adapter; a != nil {
			h.Cells[j].Adapter = a.Did(o.Cells[j].Adapter)
		}
	}
	for j := range h.Models {
		h.Models[j] = joinModels(h.Models[j], o.Models[j])
	}
}

// joinModels returns a model with what served it in either of two shards.
func joinModels(a, b record.Model) record.Model {
	union := func(a, b []string) []string {
		return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
	}
	a.Served, a.Fingerprints, a.Recorded = union(a.Served, b.Served), union(a.Fingerprints, b.Fingerprints), union(a.Recorded, b.Recorded)
	a.Settings, a.Roles = maps.Clone(a.Settings), maps.Clone(a.Roles)
	for name, have := range a.Settings {
		if v := b.Settings[name]; have != v && !slices.Contains(strings.Split(have, ", "), v) {
			a.Settings[name] = have + ", " + v
		}
	}
	for role, m := range a.Roles {
		m.Served = union(m.Served, b.Roles[role].Served)
		a.Roles[role] = m
	}
	return a
}

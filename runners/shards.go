package runners

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config"
	"recallbench/internal/result/record"
)

// takeShard leaves the datasets the samples of the config's shard. What a method
// is tuned on is not split, so that each shard makes the same choice. A shard may
// have no sample of a small dataset; where some shard would have none of any, the
// shards are too many, and every one of them says so.
func (p *Plan) takeShard() error {
	s := p.config.Shard
	if s == (config.Shard{}) {
		return nil
	}
	largest := slices.MaxFunc(p.sets, func(a, b dataset) int { return len(a.samples) - len(b.samples) })
	for i, d := range p.sets {
		var own []datasets.Entry // every Of-th sample from the index of the shard on
		for at := s.Index - 1; at < len(d.samples); at += s.Of {
			own = append(own, d.samples[at])
		}
		p.sets[i].samples = own
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
}

// Merge writes the run folder that one machine would have written, of the folders of all
// shards of a run, in any order: into dir, or where dir is empty into a folder as
// [Plan.Start] makes it. Argv is the command line that the header names. The shards must
// be of the same run, each there once and complete; all faults are reported at once. The
// header comes last: a folder with a header is a whole run folder.
func Merge(dirs []string, dir string, argv []string, plugins config.Plugins, o MergeOptions) (m Merged, err error) {
	var all shards
	defer func() {
		for _, s := range all {
			err = errors.Join(err, s.unlock())
		}
	}()
	var faults []error
	for _, dir := range dirs {
		if at := slices.IndexFunc(all, func(s *shard) bool { return record.SameFolder(dir, s.dir) }); at >= 0 {
			faults = append(faults, fmt.Errorf("%s is given twice: %s and %s", shardText(all[at].header.Shard), all[at].dir, dir))
			continue
		}
		s, err := openShard(dir, plugins, o)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b *shard) int { return a.header.Shard.Index - b.header.Shard.Index })
	if err := errors.Join(append(faults, all.check(o)...)...); err != nil {
		return m, err
	}
	merged := *all[0].config
	merged.Shard = config.Shard{}
	text, err := merged.Marshal()
	if err != nil {
		return m, err
	}
	m.Header, m.ErrorLimit = all.header(argv, text), merged.Limits.Errors
	for _, s := range all {
		failed, requests, err := s.folder.Failed(s.header)
		if err != nil {
			return m, err
		}
		m.Requests, m.Failed = m.Requests+requests, m.Failed+len(failed)
	}
	var unlock func() error
	if m.Folder, unlock, err = create(dir, m.Header); err != nil {
		return m, err
	}
	if err = all.write(m.Folder, &m.Header, text); err != nil {
		err = fmt.Errorf("run folder: %w", err)
	}
	return m, errors.Join(err, unlock())
}

// shards are the parts of one run, in their order.
type shards []*shard

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

// openShard opens the folder of a shard that is complete.
func openShard(dir string, plugins config.Plugins, o MergeOptions) (_ *shard, err error) {
	if record.Unbegun(dir) {
		return nil, fmt.Errorf("%s was killed before it asked anything; 'bench resume %s' continues it", dir, dir)
	}
	var options []record.Option
	if o.Edited {
		options = append(options, record.AcceptEdits)
	}
	s := &shard{dir: dir}
	if s.folder, s.header, s.unlock, err = record.OpenLocked(dir, options...); err != nil {
		return nil, err
	}
	switch h := s.header; {
	case h.Shard == nil || h.Shard.Index < 1 || h.Shard.Index > h.Shard.Of:
		err = fmt.Errorf("%s is not a shard: it has all conversations", dir)
	case h.Status != record.Complete:
		err = fmt.Errorf("%s is unfinished; 'bench resume %s' finishes it", s, dir)
	default:
		s.config, err = config.Load(s.folder.Config(), plugins)
	}
	if err != nil {
		return nil, errors.Join(err, s.unlock())
	}
	return s, nil
}

// check returns what keeps the shards from being joined.
func (all shards) check(o MergeOptions) (faults []error) {
	if len(all) == 0 {
		return nil
	}
	first := all[0]
	at := make(map[int]*shard)
	for _, s := range all {
		index := s.header.Shard.Index
		a, b := first.header.Binary, s.header.Binary
		err := sameRun(first, s)
		switch {
		case err != nil:
			faults = append(faults, fmt.Errorf("%s is not a shard of the same run as %s: %w", s.dir, first.dir, err))
			continue
		case at[index] != nil:
			faults = append(faults, fmt.Errorf("%s is given twice: %s and %s", shardText(s.header.Shard), at[index].dir, s.dir))
		case !o.Versions && (a.Version != b.Version || a.Commit != b.Commit || a.Dirty != b.Dirty):
			// Cells do not hash the code, so that their answers may be those of other methods.
			faults = append(faults, fmt.Errorf("%s was made by another version of the program than %s: %s, not %s; --any-version joins them anyway",
				s, first, strings.TrimSpace(b.Version+" "+b.Commit), strings.TrimSpace(a.Version+" "+a.Commit)))
		}
		at[index] = s
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

// sameRun reports what two shards differ in that those of one run do not.
func sameRun(a, b *shard) error {
	x, y := comparedKeys(a.config), comparedKeys(b.config)
	maps.DeleteFunc(x, func(key string, v any) bool { return reflect.DeepEqual(v, y[key]) })
	if len(x) > 0 {
		return fmt.Errorf("their configs differ in %s", strings.Join(slices.Sorted(maps.Keys(x)), ", "))
	}
	if n, m := a.header.Shard.Of, b.header.Shard.Of; n != m {
		return fmt.Errorf("the run was split into %d parts, not %d", m, n)
	}
	if err := errors.Join(sameData(a.header.Datasets, b.header.Datasets), sameCells(a.header.Cells, b.header.Cells)); err != nil {
		return err
	}
	if len(a.header.Datasets) != len(b.header.Datasets) {
		return errors.New("they have different datasets")
	}
	for i, d := range a.header.Datasets {
		if !b.header.Datasets[i].SameKeys(d) {
			return fmt.Errorf("its dataset %s is scored with different errata or another answer key; 'bench score' with --errata, --key and --options makes them equal", d.Label)
		}
	}
	chosen := func(t record.Tuning) [3]any { return [3]any{t.Method, t.Model, t.Chosen} }
	if !slices.Equal(lists.Map(a.header.Tunings, chosen), lists.Map(b.header.Tunings, chosen)) {
		return errors.New("tuning chose other options; share the recordings of their calls ('bench calls export'), or set the options")
	}
	return nil
}

// comparedKeys returns the keys of a config that every shard has alike: not those that
// change no answer and may be others on another machine. What cells hash is left to them:
// prompts by their content, models by what they answer with.
func comparedKeys(c *config.Config) map[string]any {
	own := *c
	own.Shard = config.Shard{}
	own.Base, own.Prompts, own.Memories, own.Prices = "", "", "", ""
	own.Concurrency, own.Budget, own.Calls = config.Concurrency{}, config.Budget{}, config.Calls{}
	own.Models = slices.Clone(c.Models)
	for i := range own.Models {
		own.Models[i].Options = nil
	}
	return plain(own)
}

// write writes all files. A config without a header would be a run that has not
// begun, so that both come last.
func (all shards) write(into record.Folder, h *record.Header, config []byte) error {
	written := make(map[string]record.Digest)
	paths := func(path func(record.Folder) string) []string {
		return lists.Map(all, func(s *shard) string { return path(s.folder) })
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
			for _, file := range lineFiles() {
				faults = append(faults, join(func(f record.Folder) string { return file.path(f, c.ID) }, o.joining(file)))
			}
		}
		if err := errors.Join(faults...); err != nil {
			return err
		}
	}
	if err := errors.Join(record.WriteBytes(into.Config(), config), into.Seal(h, written, errataFiles(into, h)...)); err != nil {
		return err
	}
	return into.WriteHeader(*h)
}

// A turn is the key of a line of the order of turns.
type turn struct{ Sample, Turn string }

// interleave returns the order that samples were split from, by the gold files of the
// shards in their order: each has every n-th sample.
func interleave(paths []string) (order, error) {
	var rounds [][]key // the requests of the n-th samples of all shards
	for _, path := range paths {
		at, last := -1, ""
		for line, err := range record.Parts[key](path) {
			if err != nil {
				return order{}, err
			}
			k := line.Value
			if at < 0 || k.Sample != last {
				at, last = at+1, k.Sample
			}
			if at == len(rounds) {
				rounds = append(rounds, nil)
			}
			rounds[at] = append(rounds[at], k)
		}
	}
	return newOrder(slices.Concat(rounds...)...), nil
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
func (all shards) header(argv []string, config []byte) record.Header {
	h := all[0].header
	h.Status, h.Stopped, h.Shard, h.Argv = record.Complete, "", nil, argv
	h.ConfigSHA256 = sha256Of(config)
	h.Datasets, h.Cells, h.Models = slices.Clone(h.Datasets), slices.Clone(h.Cells), slices.Clone(h.Models)
	h.Files, h.Scored, h.Judge, h.Judges, h.Metrics = nil, nil, nil, nil, all[0].config.Metrics
	for _, s := range all[1:] {
		addShard(&h, s.header)
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
	a, b := &h.Binary, o.Binary
	a.Version, a.Commit, a.Go, a.Host = either(a.Version, b.Version), either(a.Commit, b.Commit), either(a.Go, b.Go), either(a.Host, b.Host)
	a.Dirty = a.Dirty || b.Dirty
	h.Calls, h.Prices = either(h.Calls, o.Calls), either(h.Prices, o.Prices)
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

// either is a list of values, such as "v1, v2", with another one at its end unless it is there.
func either(list, value string) string {
	if list == value || slices.Contains(strings.Split(list, ", "), value) {
		return list
	}
	return list + ", " + value
}

// joinModels returns a model with what served it in either of two shards.
func joinModels(a, b record.Model) record.Model {
	union := func(a, b []string) []string {
		return slices.Compact(slices.Sorted(slices.Values(slices.Concat(a, b))))
	}
	a.Served, a.Fingerprints, a.Recorded = union(a.Served, b.Served), union(a.Fingerprints, b.Fingerprints), union(a.Recorded, b.Recorded)
	a.Settings, a.Roles = maps.Clone(a.Settings), maps.Clone(a.Roles)
	for name, have := range a.Settings {
		a.Settings[name] = either(have, b.Settings[name])
	}
	for role, m := range a.Roles {
		m.Served = union(m.Served, b.Roles[role].Served)
		a.Roles[role] = m
	}
	return a
}

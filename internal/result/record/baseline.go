package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/durable"
	"recallbench/internal/files/jsonout"
)

// A Baseline says where a run comes from that somebody has blessed, so that
// others are compared with it: baseline.json.
//
// The folder of a baseline holds what comparing needs and no more: run.json, the
// header without what tells of the machine, and scores.jsonl. It has no questions,
// answers or evidence, so that it may be kept where the data may not.
type Baseline struct {
	Schema int    `json:"schema"`
	Name   string `json:"name"`
	// Set is when it was blessed, and Note why, in the words of who did.
	Set  time.Time `json:"set"`
	Note string    `json:"note,omitempty"`
	// Run is the id of the run, and Program what blessed it.
	Run     string `json:"run"`
	Program Binary `json:"program"`
	// Spent is what the records tell beside the scores.
	Spent []Spent `json:"spent"`
	// Scores is the SHA-256 of scores.jsonl, in hex, and Sum that of this file with
	// zeros in its place.
	Scores string `json:"scores_sha256,omitempty"`
	Sum    string `json:"file_sha256,omitempty"`
}

// baselineFile tells the folder of a baseline from that of a run.
const baselineFile = "baseline.json"

// baselineName is how a baseline may be called: its folder has the name.
var baselineName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)

// CheckBaselineName reports a name that no baseline can have.
func CheckBaselineName(name string) error {
	if !baselineName.MatchString(name) {
		return fmt.Errorf("baseline name is %q, want at most 64 letters, digits, dots, hyphens and underscores, and neither dot nor hyphen first", name)
	}
	return nil
}

// IsBaseline reports whether dir is the folder of a baseline.
func IsBaseline(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, baselineFile))
	return err == nil
}

// OpenBaseline returns the baseline in dir, the header of its run and its scores,
// in the order of the run. Files that are not as [WriteBaseline] wrote them are a
// [Damage], unless an option accepts edits.
func OpenBaseline(dir string, options ...Option) (Baseline, Header, iter.Seq2[Score, error], error) {
	var b Baseline
	f, path := Folder(dir), filepath.Join(dir, baselineFile)
	fail := func(faults ...*Fault) (Baseline, Header, iter.Seq2[Score, error], error) {
		return b, Header{}, nil, &Damage{Dir: dir, Faults: faults}
	}
	data, err := ReadRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return b, Header{}, nil, fmt.Errorf("%s is no baseline: it has no %s", dir, baselineFile)
	}
	if err != nil {
		return fail(f.fileFault(baselineFile, err))
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return fail(faultOf(Unparsable, path, lineOf(data, err), err))
	}
	if b.Schema > SchemaVersion {
		return b, Header{}, nil, fmt.Errorf("%s: schema version %d, this program reads %d", path, b.Schema, SchemaVersion)
	}
	if b.Schema != SchemaVersion {
		return fail(faultf(Unparsable, path, 0, "schema version %d, this program reads %d", b.Schema, SchemaVersion))
	}
	h, edited, err := readHeader(dir)
	if err != nil {
		return b, Header{}, nil, err
	}
	scores, err := ReadRegular(f.Scores())
	if err != nil {
		return fail(f.fileFault(f.name(f.Scores()), err))
	}
	var edits []*Fault
	if edited != nil {
		edits = append(edits, edited)
	}
	if b.Sum != selfSum(data) {
		edits = append(edits, faultf(Edited, path, 0, "is not as the program wrote it"))
	}
	if b.Scores != selfSum(scores) {
		edits = append(edits, faultf(Edited, f.Scores(), 0, "is not as the program wrote it"))
	}
	if len(edits) > 0 && !openingOf(options).accept {
		return fail(append(edits, scan[Score](f.Scores(), nil)...)...)
	}
	acceptInto(&h, f, edits)
	b.Scores, b.Sum = "", ""
	return b, h, Values[Score](f.Scores()), nil
}

// WriteBaseline makes the folder of a baseline, in place of one that is there; what
// else has its name stays, and is an error. Scores that say why, in [Score].Why, are
// kept without it.
func WriteBaseline(dir string, b Baseline, h Header, scores iter.Seq2[Score, error]) error {
	if _, err := os.Lstat(dir); err == nil && !IsBaseline(dir) {
		return fmt.Errorf("%s is there, and is no baseline", dir)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-*"+durable.Unfinished)
	if err != nil {
		return durable.Named(err, "", dir)
	}
	defer os.RemoveAll(made) // after the rename there is nothing to remove
	if err := os.Chmod(made, 0o755); err != nil {
		return err
	}
	if err := WriteFile(Folder(made).Scores(), func(w io.Writer) error {
		enc := jsonout.NewEncoder(w)
		for s, err := range scores {
			if err != nil {
				return err
			}
			s.Key, s.Why = "", nil
			if err := enc.Encode(s); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	data, err := os.ReadFile(Folder(made).Scores())
	if err != nil {
		return err
	}
	b.Schema, b.Scores, b.Sum = SchemaVersion, selfSum(data), noSum
	err = errors.Join(
		writeSummed(filepath.Join(made, baselineFile), b),
		Folder(made).WriteHeader(Portable(h)),
	)
	if err != nil {
		return durable.Named(err, made, dir)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return durable.Named(os.Rename(made, dir), made, dir)
}

// Portable leaves out of a header what tells of the machine and what no comparison
// reads, as a baseline does. Absolute paths keep their last part.
func Portable(h Header) Header {
	h.Argv, h.Skipped, h.Paid = []string{}, nil, nil
	h.Files, h.Scored, h.Sum = nil, nil, ""
	data, err := json.Marshal(h)
	if err != nil {
		panic("record: a header does not encode: " + err.Error()) // it came from JSON
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var all any
	if err = dec.Decode(&all); err == nil {
		data, err = json.Marshal(withoutPaths(all))
	}
	if err == nil {
		h = Header{}
		err = json.Unmarshal(data, &h)
	}
	if err != nil {
		panic("record: a header does not decode: " + err.Error())
	}
	for _, list := range append([][]Dataset{h.Datasets}, lists.Map(h.Tunings, func(t Tuning) []Dataset { return t.Datasets })...) {
		for i := range list {
			list[i].Warnings = nil
		}
	}
	return h
}

// withoutPaths replaces absolute paths in a JSON value by their last part.
func withoutPaths(v any) any {
	switch v := v.(type) {
	case string:
		return lastPart(v)
	case []any:
		for i := range v {
			v[i] = withoutPaths(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = withoutPaths(v[k])
		}
	}
	return v
}

// drive is how an absolute path begins on Windows.
var drive = regexp.MustCompile(`^[A-Za-z]:[\\/]`)

// lastPart returns the last part of an absolute path of any system, and any other
// text as it is.
func lastPart(s string) string {
	if !strings.HasPrefix(s, "/") && !strings.HasPrefix(s, `\\`) && !drive.MatchString(s) {
		return s
	}
	return s[strings.LastIndexAny(strings.TrimRight(s, `/\`), `/\`)+1:]
}

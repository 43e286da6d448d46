package record

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/jsonout"
)

// ReadHeader returns the header of the run in dir, without checking other files as [Open]
// does.
func ReadHeader(dir string, options ...Option) (Header, error) {
	h, edited, err := readHeader(dir)
	if edited != nil && !AcceptEdits.in(options) {
		h, err = Header{}, &Damage{Dir: dir, Faults: []*Fault{edited}}
	}
	return h, err
}

// readHeader reads run.json. An edit that left it whole is the fault; an error is
// what leaves no header.
func readHeader(dir string) (h Header, edited *Fault, err error) {
	f := Folder(dir)
	switch what := Describe(dir); {
	case what == "a file":
		return h, nil, fmt.Errorf("%s is a file; want the folder of a run", dir)
	case what == "" && !exists(dir):
		return h, nil, fmt.Errorf("there is no folder %s; want the folder of a run, such as one below results/runs", dir)
	}
	data, err := ReadRegular(f.header())
	if err != nil {
		fault := readingFault(f.header(), err)
		if errors.Is(err, fs.ErrNotExist) {
			begun := f.firstRecords()
			if begun == "" {
				return h, nil, fmt.Errorf("%s is not a run folder: it has no run.json", dir)
			}
			fault = faultf(Missing, f.header(), 0, "is missing, but %s exists: the header of the run is lost", begun)
		}
		return h, nil, &Damage{Dir: dir, Faults: []*Fault{fault}}
	}
	if err = json.Unmarshal(data, &h); err == nil {
		if h.Schema > SchemaVersion {
			return Header{}, nil, schemaError(f.header(), h.Schema)
		}
		err = h.check()
	}
	if err != nil {
		return Header{}, nil, &Damage{Dir: dir, Faults: []*Fault{faultOf(Unparsable, f.header(), 0, err)}}
	}
	want := h.Sum
	if h.Sum = ""; want != "" && want != sumOf(h) {
		edited = faultf(Edited, f.header(), 0, "has changed since the program wrote it")
	}
	return h, edited, nil
}

// schemaError is the error of a file of a version that this program does not read.
func schemaError(path string, version int) error {
	return fmt.Errorf("%s: schema version %d, this program reads %d", path, version, SchemaVersion)
}

// check reports what no program writes into a header, and what would lead out of
// the folder.
func (h Header) check() error {
	if h.Schema != SchemaVersion {
		return fmt.Errorf("schema version %d, this program reads %d", h.Schema, SchemaVersion)
	}
	labels := make(map[string]bool)
	for _, d := range h.Datasets {
		labels[d.Label] = true
	}
	ids := make(map[string]bool)
	for _, c := range h.Cells {
		switch {
		case c.ID == "" || FileName(c.ID) != c.ID:
			return fmt.Errorf("a cell has the id %q, want letters and digits", c.ID)
		case ids[c.ID]:
			return fmt.Errorf("two cells have the id %s", c.ID)
		case len(labels) > 0 && !labels[c.Dataset]:
			return fmt.Errorf("cell %s is of dataset %q, which the header does not have", c.ID, c.Dataset)
		}
		ids[c.ID] = true
	}
	for _, d := range h.Files {
		if !filepath.IsLocal(filepath.FromSlash(d.File)) {
			return fmt.Errorf("the file %q is not in the folder", d.File)
		}
	}
	return nil
}

// sumOf returns the SHA-256 in hex of a value as compact JSON; empty for what has none.
func sumOf(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// SetJudge adds a judge in place of the one of its name. How the same judge fares by
// labels stays.
func (h *Header) SetJudge(j Judge) {
	if have := h.FindJudge(j.Name); have != nil && have.ID == j.ID {
		j.Calibrations = have.Calibrations
	}
	if j.Name == "" {
		h.Judge = &j
		return
	}
	h.Judges = append(lists.Filter(h.Judges, func(have Judge) bool { return have.Name != j.Name }), j)
	slices.SortFunc(h.Judges, func(a, b Judge) int { return strings.Compare(a.Name, b.Name) })
}

// AllJudges are the judges of the run, that of the column judge first.
func (h *Header) AllJudges() []Judge {
	if h.Judge == nil {
		return h.Judges
	}
	return append([]Judge{*h.Judge}, h.Judges...)
}

// FindJudge returns the judge with the given name, the empty one that of the column judge; nil where
// there is none.
func (h *Header) FindJudge(name string) *Judge {
	if name == "" {
		return h.Judge
	}
	if i := slices.IndexFunc(h.Judges, func(j Judge) bool { return j.Name == name }); i >= 0 {
		return &h.Judges[i]
	}
	return nil
}

// Described says what a judge of the run with a name of its own is, and how far it can be
// trusted, see [Header.Trust].
func (h *Header) Described(j *Judge) string {
	text := fmt.Sprintf("profile %s by %s", j.Profile, j.Reader)
	if j.Prompts != "" {
		text += ", prompts " + j.Prompts[:min(12, len(j.Prompts))]
	}
	if j.Clone != "" {
		text += " of " + j.Clone
	}
	return text + "; " + h.Trust(j)
}

// Trust says how a judge of the run compares with people's labels on each dataset, and which
// datasets have none.
func (h *Header) Trust(j *Judge) string {
	if len(j.Calibrations) == 0 {
		return "uncalibrated: no labels by people"
	}
	var texts []string
	for _, d := range h.Datasets {
		c, ok := j.Calibrations[d.Label]
		if !ok {
			texts = append(texts, "uncalibrated on "+d.Label+": no labels by people")
			continue
		}
		parts := []string{fmt.Sprintf("on %d labelled answers of %s", c.Labels, d.Label)}
		for _, x := range []struct {
			name  string
			value *float64
		}{{"sensitivity", c.Sensitivity}, {"specificity", c.Specificity}, {"alpha of the raters", c.Alpha}} {
			if x.value != nil {
				parts = append(parts, fmt.Sprintf("%s %.3f", x.name, *x.value))
			}
		}
		texts = append(texts, strings.Join(parts, ", "))
	}
	return strings.Join(texts, "; ")
}

// WriteHeader writes run.json, atomically.
func (f Folder) WriteHeader(h Header) error {
	h.Schema, h.Sum = SchemaVersion, ""
	data, err := json.Marshal(h)
	var read Header // in which numbers of options are as readers have them
	if err == nil {
		err = json.Unmarshal(data, &read)
	}
	if err != nil {
		return err
	}
	h.Sum = sumOf(read)
	return WriteFile(f.header(), func(w io.Writer) error { return jsonout.Indented(w, h) })
}

package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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

// A Baseline says when and why a run was set as a baseline.
//
// The folder of a baseline is a run folder reduced to what comparisons need: run.json without
// details of the machine, and scores.jsonl. It has no questions, answers or evidence, so that
// it can be committed even if the data cannot.
type Baseline struct {
	Name string `json:"name"`
	// Set is when the baseline was set, and Note the reason that was given.
	Set  time.Time `json:"set"`
	Note string    `json:"note,omitempty"`
	// Program is the program that set it.
	Program Binary `json:"program"`
	// Spent is what the records add to the scores.
	Spent []Spent `json:"spent"`
}

// baselineName is how a baseline may be called: its folder has the name.
var baselineName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`)

// CheckBaselineName reports an invalid name of a baseline.
func CheckBaselineName(name string) error {
	if !baselineName.MatchString(name) {
		return fmt.Errorf("baseline name is %q, want at most 64 letters, digits, dots, hyphens and underscores, not beginning with a dot or hyphen", name)
	}
	return nil
}

// baselineMark is how the header of a baseline tells that it is one, on a line of its own.
var baselineMark = []byte("\n  \"baseline\": {")

// IsBaseline reports whether dir is the folder of a baseline.
func IsBaseline(dir string) bool {
	data, err := ReadRegular(Folder(dir).header())
	return err == nil && bytes.Contains(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), baselineMark)
}

// WriteBaseline makes the folder of a baseline, in place of one that is there; what
// else has its name stays, and is an error. Scores that say why, in [Score].Why, are
// kept without it.
func WriteBaseline(dir string, b Baseline, h Header, scores iter.Seq2[Score, error]) error {
	if _, err := os.Lstat(dir); err == nil && !IsBaseline(dir) {
		return fmt.Errorf("%s exists, but is not a baseline", dir)
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
	written, err := WriteDigested(Folder(made).Scores(), func(w io.Writer) error {
		enc := jsonout.NewEncoder(w)
		for s, err := range scores {
			if err == nil {
				s.Why = nil
				err = enc.Encode(s)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	written.File = filepath.Base(Folder(made).Scores())
	h = Portable(h)
	h.Baseline, h.Files = &b, []Digest{written}
	if err = Folder(made).WriteHeader(h); err == nil {
		if err = os.RemoveAll(dir); err == nil {
			err = os.Rename(made, dir)
		}
	}
	return durable.Named(err, made, dir)
}

// Portable leaves out of a header what tells of the machine and what no comparison
// reads, as a baseline does. Absolute paths keep their last part.
func Portable(h Header) Header {
	h.Argv, h.Skipped, h.Paid = []string{}, nil, nil
	h.Baseline, h.Files, h.Scored, h.Sum = nil, nil, nil, ""
	data, err := json.Marshal(h)
	var all any
	if err == nil {
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		err = dec.Decode(&all)
	}
	if err == nil {
		data, err = json.Marshal(withoutPaths(all))
	}
	h = Header{}
	if err == nil {
		err = json.Unmarshal(data, &h)
	}
	if err != nil {
		panic("record: a header is no JSON: " + err.Error()) // it came from JSON
	}
	for _, list := range append(lists.Map(h.Tunings, func(t Tuning) []Dataset { return t.Datasets }), h.Datasets) {
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

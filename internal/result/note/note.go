// Package note keeps what people say of the requests of a run: whether an answer is
// right, tags, remarks, faults of the gold answer, and causes of failures. Each person
// has a file of their own, RUN/annotations/REVIEWER.jsonl, which only grows.
package note

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"recallbench/internal/result/record"
)

// Schema is the version of the files.
const Schema = 1

// A Kind says what a note is about.
type Kind string

// The kinds.
const (
	Correct Kind = "correct" // true, false, "partly" or "unsure"
	Tag     Kind = "tag"     // letters, digits and dashes
	Remark  Kind = "note"    // a text
	Gold    Kind = "gold"    // "wrong", "ambiguous" or "ok", with a text
	Cause   Kind = "cause"   // a kind of failure
)

// MaxText bounds a text, in bytes.
const MaxText = 16 << 10

// A Note is a line of a reviewer's file.
type Note struct {
	Schema   int       `json:"schema"`
	ID       string    `json:"id"` // unique in the file
	Time     time.Time `json:"time"`
	Reviewer string    `json:"reviewer"`
	Cell     string    `json:"cell"`
	Sample   string    `json:"sample"`
	Request  string    `json:"request"`
	// Answer is the SHA-256 in hex of the answer as it was read.
	Answer string `json:"answer_sha256"`
	Kind   Kind   `json:"kind"`
	// Value is what is said, by the kind; null takes back what the note replaces.
	Value json.RawMessage `json:"value"`
	Text  string          `json:"text,omitempty"` // of gold
	// Replaces is the id in the same file that the note stands for.
	Replaces string `json:"replaces,omitempty"`
	// Blind and Queue say that the note was made in a review queue.
	Blind bool   `json:"blind,omitempty"`
	Queue string `json:"queue,omitempty"`
}

var (
	reviewerName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$`)
	tagName      = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)
	sha          = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// A FieldError is a field of a note that cannot be so.
type FieldError struct{ Field, Text string }

func (e *FieldError) Error() string { return e.Field + " " + e.Text }

// Validate reports all fields that cannot be so, each as a [FieldError].
func (n Note) Validate() error {
	var faults []error
	want := func(ok bool, field, format string, args ...any) {
		if !ok {
			faults = append(faults, &FieldError{field, fmt.Sprintf(format, args...)})
		}
	}
	want(n.Schema == Schema, "schema", "is %d, want %d", n.Schema, Schema)
	want(reviewerName.MatchString(n.Reviewer), "reviewer", "is %.80q, want 1 to 64 letters, digits, dots, dashes and underscores, no dot first", n.Reviewer)
	want(n.ID != "", "id", "is empty")
	want(n.Cell != "", "cell", "is empty")
	want(n.Sample != "", "sample", "is empty")
	want(n.Request != "", "request", "is empty")
	want(sha.MatchString(n.Answer), "answer_sha256", "is %.80q, want 64 hexadecimal digits", n.Answer)
	want(len(n.Text) <= MaxText, "text", "has %d bytes, want at most %d", len(n.Text), MaxText)
	if n.TakesBack() {
		want(n.Replaces != "", "value", "is null, which takes back what replaces names")
	} else {
		fit := n.misfit()
		want(fit == "", "value", "of %q is %.80s, want %s", n.Kind, n.Value, fit)
	}
	return errors.Join(faults...)
}

// TakesBack reports whether the note takes back the one that it replaces.
func (n Note) TakesBack() bool { return len(n.Value) == 0 || string(n.Value) == "null" }

// Tag returns the tag that the note gives; ok is false for other notes.
func (n Note) Tag() (tag string, ok bool) {
	return tag, n.Kind == Tag && json.Unmarshal(n.Value, &tag) == nil && !n.TakesBack()
}

// misfit says what the value would have to be; empty where it is.
func (n Note) misfit() string {
	var text string
	isText := json.Unmarshal(n.Value, &text) == nil
	switch n.Kind {
	case Correct:
		if v := string(n.Value); v != "true" && v != "false" && text != "partly" && text != "unsure" {
			return `true, false, "partly" or "unsure"`
		}
	case Tag, Cause:
		if !tagName.MatchString(text) {
			return "1 to 40 small letters, digits and dashes, no dash first"
		}
	case Remark:
		if !isText || text == "" || len(text) > MaxText {
			return fmt.Sprintf("a text of 1 to %d bytes", MaxText)
		}
	case Gold:
		if !slices.Contains([]string{"wrong", "ambiguous", "ok"}, text) {
			return `"wrong", "ambiguous" or "ok"`
		}
	default:
		return "kind to be correct, tag, note, gold or cause"
	}
	return ""
}

// dir is the folder of a run's notes and queues.
func dir(run record.Folder) string { return filepath.Join(string(run), "annotations") }

func file(run record.Folder, reviewer string) string {
	return filepath.Join(dir(run), reviewer+".jsonl")
}

// files returns the paths of the run's files of notes whose names begin and end so.
func files(run record.Folder, prefix, suffix string) (paths []string) {
	entries, err := os.ReadDir(dir(run))
	if err != nil {
		return nil // there are none; what is there and cannot be listed neither
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), suffix) && e.Type().IsRegular() {
			paths = append(paths, filepath.Join(dir(run), e.Name()))
		}
	}
	return paths
}

// Read reads all notes of a run, file by file. Each file's faults are named with their
// line. A run without notes has none.
func Read(run record.Folder) ([]Note, error) {
	var all []Note
	var faults []error
	for _, path := range files(run, "", ".jsonl") {
		notes, err := readLines(path, strings.TrimSuffix(filepath.Base(path), ".jsonl"))
		faults = append(faults, err)
		all = append(all, notes...)
	}
	return all, errors.Join(faults...)
}

// ReadFile reads the notes of a file, whoever wrote them.
func ReadFile(path string) ([]Note, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("want a file of notes, a JSON object a line: %w", err)
	}
	return readLines(path, "")
}

// readLines reads the notes of a file, which are of one reviewer where one is named;
// nothing where there is no file.
func readLines(path, reviewer string) (notes []Note, err error) {
	type key struct{ reviewer, id string }
	seen := make(map[key]bool)
	for line, err := range record.Lines[Note](path) {
		n := line.Value
		if err == nil {
			err = n.Validate()
		}
		switch {
		case err != nil:
		case reviewer != "" && n.Reviewer != reviewer:
			err = fmt.Errorf("reviewer is %s, want %s, as the file is named", n.Reviewer, reviewer)
		case seen[key{n.Reviewer, n.ID}]:
			err = fmt.Errorf("id %s is there twice", n.ID)
		case n.Replaces != "" && !seen[key{n.Reviewer, n.Replaces}]:
			err = fmt.Errorf("replaces %s, which no line before has", n.Replaces)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, len(notes)+1, err)
		}
		seen[key{n.Reviewer, n.ID}] = true
		notes = append(notes, n)
	}
	return notes, nil
}

// Standing returns the notes that stand: of a chain of replacements the last, unless
// it takes back, and of what one person says of an answer being right the last.
func Standing(notes []Note) []Note {
	type key struct{ reviewer, id string }
	type answer struct{ reviewer, cell, sample, request, answer string }
	replaced := make(map[key]bool)
	last := make(map[answer]string)
	for _, n := range notes {
		if n.Replaces != "" {
			replaced[key{n.Reviewer, n.Replaces}] = true
		}
		if n.Kind != Correct || n.TakesBack() {
			continue
		}
		of := answer{n.Reviewer, n.Cell, n.Sample, n.Request, n.Answer}
		if id, ok := last[of]; ok {
			replaced[key{n.Reviewer, id}] = true
		}
		last[of] = n.ID
	}
	return slices.DeleteFunc(slices.Clone(notes), func(n Note) bool {
		return n.TakesBack() || replaced[key{n.Reviewer, n.ID}]
	})
}

// unused returns an id that no note has: id, with letters behind it where other
// programs or shards gave it too.
func unused(id string, notes []Note) string {
	for slices.ContainsFunc(notes, func(o Note) bool { return o.ID == id }) {
		id += "a"
	}
	return id
}

// Append adds notes to the files of their reviewers, and returns them with schema and
// id. Where one cannot be so, it adds none and reports all.
func Append(run record.Folder, notes []Note) ([]Note, error) {
	files := make(map[string][]Note)
	added := make(map[string][]Note)
	var all []Note
	var faults []error
	for _, n := range notes {
		have, ok := files[n.Reviewer]
		if !ok {
			var err error
			have, err = readLines(file(run, n.Reviewer), n.Reviewer)
			faults = append(faults, err)
		}
		n.Schema, n.ID = Schema, unused(strconv.Itoa(len(have)+1), have)
		if len(n.Value) == 0 {
			n.Value = json.RawMessage("null")
		}
		faults = append(faults, n.Validate())
		if n.Replaces != "" && !slices.ContainsFunc(have, func(o Note) bool { return o.ID == n.Replaces }) {
			faults = append(faults, &FieldError{"replaces", fmt.Sprintf("is %.80q, but %s has no such note", n.Replaces, n.Reviewer)})
		}
		files[n.Reviewer], added[n.Reviewer], all = append(have, n), append(added[n.Reviewer], n), append(all, n)
	}
	if err := errors.Join(faults...); err != nil {
		return all, err
	}
	for _, reviewer := range slices.Sorted(maps.Keys(added)) {
		if err := write(run, reviewer, added[reviewer]); err != nil {
			return all, err
		}
	}
	return all, nil
}

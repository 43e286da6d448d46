// Package note stores people's notes on the answers of a run: labels of correctness, tags,
// remarks, faults of the gold answer, and causes of failures. Each person has a file,
// RUN/annotations/REVIEWER.jsonl, which is only appended to.
package note

import (
	"crypto/sha256"
	"encoding/hex"
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

// A Subject is a question that a row was asked.
type Subject struct {
	Cell    string `json:"cell"`
	Sample  string `json:"sample"`
	Request string `json:"request"`
}

// A Note is a line of a reviewer's file.
type Note struct {
	Schema   int       `json:"schema"`
	ID       string    `json:"id"` // unique in the file
	Time     time.Time `json:"time"`
	Reviewer string    `json:"reviewer"`
	Subject
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

// Sum is the hash by which notes know an answer: its SHA-256 in hex.
func Sum(answer string) string {
	sum := sha256.Sum256([]byte(answer))
	return hex.EncodeToString(sum[:])
}

var (
	reviewerName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$`)
	tagName      = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)
	sha          = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// Validate reports all invalid fields.
func (n Note) Validate() error {
	var faults []error
	want := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	want(n.Schema == Schema, "schema is %d, want %d", n.Schema, Schema)
	want(reviewerName.MatchString(n.Reviewer), "reviewer is %.80q, want 1 to 64 letters, digits, dots, dashes and underscores, not beginning with a dot", n.Reviewer)
	want(n.ID != "" && n.Cell != "" && n.Sample != "" && n.Request != "", "id, cell, sample or request is empty")
	want(sha.MatchString(n.Answer), "answer_sha256 is %.80q, want 64 hexadecimal digits", n.Answer)
	want(len(n.Text) <= MaxText, "text has %d bytes, want at most %d", len(n.Text), MaxText)
	if n.TakesBack() {
		want(n.Replaces != "", "value is null, which withdraws the note in replaces, but that is empty")
	} else {
		wanted, fits := n.fits()
		want(fits, "value of %q is %.80s, want %s", n.Kind, n.Value, wanted)
	}
	return errors.Join(faults...)
}

// TakesBack reports whether the note withdraws the one that it replaces.
func (n Note) TakesBack() bool { return len(n.Value) == 0 || string(n.Value) == "null" }

// Tag returns the tag that the note gives; ok is false for other notes.
func (n Note) Tag() (tag string, ok bool) {
	return tag, n.Kind == Tag && json.Unmarshal(n.Value, &tag) == nil && !n.TakesBack()
}

// fits reports whether the value is one of the note's kind, and what is wanted.
func (n Note) fits() (wanted string, ok bool) {
	var text string
	isText := json.Unmarshal(n.Value, &text) == nil
	switch n.Kind {
	case Correct:
		return `true, false, "partly" or "unsure"`, slices.Contains([]string{"true", "false", `"partly"`, `"unsure"`}, string(n.Value))
	case Tag, Cause:
		return "1 to 40 lower-case letters, digits and dashes, not beginning with a dash", tagName.MatchString(text)
	case Remark:
		return fmt.Sprintf("a text of 1 to %d bytes", MaxText), isText && text != "" && len(text) <= MaxText
	case Gold:
		return `"wrong", "ambiguous" or "ok"`, slices.Contains([]string{"wrong", "ambiguous", "ok"}, text)
	default:
		return "kind to be correct, tag, note, gold or cause", false
	}
}

// dir is the folder of a run's notes and queues.
func dir(run record.Folder) string { return filepath.Join(string(run), "annotations") }

// names returns the names of the files of notes or queues, without prefix and suffix.
func names(run record.Folder, prefix, suffix string) (all []string) {
	entries, _ := os.ReadDir(dir(run)) // a run that nobody annotated has no folder
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), prefix)
		if name, of := strings.CutSuffix(name, suffix); ok && of && e.Type().IsRegular() {
			all = append(all, name)
		}
	}
	return all
}

// Read reads all notes of a run. Each file's fault is named with its line. A run without
// notes has none.
func Read(run record.Folder) (all []Note, err error) {
	var faults []error
	for _, reviewer := range names(run, "", ".jsonl") {
		notes, err := readFile(run, reviewer)
		all, faults = append(all, notes...), append(faults, err)
	}
	return all, errors.Join(faults...)
}

func file(run record.Folder, reviewer string) string {
	return filepath.Join(dir(run), reviewer+".jsonl")
}

// readFile reads the notes of a reviewer; nothing where there is no file.
func readFile(run record.Folder, reviewer string) (notes []Note, err error) {
	for line, err := range record.Lines[Note](file(run, reviewer)) {
		if err == nil {
			err = line.Value.Validate()
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file(run, reviewer), len(notes)+1, err)
		}
		notes = append(notes, line.Value)
	}
	return notes, nil
}

// Standing returns the notes that stand: of a chain of replacements the last, unless
// it takes back, and of what one person says of an answer being right the last.
func Standing(notes []Note) []Note {
	type key struct{ reviewer, id string }
	type answer struct {
		reviewer, sha256 string
		Subject
	}
	replaced := make(map[key]bool)
	last := make(map[answer]string)
	for _, n := range notes {
		replaced[key{n.Reviewer, n.Replaces}] = true
		if n.Kind == Correct && !n.TakesBack() {
			of := answer{n.Reviewer, n.Answer, n.Subject}
			replaced[key{n.Reviewer, last[of]}] = true
			last[of] = n.ID
		}
	}
	return slices.DeleteFunc(slices.Clone(notes), func(n Note) bool {
		return n.TakesBack() || replaced[key{n.Reviewer, n.ID}]
	})
}

// has reports whether a note has an id.
func has(notes []Note, id string) bool {
	return slices.ContainsFunc(notes, func(n Note) bool { return n.ID == id })
}

// Append adds notes to the files of their reviewers, and returns them with schema and
// id. Where one cannot be so, it adds none and reports all.
func Append(run record.Folder, notes []Note) (all []Note, err error) {
	files := make(map[string][]Note)
	added := make(map[string][]Note)
	var faults []error
	for _, n := range notes {
		have, read := files[n.Reviewer]
		if !read {
			have, err = readFile(run, n.Reviewer)
			faults = append(faults, err)
		}
		n.Schema, n.ID = Schema, strconv.Itoa(len(have)+1)
		for has(have, n.ID) {
			n.ID += "a"
		}
		if n.TakesBack() {
			n.Value = json.RawMessage("null")
		}
		faults = append(faults, n.Validate())
		if n.Replaces != "" && !has(have, n.Replaces) {
			faults = append(faults, fmt.Errorf("replaces is %.80q, but %s has no such note", n.Replaces, n.Reviewer))
		}
		files[n.Reviewer], added[n.Reviewer], all = append(have, n), append(added[n.Reviewer], n), append(all, n)
	}
	if err := errors.Join(faults...); err != nil {
		return all, err
	}
	return all, write(run, added)
}

// write appends notes to the files of their reviewers.
func write(run record.Folder, by map[string][]Note) error {
	if err := os.MkdirAll(dir(run), 0o755); err != nil {
		return err
	}
	for _, reviewer := range slices.Sorted(maps.Keys(by)) {
		log, _, err := record.OpenLog(file(run, reviewer))
		if err != nil {
			return err
		}
		for _, n := range by[reviewer] {
			err = errors.Join(err, log.Append(n))
		}
		if err := errors.Join(err, log.Close()); err != nil {
			return err
		}
	}
	return nil
}

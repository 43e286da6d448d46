package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"recallbench/internal/calc/lists"
	"recallbench/internal/files/durable"
)

// A Folder is the folder of a run.
type Folder string

func (f Folder) path(names ...string) string {
	return filepath.Join(append([]string{string(f)}, names...)...)
}

// of returns the path of a file about a dataset.
func (f Folder) of(dataset, folder, end string) string { return f.path(folder, FileName(dataset)+end) }

// The files of a run folder.

func (f Folder) header() string { return f.path("run.json") }

// Config is the path of the resolved config.
func (f Folder) Config() string { return f.path("config.yaml") }

// Scores is the path of the scores.
func (f Folder) Scores() string { return f.path("scores.jsonl") }

// Gold is the path of the questions and gold answers of a dataset.
func (f Folder) Gold(dataset string) string { return f.of(dataset, "gold", ".jsonl") }

// Errata is the path of what is wrong with the gold answers of a dataset.
func (f Folder) Errata(dataset string) string { return f.of(dataset, "gold", ".errata.jsonl") }

// Trees is the path of the structured memories of a dataset.
func (f Folder) Trees(dataset string) string { return f.of(dataset, "gold", ".trees.jsonl") }

// Turns is the path of the order of the turns of a dataset.
func (f Folder) Turns(dataset string) string { return f.of(dataset, "gold", ".turns.jsonl") }

// Cell is the folder of a cell.
func (f Folder) Cell(id string) string { return f.path("cells", id) }

// Records is the path of a cell's finished requests.
func (f Folder) Records(cell string) string { return f.path("cells", cell, "records.jsonl") }

// Structures is the path of the contents of a cell's memories, if the config records them.
func (f Folder) Structures(cell string) string { return f.path("cells", cell, "structures.jsonl") }

// Ingests is the path of a cell's built memories.
func (f Folder) Ingests(cell string) string { return f.path("cells", cell, "ingests.jsonl") }

// Blocks is the path of a cell's blocks of evidence.
func (f Folder) Blocks(cell string) string { return f.path("cells", cell, "blocks.jsonl") }

// Judgements is the path of the verdicts on a cell's answers.
func (f Folder) Judgements(cell string) string { return f.path("cells", cell, "judgements.jsonl") }

// Payments is the path of what was paid for calls of the run and its judges, and of
// which models replied, as it happened.
func (f Folder) Payments() string { return f.path("payments.jsonl") }

// Asked is the path of what raters were asked about a dataset, with the key to
// it.
func (f Folder) Asked(dataset string) string { return f.of(dataset, "ratings", askedEnd) }

// askedEnd ends the names of files of what raters were asked.
const askedEnd = ".asked.json"

// Ratings is the path of people's ratings of the answers on a dataset.
func (f Folder) Ratings(dataset string) string { return f.of(dataset, "ratings", ".jsonl") }

// aside is where damaged parts of a file of the folder go.
func (f Folder) aside(path string) string {
	return f.path("damaged", filepath.FromSlash(f.name(path)))
}

// Memories is the folder of saved parts of memories.
func (f Folder) Memories() string { return f.path("memories") }

// FileName returns label as the name of a file: letters, digits, dots, dashes
// and underscores stay, anything else becomes a dash. A label that had to be
// changed gets a part of its hash behind it, so that names differ where labels
// do.
func FileName(label string) string {
	name := strings.TrimLeft(unsafeInName.ReplaceAllString(label, "-"), ".")
	if name != label {
		sum := sha256.Sum256([]byte(label))
		name += "-" + hex.EncodeToString(sum[:4])
	}
	return name
}

// unsafeInName are the characters that are not in names of files.
var unsafeInName = regexp.MustCompile(`[^a-zA-Z0-9._-]`)

// beforeHeader are the files of a run folder that a process may leave that was killed
// before it wrote the header.
var beforeHeader = []string{".lock", "cells", "config.yaml", "damaged", "gold", "memories", progressFile, "payments.jsonl"}

// Create makes a new run folder. A folder that is there already must be empty,
// or hold what a process left that was killed before it wrote the header.
func Create(dir string) (Folder, error) {
	f := Folder(dir)
	if what := Describe(dir); what == "a file" || what == "a baseline" {
		return "", fmt.Errorf("run folder %s is %s; name a new or empty folder", dir, what)
	}
	if IsRun(dir) {
		return "", fmt.Errorf("run folder %s has a run; 'bench resume %s' continues it", dir, dir)
	}
	err := os.MkdirAll(dir, 0o755)
	if e, ok := errors.AsType[*fs.PathError](err); ok && Describe(e.Path) == "a file" {
		return "", fmt.Errorf("run folder %s cannot be made: %s is a file", dir, e.Path)
	}
	entries, err2 := os.ReadDir(dir)
	if err := errors.Join(err, err2); err != nil {
		return "", fmt.Errorf("run folder: %w", err)
	}
	for _, e := range entries {
		if !slices.Contains(beforeHeader, e.Name()) && !strings.HasSuffix(e.Name(), durable.Unfinished) {
			return "", fmt.Errorf("run folder %s is not empty: it contains %s", dir, e.Name())
		}
	}
	if err := errors.Join(os.MkdirAll(f.path("cells"), 0o755), os.MkdirAll(f.path("gold"), 0o755)); err != nil {
		return "", fmt.Errorf("run folder: %w", err)
	}
	return f, nil
}

// Unbegun reports whether dir has the config of a run, but no header or records: its
// process was killed before it asked anything.
func Unbegun(dir string) bool {
	f := Folder(dir)
	_, config := os.Stat(f.Config())
	return !exists(f.header()) && config == nil && f.firstRecords() == ""
}

// firstRecords returns the records of one of the folder's cells, by name; the
// empty text where there are none.
func (f Folder) firstRecords() string {
	begun, _ := fs.Glob(os.DirFS(string(f)), "cells/*/records.jsonl") // only a malformed pattern fails
	if len(begun) == 0 {
		return ""
	}
	return f.path(filepath.FromSlash(begun[0]))
}

// unfinished returns the files that a killed process has left, all below the
// folder.
func (f Folder) unfinished() (paths []string) {
	// A folder that cannot be read is reported by who needs it.
	_ = filepath.WalkDir(string(f), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasPrefix(d.Name(), ".") && strings.HasSuffix(d.Name(), durable.Unfinished):
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}

// Describe says what is at a path, for messages: "the folder of a run", "a baseline",
// "a folder" or "a file"; empty where nothing is.
func Describe(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return ""
	case !info.IsDir():
		return "a file"
	case IsBaseline(path):
		return "a baseline"
	case IsRun(path):
		return "the folder of a run"
	}
	return "a folder"
}

// IsRun reports whether dir is the folder of a run or of a baseline.
func IsRun(dir string) bool {
	_, err := os.Stat(Folder(dir).header())
	return err == nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Lock takes the folder for this process until it calls unlock or ends, however
// it ends, and removes the unfinished files that a killed process left. The file .lock
// stays: removing it could take the lock of a process that came in between.
func (f Folder) Lock() (unlock func() error, err error) {
	lock := flock.New(f.path(".lock"))
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("run folder: %w", err)
	}
	if !ok {
		return nil, fmt.Errorf("run folder %s is in use by another process", string(f))
	}
	if err := errors.Join(lists.Map(f.unfinished(), os.Remove)...); err != nil {
		return nil, errors.Join(fmt.Errorf("run folder: %w", err), lock.Unlock())
	}
	return lock.Unlock, nil
}

// SameFolder reports whether two paths are the same existing folder.
func SameFolder(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// Newest returns the folder of the run in dir that began last. If a header cannot be
// read, the time in the folder's name counts, so that a damaged run is not skipped in
// favour of an older one. It is an error if there is none.
func Newest(dir string) (newest string, err error) {
	headers, err := filepath.Glob(filepath.Join(dir, "*", "run.json"))
	var began time.Time
	for _, path := range headers { // sorted by name: of runs that began at the same time, the last counts
		var header struct{ Start time.Time }
		if ReadJSON(path, &header) != nil {
			stamp, _, _ := strings.Cut(filepath.Base(filepath.Dir(path)), "-")
			header.Start, _ = time.Parse("20060102T150405Z", stamp)
		}
		if !header.Start.IsZero() && !header.Start.Before(began) {
			newest, began = filepath.Dir(path), header.Start
		}
	}
	if newest == "" && err == nil {
		err = fmt.Errorf("there is no latest run: %s has none; 'bench run' makes one there; name a run elsewhere by its folder", dir)
	}
	return newest, err
}

// Stamp names the state of the files of a folder that fit some patterns: it is another
// one where any of them has another size or time.
func Stamp(dir string, patterns ...string) string {
	files := os.DirFS(dir)
	var b strings.Builder
	for _, pattern := range patterns {
		found, _ := fs.Glob(files, pattern) // only a malformed pattern fails
		for _, name := range found {
			if info, err := fs.Stat(files, name); err == nil {
				fmt.Fprintf(&b, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return b.String()
}

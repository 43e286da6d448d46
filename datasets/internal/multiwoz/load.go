package multiwoz

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/termsafe"
)

// Load reads splits of the folder dir, or of the folder within it that [Find]
// names.
func Load(ctx context.Context, dir string, splits ...string) (*Corpus, error) {
	at, err := Find(dir)
	if err != nil {
		return nil, err
	}
	l := loader{corpus: &Corpus{Dir: at}, ids: make(map[string]bool)}
	files := reader{left: MaxSize}
	for _, name := range splits {
		if err := l.split(ctx, &files, at, name); err != nil {
			return nil, err
		}
	}
	if err := l.acts(ctx, &files, at); err != nil {
		return nil, err
	}
	if err := l.faults.Err(); err != nil {
		return nil, err
	}
	l.corpus.SHA256 = files.sum()
	l.corpus.Release = release(l.corpus.Splits, files.digests)
	l.corpus.Warnings = l.warnings.Warnings
	return l.corpus, ctx.Err()
}

// A loader reads the files of a corpus.
type loader struct {
	corpus   *Corpus
	faults   datafile.Faults
	warnings datasets.Set // only to count them
	ids      map[string]bool
}

// split reads the files of a split.
func (l *loader) split(ctx context.Context, files *reader, dir, name string) error {
	names, err := dialogueFiles(filepath.Join(dir, name))
	if err == nil && len(names) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		return fmt.Errorf("split %s: %s: has no dialogues: %w", name, filepath.Join(dir, name), err)
	}
	s := Split{Name: name}
	for _, file := range names {
		path := filepath.Join(dir, name, file)
		data, err := files.read(ctx, path)
		if err != nil {
			return err
		}
		l.faults.File = path
		place := func(n int) string { return fmt.Sprintf("[%d]", n-1) }
		err = l.faults.Array(ctx, bytes.NewReader(data), place, func(_ jsontree.Element, c *jsontree.Cursor) {
			if d, ok := l.dialogue(c); ok {
				s.Dialogues = append(s.Dialogues, d)
			}
		})
		if err != nil {
			return err
		}
	}
	l.corpus.Splits = append(l.corpus.Splits, s)
	return ctx.Err()
}

// fields reads the fields of the object that a file holds, one after the other: the
// tree of a whole file would take ten times its size.
func (l *loader) fields(path string, data []byte, each func(*jsontree.Cursor)) {
	l.faults.File = path
	d := json.NewDecoder(bytes.NewReader(data))
	token, err := d.Token()
	whole := err == nil && token == json.Delim('{')
	seen := make(map[string]bool)
	at, line := 0, 1 // of the field before
	for whole && d.More() {
		token, err := d.Token()
		name, _ := token.(string)
		start := int(d.InputOffset())
		at, line = start, line+bytes.Count(data[at:start], []byte("\n"))
		if seen[name] {
			l.faults.Addf(line, "field %q comes twice in one object", name)
		}
		seen[name] = true
		var raw json.RawMessage
		if whole = err == nil && d.Decode(&raw) == nil; !whole {
			break
		}
		start = int(d.InputOffset()) - len(raw)
		at, line = start, line+bytes.Count(data[at:start], []byte("\n"))
		tree, err := jsontree.Parse(raw)
		if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
			l.faults.Addf(line+datafile.Line(raw, se.Offset)-1, "%s: %w", name, se)
			continue
		}
		each(jsontree.Root(tree, name, l.faults.Report(raw, line)))
	}
	if _, err := d.Token(); whole && err == nil && len(bytes.TrimSpace(data[d.InputOffset():])) == 0 {
		return
	}
	if root := l.faults.Root(data, ""); root != nil {
		root.Is(jsontree.Object)
	}
}

// maxPath is the length in bytes of what a warning shows of a path.
const maxPath = 200

// short makes text of a file safe to print.
func short(s string) string {
	if len(s) > maxPath {
		s = strings.ToValidUTF8(s[:maxPath], "") + "…"
	}
	return termsafe.Text(s)
}

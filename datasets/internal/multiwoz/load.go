package multiwoz

import (
	"bytes"
	"context"
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
	if err := l.acts(ctx, &files, filepath.Join(at, "dialog_acts.json")); err != nil {
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
		place := func(n int, _ jsontree.Element) string { return fmt.Sprintf("[%d]", n-1) }
		err = l.faults.Each(ctx, bytes.NewReader(data), jsontree.Array, place, func(_ jsontree.Element, c *jsontree.Cursor) {
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

// maxPath is the length in bytes of what a warning shows of a path.
const maxPath = 200

// short makes text of a file safe to print.
func short(s string) string {
	if len(s) > maxPath {
		s = strings.ToValidUTF8(s[:maxPath], "") + "…"
	}
	return termsafe.Text(s)
}

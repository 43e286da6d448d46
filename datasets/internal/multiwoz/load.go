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
	data     []byte // of the file being read
	base     int    // offset in it of the part being read
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
		err = l.parts(path, data, '[', func(c *jsontree.Cursor) {
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

// parts reads the items of the array, or the fields of the object, that a file
// holds, one after the other: the trees of a whole file would take ten times its
// size.
func (l *loader) parts(path string, data []byte, open json.Delim, each func(*jsontree.Cursor)) error {
	l.faults.File, l.data, l.base = path, data, 0
	d := json.NewDecoder(bytes.NewReader(data))
	if token, err := d.Token(); err != nil || token != open {
		return l.noJSON(path, data, open)
	}
	seen := make(map[string]bool)
	for n := 0; d.More(); n++ {
		name := fmt.Sprintf("[%d]", n)
		if open == '{' {
			token, err := d.Token()
			if err != nil {
				return l.noJSON(path, data, open)
			}
			name, _ = token.(string)
			if seen[name] {
				return fmt.Errorf("%s:%d: field %q comes twice in one object", path, datafile.Line(data, int(d.InputOffset())), name)
			}
			seen[name] = true
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return l.noJSON(path, data, open)
		}
		l.base = int(d.InputOffset()) - len(raw)
		tree, err := jsontree.Parse(raw)
		if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
			return fmt.Errorf("%s:%d: %s: %s", path, datafile.Line(data, l.base+se.Offset), termsafe.Text(name), termsafe.Text(se.Reason))
		}
		each(jsontree.Root(tree, name, l.fault))
	}
	if _, err := d.Token(); err != nil {
		return l.noJSON(path, data, open)
	}
	if rest := bytes.TrimSpace(data[d.InputOffset():]); len(rest) > 0 {
		return l.noJSON(path, data, open)
	}
	return nil
}

// noJSON returns what is wrong with a file that is not JSON, or not the array or
// the object that it should be.
func (l *loader) noJSON(path string, data []byte, open json.Delim) error {
	tree, err := jsontree.Parse(data)
	if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		return fmt.Errorf("%s:%d: offset %d: %s", path, datafile.Line(data, se.Offset), se.Offset, termsafe.Text(se.Reason))
	}
	want := jsontree.Array
	if open == '{' {
		want = jsontree.Object
	}
	return fmt.Errorf("%s:%d: want %s, have %s", path, datafile.Line(data, tree.Offset), want, tree.Kind)
}

// maxPath is the length in bytes of what a message shows of a path.
const maxPath = 200

// fault reports what is wrong with a value.
func (l *loader) fault(offset int, path, fault string) {
	line := 1
	if !l.faults.Full() { // else it is only counted: spare the search
		line = datafile.Line(l.data, l.base+offset)
	}
	l.faults.Addf(line, "%s: %s", short(path), short(fault))
}

// short makes text of a file safe to print.
func short(s string) string {
	if len(s) > maxPath {
		s = strings.ToValidUTF8(s[:maxPath], "") + "…"
	}
	return termsafe.Text(s)
}

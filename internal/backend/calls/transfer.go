package calls

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"slices"

	"recallbench/internal/files/durable"
)

func fileSize(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// copyTo writes recordings as the frames of a segment.
func copyTo(ctx context.Context, w io.Writer, recordings []*Recording) error {
	var e encoder
	var buf []byte
	for _, r := range recordings {
		if err := ctx.Err(); err != nil {
			return err
		}
		c, err := r.content()
		if err != nil {
			return err
		}
		h := r.header
		buf = e.frame(buf[:0], &h, c.reply, c.texts)
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// Export writes recordings as one file, which [Store.Import] reads. They are
// sorted by key, so that the same recordings give the same bytes wherever they
// come from; times are kept.
func Export(ctx context.Context, w io.Writer, recordings []*Recording) error {
	recordings = slices.SortedFunc(slices.Values(recordings), func(a, b *Recording) int {
		return bytes.Compare(a.header.key[:], b.header.key[:])
	})
	sum := sha256.New()
	if err := copyTo(ctx, io.MultiWriter(w, sum), recordings); err != nil {
		return err
	}
	end := header{kind: endFrame, key: Key(sum.Sum(nil))}
	_, err := w.Write(end.append(nil))
	return err
}

// An Imported says what became of the recordings of a file.
type Imported struct {
	New   int // were not in the store
	Newer int // replace an older recording of the same key
	Known int // are in the store, or older than what is
	Check Check
	// Whole is set when the file has the end of an export and every byte is as
	// it was written.
	Whole bool
}

// Import adds the recordings of an exported file, or of a segment of another
// store, at once. Of a file that is not whole nothing is added, unless partial
// is set: then what can be read is.
func (s *Store) Import(ctx context.Context, path string, partial bool) (in Imported, err error) {
	from := &segment{path: path}
	if in.Whole, err = s.ended(from); err != nil {
		return in, err
	}
	if err := s.refresh(); err != nil {
		return in, fmt.Errorf("recordings: %w", err)
	}
	newest := make(map[Key]*Recording)
	err = s.check(ctx, from, &in.Check, func(r *Recording) error {
		if had, ok := newest[r.Key()]; !ok || had.header.time < r.header.time {
			newest[r.Key()] = r
		}
		return nil
	})
	if err != nil {
		return in, err
	}
	in.Whole = in.Whole && len(in.Check.Damages) == 0
	var add []*Recording
	for k, r := range newest {
		g, at, ok := s.lookup(k)
		if !ok {
			in.New++
		} else if h, err := s.header(g, at.offset); err == nil && h.time >= r.header.time {
			in.Known++
			continue
		} else {
			in.Newer++
		}
		add = append(add, r)
	}
	if len(add) == 0 || !in.Whole && !partial {
		return in, nil
	}
	slices.SortFunc(add, func(a, b *Recording) int { return bytes.Compare(a.header.key[:], b.header.key[:]) })
	if err := s.newSegment(ctx, add); err != nil {
		return in, err
	}
	return in, s.refresh()
}

// newSegment adds a segment of recordings, which appears as a whole.
func (s *Store) newSegment(ctx context.Context, recordings []*Recording) error {
	path := newSegment(s.dir, s.now().UTC().Format("20060102T150405Z"))
	err := durable.WriteFile(path, func(w io.Writer) error { return copyTo(ctx, w, recordings) })
	durable.SyncDir(s.dir)
	return err
}

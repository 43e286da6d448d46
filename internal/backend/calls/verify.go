package calls

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A Damage is a part of a file that is not what was written.
type Damage struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	Length int64  `json:"bytes"`
	What   string `json:"what"`
}

// A Check is what a look at every byte found.
type Check struct {
	Files      int   `json:"files"`
	Bytes      int64 `json:"bytes"`
	Recordings int   `json:"recordings"` // whole ones, older ones of the same key included
	// CutOff counts the bytes at ends of files that are no whole recording:
	// what processes that were killed left, or what others write just now.
	CutOff  int64    `json:"cut_off_bytes"`
	Damages []Damage `json:"damages"`
}

// Verify reads every byte of the store. It checks sums, that each request can
// be put together, and that keys are those of the requests.
func (s *Store) Verify(ctx context.Context) (Check, error) {
	c := Check{Damages: []Damage{}}
	if err := s.refresh(); err != nil {
		return c, fmt.Errorf("recordings: %w", err)
	}
	s.mu.RLock()
	segments := slices.Clone(s.segments)
	s.mu.RUnlock()
	slices.SortFunc(segments, func(a, b *segment) int { return cmp.Compare(a.path, b.path) })
	for _, g := range segments {
		if err := s.check(ctx, g, &c, func(*Recording) error { return nil }); err != nil {
			return c, err
		}
	}
	return c, nil
}

// check reads every byte of a segment, calls do for each whole recording, and
// adds what it found to c.
func (s *Store) check(ctx context.Context, g *segment, c *Check, do func(*Recording) error) error {
	size, err := fileSize(g.path)
	if err != nil {
		return err
	}
	damage := func(offset, length int64, what string) {
		c.Damages = append(c.Damages, Damage{g.name(), offset, length, what})
	}
	c.Files++
	c.Bytes += size
	end, err := scan(reader{&s.files, g}, 0, size, func(f found) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.length > 0 {
			damage(f.offset, f.length, "no recording can be read here")
			return nil
		}
		if f.header.kind == endFrame {
			return nil
		}
		r := &Recording{s, g, f.offset, f.header}
		if err := r.check(); err != nil {
			what := err.Error()
			if e, ok := errors.AsType[*faultError](err); ok {
				what = e.part + ": " + e.err.Error()
			}
			damage(f.offset, r.Size(), what)
			return nil
		}
		c.Recordings++
		return do(r)
	})
	c.CutOff += size - end
	return err
}

// check reads the whole recording.
func (r *Recording) check() error {
	if _, err := r.content(); err != nil {
		return err
	}
	_, err := r.Reply()
	return err
}

// A content is what a recording is made of, as it goes into another segment.
type content struct {
	reply []byte
	texts []string
}

// content reads a recording and checks that its request has its key.
func (r *Recording) content() (c content, err error) {
	if c.reply, err = r.reply(); err != nil {
		return c, err
	}
	if c.texts, err = r.texts(-1); err != nil {
		return c, err
	}
	call, id, err := restore(c.texts)
	if err != nil {
		return c, r.fault("request", err)
	}
	k, err := call.key(id)
	if err == nil && (k != r.header.key || call.Kind != r.Kind() || id.hash != r.header.identity) {
		err = errors.New("its key is that of another request")
	}
	return c, r.fault("request", err)
}

// ended reports whether a file ends with the end of an export that covers all
// bytes before it.
func (s *Store) ended(g *segment) (bool, error) {
	size, err := fileSize(g.path)
	if err != nil || size < headerSize {
		return false, err
	}
	h, err := s.header(g, size-headerSize)
	if err != nil || h.kind != endFrame || h.size() != headerSize {
		return false, nil //nolint:nilerr // what cannot be read as an end is none
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(reader{&s.files, g}, 0, size-headerSize)); err != nil {
		return false, err
	}
	return Key(sum.Sum(nil)) == h.key, nil
}

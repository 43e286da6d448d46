// Package reread loads conversations from the parts of files in which they were
// found, and notices if those have changed.
package reread

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"

	"recallbench/datasets"
)

// A Part is a part of a file, with a hash of its bytes.
type Part struct {
	Path  string
	Start int64
	Size  int
	Sum   [sha256.Size]byte
}

// PartOf returns the part of a file that begins at an offset and holds data.
func PartOf(path string, start int64, data []byte) Part {
	return Part{path, start, len(data), sha256.Sum256(data)}
}

// A Source loads conversations.
type Source struct {
	Parts [][]Part // of each conversation
	// Parse reads a conversation from the content of its parts.
	Parse func(i int, data [][]byte) (datasets.Sample, error)
}

// Load implements [datasets.Source].
func (s *Source) Load(ctx context.Context, i int) (datasets.Sample, error) {
	var all [][]byte
	for _, p := range s.Parts[i] {
		data, err := p.read()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return datasets.Sample{}, err
		}
		all = append(all, data)
	}
	return s.Parse(i, all)
}

func (p Part) read() ([]byte, error) {
	f, err := os.Open(p.Path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", datasets.ErrChanged, err)
	}
	defer f.Close()
	data := make([]byte, p.Size)
	if n, err := f.ReadAt(data, p.Start); n < p.Size || sha256.Sum256(data) != p.Sum {
		return nil, fmt.Errorf("%w: %s, bytes %d to %d (%w)", datasets.ErrChanged, p.Path, p.Start, p.Start+int64(p.Size), err)
	}
	return data, nil
}

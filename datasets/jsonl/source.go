package jsonl

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"

	"recallbench/datasets"
)

const (
	// maxSample is how many bytes of lines a sample may have, 1 GiB.
	maxSample = 1 << 30
	// maxSpans is how many spans all samples may have together.
	maxSpans = 1_000_000
)

// A span is a run of lines of one sample.
type span struct {
	file       int // which of the source's
	start, end int64
	sum        uint64 // of its bytes
}

// A source loads samples from the lines that they were found in.
type source struct {
	files   []*os.File
	samples [][]span
	seed    maphash.Seed
}

// Load implements [datasets.Source].
func (s *source) Load(ctx context.Context, i int) (datasets.Sample, error) {
	l := newLoader()
	for _, sp := range s.samples[i] {
		file := s.files[sp.file]
		var sum maphash.Hash
		sum.SetSeed(s.seed)
		l.faults.File = file.Name()
		if err := l.lines(ctx, io.TeeReader(io.NewSectionReader(file, sp.start, sp.end-sp.start), &sum), sp.end-sp.start); err != nil {
			return datasets.Sample{}, err
		}
		if sum.Sum64() != sp.sum {
			return datasets.Sample{}, fmt.Errorf("%w: %s, bytes %d to %d", datasets.ErrChanged, file.Name(), sp.start, sp.end)
		}
	}
	return l.samples[0].Sample, nil
}

// Close implements [datasets.Source].
func (s *source) Close() error {
	var faults []error
	for _, f := range s.files {
		faults = append(faults, f.Close())
	}
	return errors.Join(faults...)
}

// An indexer notes in which spans the turns of samples stand.
type indexer struct {
	source
	at    int64   // the end of the line before
	last  *sample // that the line before is of
	open  bool    // the last sample's last span goes on
	sum   maphash.Hash
	spans int
}

// line takes down a line of a sample, which is a turn or not; of none where it is empty
// or at fault, which goes with the sample before it. A span begins and ends with a turn:
// questions are held from the opening on.
func (x *indexer) line(l *loader, s *sample, turn bool, raw []byte) {
	start := x.at
	x.at += int64(len(raw))
	if s == nil {
		s = x.last
	}
	if s == nil {
		return
	}
	if n := int64(len(raw)); s.bytes <= maxSample && s.bytes+n > maxSample {
		l.faults.Addf(l.line, "sample %q has more than %d GiB of lines, the most that is read", s.ID, maxSample>>30)
	}
	s.bytes += int64(len(raw))
	if s != x.last {
		x.last, x.open = s, false
	}
	if turn && !x.open {
		x.open = true
		x.sum.Reset()
		if x.spans++; x.spans == maxSpans+1 {
			l.faults.Addf(l.line, "the lines of samples change places more than %d times; sort the file by sample", maxSpans)
		}
		if x.spans > maxSpans {
			return
		}
		s.spans = append(s.spans, span{file: len(x.files) - 1, start: start})
	}
	_, _ = x.sum.Write(raw) // never fails
	if n := len(s.spans); turn && n > 0 {
		s.spans[n-1].end, s.spans[n-1].sum = x.at, x.sum.Sum64()
	}
}

// begin takes the lines that follow from another file.
func (x *indexer) begin(f *os.File) {
	x.files = append(x.files, f)
	x.at, x.last, x.open = 0, nil, false
}

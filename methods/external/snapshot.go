package external

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"recallbench/internal/door/fault"
	"recallbench/internal/engine/checkpoint"
	"recallbench/internal/external/wire"
	"recallbench/internal/files/durable"
)

// maxSnapshot bounds the archive of a snapshot, in bytes. Larger ones are not kept.
const maxSnapshot = 1 << 30

// A snapshot is a memory as its adapter wrote it: the part that a run keeps of it.
// The files are in an archive next to the part.
type snapshot struct {
	Name    string    `json:"name"` // of the adapter
	Version string    `json:"version"`
	SHA256  string    `json:"sha256"` // of the archive
	Size    wire.Size `json:"size"`   // of the memory, as reported

	archive string
}

// findSnapshot finds the last snapshot that was kept, if it is from this adapter, and
// its part. A worker on another machine has the parts without the archive.
func (m *memory) findSnapshot(ctx context.Context) (keeper checkpoint.Keeper, part checkpoint.Part) {
	keeper = checkpoint.From(ctx)
	if keeper.Beside() == "" {
		return keeper, part
	}
	for _, p := range keeper.Parts() {
		var s snapshot
		if json.Unmarshal(p.Data, &s) == nil && s.Name == m.info.Name && s.Version == m.info.Version {
			s.archive = keeper.Beside()
			m.saved, part = &s, p
		}
	}
	return keeper, part
}

// makeSnapshot lets the adapter write a snapshot into a new folder. A refusal is logged
// and does not fail the memory.
func (m *memory) makeSnapshot(ctx context.Context, i *instance) error {
	m.unpacked = filepath.Join(i.dir, "snapshot-"+m.name)
	err := m.call(ctx, i, 6*m.o.Timeout, false, wire.Snapshot, wire.SnapshotParams{Memory: m.name, Path: m.unpacked}, nil)
	if err == nil || ctx.Err() != nil || lost(err) {
		return err
	}
	m.warn("the adapter makes no snapshot; the memory is not kept", err)
	m.unpacked = ""
	return nil
}

// keepSnapshot packs the snapshot that was made and keeps it.
func (m *memory) keepSnapshot(keeper checkpoint.Keeper) error {
	s := snapshot{Name: m.info.Name, Version: m.info.Version, Size: m.size, archive: keeper.Beside()}
	var err error
	if s.SHA256, err = pack(m.unpacked, s.archive); err == nil {
		m.saved = &s
		err = keeper.Add(s)
	} else {
		m.warn("a snapshot cannot be packed; the memory is not kept", err)
		err = nil
	}
	return cmp.Or(err, os.RemoveAll(m.unpacked))
}

// A sizeLimit is the number of bytes that may still be written.
type sizeLimit int64

// Write implements [io.Writer].
func (n *sizeLimit) Write(p []byte) (int, error) {
	if *n -= sizeLimit(len(p)); *n < 0 {
		return 0, fmt.Errorf("larger than %d bytes", int64(maxSnapshot))
	}
	return len(p), nil
}

// pack writes the files of a folder to an archive and returns its SHA-256.
// Anything that is neither a file nor a folder, such as a link out of the memory,
// is refused.
func pack(dir, archive string) (sum string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	hash, limit := sha256.New(), sizeLimit(maxSnapshot)
	err = durable.WriteFile(archive, func(w io.Writer) error {
		out := zip.NewWriter(io.MultiWriter(&limit, hash, w))
		return errors.Join(out.AddFS(root.FS()), out.Close())
	})
	return hex.EncodeToString(hash.Sum(nil)), err
}

// unpack writes the files of an archive to a new folder. An archive that has
// changed since it was written is refused before anything is read from it.
func unpack(archive, sum, dir string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, f)
	if err != nil {
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != sum {
		return fault.New(fault.Rejected, "%s has the SHA-256 %s, want %s", archive, got, sum)
	}
	files, err := zip.NewReader(f, size)
	if err == nil {
		err = errors.Join(os.RemoveAll(dir), os.CopyFS(dir, files))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	return nil
}

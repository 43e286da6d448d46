package external

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"recallbench/internal/door/fault"
	"recallbench/internal/engine/checkpoint"
	"recallbench/internal/files/durable"
	"recallbench/internal/outside/wire"
)

// maxSnapshot bounds a snapshot, in bytes of its files. Larger ones are not kept.
const maxSnapshot = 1 << 30

// A snapshot is a memory as its adapter wrote it: the part that a run keeps of it.
// The files are in an archive beside the part.
type snapshot struct {
	Name    string    `json:"name"` // of the adapter
	Version string    `json:"version"`
	SHA256  string    `json:"sha256"` // of the archive
	Size    wire.Size `json:"size"`   // of the memory, as it was told

	archive string
}

// begin builds the memory for the first time, or restores it from what an earlier
// run kept.
func (m *memory) begin(ctx context.Context) error {
	keeper := checkpoint.From(ctx)
	var part checkpoint.Part
	m.saved, part = m.find(keeper)
	found := m.saved
	m.saving = found == nil && m.info.Capabilities.Snapshot && keeper.Beside() != ""
	defer func() { m.saving = false }()
	if err := m.raise(ctx); err != nil {
		return err
	}
	switch {
	case m.saved != nil:
		part.Use()
	case m.unsaved != "":
		return m.keepSnapshot(keeper)
	}
	return nil
}

// find returns the last snapshot that was kept, where it is of this adapter, and
// its part. A worker of another machine has the parts and no archive beside them.
func (m *memory) find(keeper checkpoint.Keeper) (*snapshot, checkpoint.Part) {
	var found *snapshot
	var part checkpoint.Part
	if keeper.Beside() == "" {
		return found, part
	}
	for _, p := range keeper.Parts() {
		var s snapshot
		if json.Unmarshal(p.Data, &s) == nil && s.Name == m.info.Name && s.Version == m.info.Version {
			s.archive = keeper.Beside()
			found, part = &s, p
		}
	}
	return found, part
}

// save lets the adapter write a snapshot into a new folder. A refusal is logged and
// does not fail the memory.
func (m *memory) save(ctx context.Context, i *instance) error {
	m.unsaved = filepath.Join(i.dir, "snapshot-"+m.name)
	err := m.call(ctx, i, 6*m.o.Timeout, false, wire.Snapshot, wire.SnapshotParams{Memory: m.name, Path: m.unsaved}, nil)
	if err == nil || ctx.Err() != nil || lost(err) {
		return err
	}
	m.warn("the adapter makes no snapshot, and the memory is not kept", err)
	m.unsaved = ""
	return nil
}

// keepSnapshot packs the snapshot that was made and keeps it.
func (m *memory) keepSnapshot(keeper checkpoint.Keeper) error {
	s := snapshot{Name: m.info.Name, Version: m.info.Version, Size: m.size, archive: keeper.Beside()}
	var err error
	if s.SHA256, err = pack(m.unsaved, s.archive); err == nil {
		m.saved = &s
		err = keeper.Add(s)
	} else {
		m.warn("a snapshot cannot be packed, and the memory is not kept", err)
		err = nil
	}
	return cmp.Or(err, os.RemoveAll(m.unsaved))
}

// restore opens the memory from its snapshot.
func (m *memory) restore(ctx context.Context, i *instance, open wire.OpenParams) error {
	open.Restore = filepath.Join(i.dir, "restore-"+m.name)
	if err := unpack(m.saved.archive, m.saved.SHA256, open.Restore); err != nil {
		return err
	}
	if err := m.call(ctx, i, startTimeout, false, wire.Open, open, nil); err != nil {
		return err
	}
	m.size = m.saved.Size
	return os.RemoveAll(open.Restore)
}

// pack writes the files of a folder to an archive, whose bytes depend on theirs
// alone, and returns its SHA-256. What is neither a file nor a folder, such as a
// link out of the memory, is refused.
func pack(dir, archive string) (sum string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	hash, size := sha256.New(), int64(0)
	err = durable.WriteFile(archive, func(w io.Writer) error {
		zip := gzip.NewWriter(io.MultiWriter(w, hash))
		out := tar.NewWriter(zip)
		err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || name == "." {
				return err
			}
			if d.IsDir() {
				return out.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: 0o700})
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			if !info.Mode().IsRegular() {
				return fmt.Errorf("%s is neither a file nor a folder", name)
			}
			if size += info.Size(); size > maxSnapshot {
				return fmt.Errorf("it has more than %d bytes", maxSnapshot)
			}
			if err := out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: info.Size()}); err != nil {
				return err
			}
			f, err := root.Open(name)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.CopyN(out, f, info.Size())
			return err
		})
		return errors.Join(err, out.Close(), zip.Close())
	})
	return hex.EncodeToString(hash.Sum(nil)), err
}

// unpack writes the files of an archive to a new folder. An archive that is not the
// one that was written is refused before anything is read from it.
func unpack(archive, sum, dir string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return err
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != sum {
		return fault.New(fault.Rejected, "%s has the SHA-256 %s, want %s", archive, got, sum)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	zip, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	in := tar.NewReader(zip)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = extract(root, h, in)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", archive, err)
		}
	}
}

func extract(root *os.Root, h *tar.Header, in io.Reader) error {
	if h.Typeflag == tar.TypeDir {
		return root.Mkdir(h.Name, 0o700)
	}
	f, err := root.OpenFile(h.Name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.CopyN(f, in, h.Size)
	return errors.Join(err, f.Close())
}

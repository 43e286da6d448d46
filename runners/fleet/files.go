package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A sentFile is a file of the user in the run's object store, under its SHA-256.
type sentFile struct {
	Option string `json:"option"` // the path in the config
	Path   string `json:"path"`   // at the coordinator
	SHA256 string `json:"sha256"` // in hex
}

// sendFiles puts files into the object store of the run, by the path in the config.
// The function it returns removes the store.
func (c *Coordinator) sendFiles(ctx context.Context, own map[string]string) (remove func() error, err error) {
	if len(own) == 0 {
		return func() error { return nil }, nil
	}
	js, err := jetstream.New(c.Link.conn)
	if err != nil {
		return nil, err
	}
	bucket := streamName(c.Keys.Run)
	store, err := js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucket, Storage: jetstream.FileStorage, Replicas: c.replicas()})
	if err != nil {
		return nil, err
	}
	for _, option := range slices.Sorted(maps.Keys(own)) {
		f := sentFile{Option: option, Path: own[option]}
		if f.SHA256, err = fileHash(f.Path); err == nil {
			err = putFile(ctx, store, f)
		}
		if err != nil {
			return nil, err
		}
		c.files = append(c.files, f)
	}
	return func() error { return js.DeleteObjectStore(context.WithoutCancel(ctx), bucket) }, nil
}

func putFile(ctx context.Context, store jetstream.ObjectStore, f sentFile) error {
	file, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = store.Put(ctx, jetstream.ObjectMeta{Name: f.SHA256}, file)
	return err
}

func fileHash(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	_, err = io.Copy(h, file)
	return hex.EncodeToString(h.Sum(nil)), err
}

// fetchFiles copies files into a folder that this machine does not have where the
// coordinator has them, and returns the copies by the path in the config.
func fetchFiles(ctx context.Context, conn *nats.Conn, run, dir string, files []sentFile) (map[string]string, error) {
	copies := make(map[string]string)
	for i, f := range files {
		if _, err := os.Stat(f.Path); !errors.Is(err, fs.ErrNotExist) {
			continue // the check of the plan says whether it is the same
		}
		path := filepath.Join(dir, "own-"+strconv.Itoa(i))
		if err := fetchFile(ctx, conn, run, path, f.SHA256); err != nil {
			return nil, fmt.Errorf("%s of the run: %w", f.Option, err)
		}
		copies[f.Option] = path
	}
	return copies, nil
}

func fetchFile(ctx context.Context, conn *nats.Conn, run, path, sum string) error {
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	store, err := js.ObjectStore(ctx, streamName(run))
	if err != nil {
		return err
	}
	if err := store.GetFile(ctx, sum, path); err != nil {
		return err
	}
	switch got, err := fileHash(path); {
	case err != nil:
		return err
	case got != sum:
		return fmt.Errorf("it came with SHA-256 %s, want %s", got, sum)
	}
	return nil
}

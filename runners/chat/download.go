package chat

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"recallbench/datasets"
	"recallbench/internal/backend/calls"
	"recallbench/internal/config"
	"recallbench/internal/result/record"
	"recallbench/internal/text/suggest"
)

// Load loads a suite with the dataset tasks, which holds each expectation against its
// own solution. It is an [Engine]'s Check.
func (h House) Load(ctx context.Context, t Tasks) (err error) {
	dir, err := os.MkdirTemp("", "chat-tasks-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	turns := "single"
	for name, data := range t.Files {
		if filepath.Base(name) == "multi.yaml" {
			turns = "multi"
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return err
		}
	}
	_, err = h.Suite(ctx, dir, turns)
	return err
}

// Suite loads the suites of a folder with the dataset tasks; turns is "single" or
// "multi".
func (h House) Suite(ctx context.Context, dir, turns string) (*datasets.Set, error) {
	text, err := json.Marshal(map[string]any{
		"datasets": []any{map[string]any{"use": "tasks", "options": map[string]any{"dir": dir, "turns": turns}}},
		"methods":  []any{map[string]any{"use": "semantic-xpath"}},
	})
	if err != nil {
		return nil, err
	}
	c, err := config.Parse(filepath.Join(dir, "chat"), text, h.Plugins)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(h.Plugins.Datasets, func(s *datasets.Spec) bool { return s.Name == "tasks" })
	return h.Plugins.Datasets[i].Open(ctx, datasets.Env{Base: dir}, c.Datasets[0].Options)
}

// CallsIn is an [Engine]'s Calls that opens a store for each export.
func CallsIn(open func() (*calls.Store, error)) func(ctx context.Context, w io.Writer, ids []string) error {
	return func(ctx context.Context, w io.Writer, ids []string) error {
		store, err := open()
		if err != nil {
			return err
		}
		defer store.Close()
		var all []*calls.Recording
		for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
			found, err := store.Find(id)
			if err != nil {
				return err
			}
			if len(found) == 0 {
				return fmt.Errorf("call %s is not in %s", id, store.Dir())
			}
			all = append(all, found[0])
		}
		if len(all) == 0 {
			return errors.New("no call of the chat was recorded")
		}
		return calls.Export(ctx, w, all)
	}
}

// Export returns a chat as files: as "chat", its folder; as "tasks", a suite of the path
// to the head, which was loaded once.
func (e *Engine) Export(ctx context.Context, id, as string) (map[string][]byte, error) {
	o, err := e.find(id)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	switch as {
	case "tasks":
		t, err := o.chat.Tasks(record.FileName("chat-" + id))
		if err == nil {
			err = e.Check(ctx, t)
		}
		if err != nil {
			return nil, &StatusError{http.StatusUnprocessableEntity, err}
		}
		t.Files["judged.txt"] = fmt.Appendf(nil, "%d turns with an expectation, %d without a mark, %d left out because they failed\n", t.Judged, t.Unjudged, t.Left)
		return t.Files, nil
	case "chat":
		files := make(map[string][]byte)
		for _, name := range []string{logFile, treeFile} {
			data, err := os.ReadFile(filepath.Join(o.dir, name))
			if err == nil {
				files[name] = data
			} else if name == logFile || !os.IsNotExist(err) {
				return nil, err
			}
		}
		return files, nil
	case "calls":
		var b bytes.Buffer
		var ids []string
		for _, t := range o.chat.Turns {
			ids = append(ids, t.Record.Calls...)
		}
		if err := e.Calls(ctx, &b, ids); err != nil {
			return nil, &StatusError{http.StatusUnprocessableEntity, err}
		}
		return map[string][]byte{"chat-" + id + ".db": b.Bytes()}, nil
	default:
		return nil, faultf(http.StatusBadRequest, "as: %s", suggest.Unknown("format", as, []string{"calls", "chat", "tasks"}))
	}
}

// download sends an export as a zip file.
func (e *Engine) download(w http.ResponseWriter, r *http.Request) {
	id, as := r.PathValue("id"), r.URL.Query().Get("as")
	files, err := e.Export(r.Context(), id, as)
	if err != nil {
		refuse(w, err)
		return
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f, err := z.Create(name)
		if err == nil {
			_, err = f.Write(files[name])
		}
		if err != nil {
			refuse(w, err)
			return
		}
	}
	if err := z.Close(); err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", record.FileName("chat-"+id+"-"+as)+".zip"))
	// A client that went away is told nothing.
	_, _ = w.Write(b.Bytes())
}

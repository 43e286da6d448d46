package config

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"recallbench/internal/backend"
	"recallbench/internal/backend/calls"
	"recallbench/internal/files/strictyaml"
)

// Load reads a run file in these steps:
//
//  1. An entry of models that is a text names a file that holds one entry; a
//     relative name starts at the folder of the run file.
//  2. The file is laid over the one that it extends.
//  3. Assignments change it, such as "seed=2" or "methods.flat-rag.options.k=5",
//     in which an entry goes by its label, its use or its place. Of seed and seeds the
//     one that is assigned takes the place of the other.
//  4. The matrix and exclude make the lists, see [Sweep].
//
// All faults are reported at once, as a *[strictyaml.Error].
func Load(path string, p Plugins, set ...string) (*Config, error) {
	data, err := read(path)
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	return Parse(path, data, p, set...)
}

// read returns a file's content, as far as it can be a config.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder; want a YAML file", path)
	}
	return io.ReadAll(io.LimitReader(f, strictyaml.MaxBytes+1))
}

// Parse is [Load] for the contents of a file. Its name appears in messages, and
// relative paths start at its folder.
func Parse(name string, data []byte, p Plugins, set ...string) (c *Config, err error) {
	found := assigned(set)
	defer func() { err = concealed(err, found) }()
	doc, err := strictyaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(filepath.Dir(name))
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	complete(doc, name)
	if at := doc.Root().At("models"); doc.Root().IsMapping() && !at.Exists() {
		doc.Put(at.As("stand-in"), "models")
		include(doc, name)
	}
	for _, assignment := range set {
		assign(doc, assignment)
		include(doc, name)
	}
	if at := doc.Root().At("extends"); at.Assigned() {
		at.Faultf("cannot be set: files are combined before --set applies")
	}
	root, made := expand(doc.Root())
	processors := runtime.GOMAXPROCS(0)
	found = append(found, secrets(doc.Root(), "")...)
	f := file{Config: Config{
		Name:        nameOf(name),
		Seed:        1,
		Concurrency: Concurrency{Samples: processors, Requests: 4 * processors},
		Calls:       Calls{Mode: calls.Reuse},
	}}
	c = &f.Config
	root.Decode(&f)
	if root.IsMapping() {
		resolve(c, root, p)
		c.resolveExclude(root.At("exclude"), made, len(set) > 0 || made == nil)
	}
	if own := root.At("concurrency"); c.Remote(p) {
		if !own.At("requests").Exists() {
			c.Concurrency.Requests = remoteRequests
		}
		if !own.At("samples").Exists() {
			c.Concurrency.Samples = remoteSamples
		}
	}
	if err := doc.Err(); err != nil {
		return nil, err
	}
	if !filepath.IsAbs(c.Base) {
		c.Base = filepath.Join(dir, c.Base)
	}
	return c, nil
}

// What is done at once when models are called: processors have little to do
// then. What a provider takes is bounded for each account.
const (
	remoteRequests = 64
	remoteSamples  = 16
)

// Remote reports whether any model is called on a server.
func (c *Config) Remote(p Plugins) bool {
	return c.anyModel(p, func(s *backend.Spec, _ Entry) bool { return s.Remote })
}

// Recorded reports whether any model has calls that are recorded.
func (c *Config) Recorded(p Plugins) bool {
	return c.Calls.StandIn || c.anyModel(p, func(s *backend.Spec, e Entry) bool {
		return s.Remote || s.Records != nil && s.Records(e.Options)
	})
}

func (c *Config) anyModel(p Plugins, is func(*backend.Spec, Entry) bool) bool {
	return slices.ContainsFunc(c.Models, func(e Entry) bool {
		return slices.ContainsFunc(p.Models, func(s *backend.Spec) bool { return s.Name == e.Use && is(s, e) })
	})
}

// nameOf makes the name of a run from the name of its file.
func nameOf(file string) string {
	base := filepath.Base(file)
	name := strings.Trim(notInNames.ReplaceAllString(strings.TrimSuffix(base, filepath.Ext(base)), "-"), ".-")
	if r := []rune(name); len(r) > maxName {
		name = string(r[:maxName])
	}
	return cmp.Or(name, "run")
}

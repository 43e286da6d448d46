package datasettest

import (
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/engine/tree"
)

var (
	name   = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	digest = regexp.MustCompile(`^[0-9a-f]{64}$`)
	blobID = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

func (r *report) spec(s *datasets.Spec) {
	if !name.MatchString(s.Name) {
		r.addf("the name is not lower case letters, digits and hyphens")
	}
	for _, field := range []struct{ name, value string }{
		{"Doc", s.Doc}, {"Source", s.Source}, {"License", s.License},
	} {
		if strings.TrimSpace(field.value) == "" || strings.Contains(field.value, "\n") {
			r.addf("%s is %q, want one line", field.name, field.value)
		}
	}
	if s.Open == nil {
		r.addf("Open is nil")
	}
	if t := reflect.TypeOf(s.Options); t != nil && t.Kind() != reflect.Struct {
		r.addf("Options are %v, want a struct or nil", t)
	}
	if t := reflect.TypeOf(s.All); t != nil && t != reflect.TypeOf(s.Options) {
		r.addf("All is %v, want %v as Options are", t, reflect.TypeOf(s.Options))
	}
	if s.Embedded && len(s.Files) > 0 {
		r.addf("is embedded and yet has files to fetch")
	}
	r.categories("Spec", s.Categories)
	if s.Folder != "" && !filepath.IsLocal(s.Folder) {
		r.addf("the folder %q of its files is not within the data folder", s.Folder)
	}
	for _, f := range s.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) || path.Clean(f.Name) != f.Name {
			r.addf("file %q is not a clean path within the dataset's folder", f.Name)
		}
		if !strings.HasPrefix(f.URL, "https://") {
			r.addf("file %q: URL %q is not https", f.Name, f.URL)
		}
		hashed := f.Size > 0 && digest.MatchString(f.SHA256) && f.GitBlob == ""
		if blob := f.Size >= 0 && blobID.MatchString(f.GitBlob) && f.SHA256 == ""; hashed == blob {
			r.addf("file %q: size %d, SHA-256 %q and git blob %q do not pin it", f.Name, f.Size, f.SHA256, f.GitBlob)
		}
	}
	r.leaks(reflect.TypeFor[datasets.Sample](), "Sample")
}

func (r *report) categories(where string, categories []datasets.Category) {
	seen := make(map[string]bool)
	for _, c := range categories {
		if c.ID == "" || c.Name == "" {
			r.addf("%s: category %+v has no id or no name", where, c)
		}
		if seen[c.ID] {
			r.addf("%s: category %q comes twice", where, c.ID)
		}
		seen[c.ID] = true
	}
}

// leaks walks the types that a method can reach from a sample. None may hold a
// gold answer, or something that could be anything.
func (r *report) leaks(t reflect.Type, where string) {
	switch {
	case t == reflect.TypeFor[time.Time](), t == reflect.TypeFor[tree.Tree]():
		return // a tree is of nodes that hold nodes
	case t == reflect.TypeFor[datasets.Gold](), t == reflect.TypeFor[datasets.Set]():
		r.addf("%s holds a %v: gold reaches methods", where, t)
		return
	}
	switch t.Kind() { //nolint:exhaustive // the other kinds hold nothing
	case reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		r.addf("%s is a %v, which could bring gold to methods", where, t)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		r.leaks(t.Elem(), where)
	case reflect.Map:
		r.leaks(t.Key(), where)
		r.leaks(t.Elem(), where)
	case reflect.Struct:
		for f := range t.Fields() {
			r.leaks(f.Type, where+"."+f.Name)
		}
	}
}

package suite_test

import (
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"recallbench/datasets"
	"recallbench/datasets/jsonl"
	"recallbench/datasets/suite"
	"recallbench/internal/engine/tree"
)

var (
	specName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	digest   = regexp.MustCompile(`^[0-9a-f]{64}$`)
	blobID   = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// TestSpecs reads what the Specs say of themselves.
func TestSpecs(t *testing.T) {
	for _, s := range suite.Fetchable() {
		want := func(holds bool, format string, args ...any) {
			t.Helper()
			if !holds {
				t.Errorf("dataset %q: "+format, append([]any{s.Name}, args...)...)
			}
		}
		want(specName.MatchString(s.Name), "the name is not lower case letters, digits and hyphens")
		for _, text := range []string{s.Doc, s.Source, s.License} {
			want(strings.TrimSpace(text) != "" && !strings.Contains(text, "\n"), "a text is %q, want one line", text)
		}
		want(s.Open != nil || !slices.Contains(suite.All(), s), "Open is nil")
		options, all := reflect.TypeOf(s.Options), reflect.TypeOf(s.All)
		want(options == nil || options.Kind() == reflect.Struct, "Options are %v, want a struct or nil", options)
		want(all == nil || all == options, "All is %v, want %v as Options are", all, options)
		want(!s.Embedded || len(s.Files) == 0, "is embedded and yet has files to fetch")
		want(s.Folder == "" || filepath.IsLocal(s.Folder), "the folder %q of its files is not within the data folder", s.Folder)
		for i, c := range s.Categories {
			want(c.ID != "" && c.Name != "", "category %+v has no id or no name", c)
			want(!slices.ContainsFunc(s.Categories[:i], func(o datasets.Category) bool { return o.ID == c.ID }), "category %q comes twice", c.ID)
		}
		for _, f := range s.Files {
			want(filepath.IsLocal(filepath.FromSlash(f.Name)) && path.Clean(f.Name) == f.Name, "file %q is not a clean path within the dataset's folder", f.Name)
			want(strings.HasPrefix(f.URL, "https://"), "file %q: URL %q is not https", f.Name, f.URL)
			hashed := f.Size > 0 && digest.MatchString(f.SHA256) && f.GitBlob == ""
			blob := f.Size >= 0 && blobID.MatchString(f.GitBlob) && f.SHA256 == ""
			want(hashed != blob, "file %q: size %d, SHA-256 %q and git blob %q do not pin it", f.Name, f.Size, f.SHA256, f.GitBlob)
		}
	}
}

// leaks walks the types that a method can reach from a sample. None may hold a
// gold answer, or something that could be anything.
func leaks(t reflect.Type, where string) (found []string) {
	switch t {
	case reflect.TypeFor[time.Time](), reflect.TypeFor[tree.Tree]():
		return nil // a tree is of nodes that hold nodes
	case reflect.TypeFor[datasets.Gold](), reflect.TypeFor[datasets.Set]():
		return []string{where + " holds a " + t.String()}
	}
	switch t.Kind() { //nolint:exhaustive // the other kinds hold nothing
	case reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return []string{where + " is a " + t.String()}
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return leaks(t.Elem(), where)
	case reflect.Map:
		return append(leaks(t.Key(), where), leaks(t.Elem(), where)...)
	case reflect.Struct:
		for f := range t.Fields() {
			found = append(found, leaks(f.Type, where+"."+f.Name)...)
		}
	}
	return found
}

// TestLeaks wants no way from a sample, which methods see, to its gold.
func TestLeaks(t *testing.T) {
	if found := leaks(reflect.TypeFor[datasets.Sample](), "Sample"); len(found) > 0 {
		t.Errorf("gold reaches methods: %q", found)
	}
	type inner struct{ Gold map[string][]*datasets.Gold }
	type outer struct {
		Time  time.Time
		Inner []inner
		Any   any
	}
	want := []string{"outer.Inner.Gold holds a datasets.Gold", "outer.Any is a interface {}"}
	if found := leaks(reflect.TypeFor[outer](), "outer"); !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
}

// TestOwn wants that only the user's own data may be sent to other machines.
func TestOwn(t *testing.T) {
	for _, s := range suite.All() {
		if (s.Own != nil) != (s.License == jsonl.Spec.License) {
			t.Errorf("dataset %s with the licence %s: sent is %t", s.Name, s.License, s.Own != nil)
		}
	}
	for categories, want := range map[string][]string{"": {"a"}, "Locomo": {"a"}, "names.yaml": {"a", "names.yaml"}} {
		if got := jsonl.Spec.Own(jsonl.Options{Files: []string{"a"}, Categories: categories}); !slices.Equal(got, want) {
			t.Errorf("categories %q: own files %q, want %q", categories, got, want)
		}
	}
}

package config_test

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"recallbench/adapters"
	"recallbench/internal/config"
	"recallbench/internal/config/suite"
	"recallbench/internal/testkit/try"
)

// kept are options that stay although nothing sets them, with the reason.
var kept = map[string]string{
	"external key.file":   "keys are read from where those of model entries are",
	"live chat.key.file":  "a key in a file, of which documents tell in a sentence",
	"live embed.key.file": "the same",
	"live nli.key.file":   "the same",
}

// shared are options of a type that several methods have: one of them may set it.
var shared = []string{"reader.", "prune.", "ask."}

// TestOptionsAreUsed: an option of a method or a model entry stays as long as a run file of the project,
// an adapter or an example of a document sets it, or a run with tuning chooses it.
func TestOptionsAreUsed(t *testing.T) {
	used := usedOptions(t)
	for _, s := range suite.Plugins().Methods {
		if s.Grid != nil {
			noteTuned(t, used, s.Name, s.Options, s.Grid(s.Options))
		}
	}
	hold := func(name, key string, isUsed bool) {
		if _, stays := kept[name+" "+key]; stays == isUsed {
			t.Errorf("%s of %s: set by a run file, an adapter or a document: %t; kept all the same: %t", key, name, isUsed, stays)
		}
	}
	for _, s := range suite.Plugins().Methods {
		options := try.Get(config.Describe("methods", s.Name, s.Options))(t)
		for _, o := range options {
			isUsed := slices.ContainsFunc(shared, func(prefix string) bool { return strings.HasPrefix(o.Key, prefix) && used["* "+o.Key] })
			for _, other := range suite.Plugins().Methods { // such as flat-rag and vector-rag
				isUsed = isUsed || used[other.Name+" "+o.Key] && reflect.TypeOf(other.Options) == reflect.TypeOf(s.Options)
			}
			hold(s.Name, o.Key, isUsed)
		}
	}
	for _, s := range suite.Plugins().Models {
		options := try.Get(config.Describe("models", s.Name, s.Options))(t)
		for _, o := range options {
			door, key, _ := strings.Cut(o.Key, ".")
			isUsed := used["* "+o.Key]
			key = strings.TrimPrefix(key, "corenlp.")
			if slices.Contains([]string{"chat", "embed", "nli", "annotate"}, door) && ofServer.MatchString(key) {
				isUsed = used["live chat."+key] // all servers have it
			}
			hold(s.Name, o.Key, isUsed)
		}
	}
}

// ofServer are the keys of options that every server has.
var ofServer = regexp.MustCompile(`^(base_url|key|provider|limits)\b`)

var (
	yamlBlock = regexp.MustCompile("(?s)\n```yaml\n(.*?)\n```")
	// labelled is an entry's label with the plug-in that it uses, and setPath the path of
	// an option by such a label, as in a matrix and behind --set.
	labelled = regexp.MustCompile(`use: ([\w-]+), label: "?([^",}\n]+)`)
	setPath  = regexp.MustCompile(`\bmethods\.([\w-]+)\.options\.([a-z0-9_.]+)`)
)

// usedOptions returns what examples set: "NAME KEY", and "* KEY".
func usedOptions(t *testing.T) map[string]bool {
	t.Helper()
	used := make(map[string]bool)
	for _, dir := range []string{shippedDir, "../../adapters", "../../docs", "../../scripts", "../../README.md"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == "testdata" {
				return filepath.SkipDir
			}
			ext := filepath.Ext(path)
			if err != nil || ext != ".yaml" && ext != ".md" {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			blocks := []string{string(data)}
			if ext == ".md" {
				blocks = nil
				for _, m := range yamlBlock.FindAllStringSubmatch(string(data), -1) {
					blocks = append(blocks, m[1])
				}
			}
			for _, block := range blocks {
				var v any
				if err := yaml.Unmarshal([]byte(block), &v); err != nil {
					return fmt.Errorf("%s: %w", path, err)
				}
				noteEntries(used, v)
				if filepath.Base(path) == adapters.ManifestFile { // its values are options of external
					noteKeys(used, "external", "", v)
				}
			}
			uses := make(map[string]string)
			for _, m := range labelled.FindAllStringSubmatch(string(data), -1) {
				uses[m[2]] = m[1]
			}
			for _, m := range setPath.FindAllStringSubmatch(string(data), -1) {
				used[cmp.Or(uses[m[1]], m[1])+" "+m[2]] = true
			}
			return nil
		})
		try.Do(t, err)
	}
	return used
}

// noteEntries takes down the options of each entry within a value.
func noteEntries(used map[string]bool, v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			noteEntries(used, e)
		}
	case map[string]any:
		if name, ok := v["use"].(string); ok {
			noteKeys(used, name, "", v["options"])
		}
		for _, e := range v {
			noteEntries(used, e)
		}
	}
}

// noteKeys takes down the keys of options, nested ones with those that they lie within.
func noteKeys(used map[string]bool, name, prefix string, v any) {
	for key := range flatten(prefix, v) {
		used[name+" "+key], used["* "+key] = true, true
	}
}

// flatten returns the values of a mapping, and those within them, by their keys.
func flatten(prefix string, v any) map[string]string {
	all := make(map[string]string)
	m, _ := v.(map[string]any)
	for key, e := range m {
		all[prefix+key] = fmt.Sprintf("%#v", e)
		maps.Copy(all, flatten(prefix+key+".", e))
	}
	return all
}

// noteTuned takes down the options in which points of a grid differ.
func noteTuned(t *testing.T, used map[string]bool, name string, options any, grid []any) {
	t.Helper()
	flat := func(v any) map[string]string {
		var tree any
		try.Do(t, yaml.Unmarshal(try.Get(yaml.Marshal(v))(t), &tree))
		return flatten("", tree)
	}
	first := flat(options)
	for _, point := range grid {
		for key, value := range flat(point) {
			if value != first[key] {
				used[name+" "+key] = true
			}
		}
	}
}

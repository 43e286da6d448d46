package runners

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"recallbench/configs"
	"recallbench/internal/record"
)

// sameRun reports whether two shards are parts of different runs, and what they
// differ in.
func sameRun(a, b *shardRun) error {
	if a.header.Shard.Of != b.header.Shard.Of {
		return fmt.Errorf("%s is %s, %s is %s: they are not parts of the same split", b.dir, shardText(b.header.Shard), a.dir, shardText(a.header.Shard))
	}
	if keys := differentKeys(a.config, b.config); len(keys) > 0 {
		return fmt.Errorf("%s is a shard of another run than %s: their configs differ in %s", b.dir, a.dir, strings.Join(keys, ", "))
	}
	if err := sameDatasets(a.header, b.header); err != nil {
		return fmt.Errorf("%s is a shard of another run than %s: %w", b.dir, a.dir, err)
	}
	if len(a.header.Models) != len(b.header.Models) {
		return fmt.Errorf("%s is a shard of another run than %s: it has %d models, not %d", b.dir, a.dir, len(b.header.Models), len(a.header.Models))
	}
	if err := sameCells(a.header.Cells, b.header.Cells); err != nil {
		return fmt.Errorf("%s is a shard of another run than %s: %w", b.dir, a.dir, err)
	}
	return nil
}

// sameDatasets reports datasets that one run has and the other has not, because they
// are optional, or has with other content.
func sameDatasets(a, b record.Header) error {
	labels := func(h record.Header) (labels []string) {
		for _, d := range h.Datasets {
			labels = append(labels, d.Label)
		}
		return labels
	}
	if x, y := labels(a), labels(b); !slices.Equal(x, y) {
		return fmt.Errorf("it found the datasets %s, not %s", strings.Join(y, ", "), strings.Join(x, ", "))
	}
	for i, d := range a.Datasets {
		if e := b.Datasets[i]; e.SHA256 != d.SHA256 {
			return fmt.Errorf("its dataset %s has SHA-256 %s, not %s", d.Label, e.SHA256, d.SHA256)
		}
	}
	return nil
}

// differentKeys names the keys in which configs differ, but for those that change
// no answer and may be others on another machine.
func differentKeys(a, b *configs.Config) []string {
	x, y := comparedKeys(a), comparedKeys(b)
	var keys []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[configs.Config]()) {
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if !reflect.DeepEqual(x[key], y[key]) {
			keys = append(keys, key)
		}
	}
	return keys
}

// comparedKeys returns the keys of a config that every shard has alike. What cells
// hash is left to them: prompts by their content, models by what they answer with.
func comparedKeys(c *configs.Config) map[string]any {
	own := *c
	own.Shard = configs.Shard{}
	own.Base, own.Prompts, own.Memories, own.Prices = "", "", "", ""
	own.Concurrency, own.Budget, own.Calls = configs.Concurrency{}, configs.Budget{}, configs.Calls{}
	own.Models = slices.Clone(c.Models)
	for i := range own.Models {
		own.Models[i].Options = nil
	}
	data, err := own.Marshal()
	if err != nil {
		panic("runners: a config does not encode: " + err.Error()) // it came from YAML
	}
	var keys map[string]any
	if err := yaml.Unmarshal(data, &keys); err != nil {
		panic("runners: a config does not decode: " + err.Error())
	}
	return keys
}

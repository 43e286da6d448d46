// Package locomo loads LoCoMo, ten long conversations between two people over
// months, with 1,986 questions about them, and any other file in its format.
//
// The file is an array of conversations. Flaws of the release that are known and
// harmless are put right and counted in the warnings of the set. Anything else that is
// not as the format says is a fault, and all faults of a file come at once.
//
// Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM
// Agents", ACL 2024. The data is CC BY-NC 4.0 and not part of this project.
package locomo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
)

// MaxSize is the size in bytes above which a file is refused unread, 64 MiB:
// 23 times the released one.
const MaxSize = 64 << 20

const (
	commit  = "3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376"
	source  = "https://raw.githubusercontent.com/snap-research/locomo/" + commit
	dataset = "locomo10.json"
	digest  = "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4"
)

// Spec describes LoCoMo as released in August 2024.
var Spec = &datasets.Spec{
	Name:       "locomo",
	Doc:        "10 conversations over months, 1,986 questions in five categories",
	Source:     "Maharana et al., Evaluating Very Long-Term Conversational Memory of LLM Agents, ACL 2024; github.com/snap-research/locomo",
	License:    "CC-BY-NC-4.0",
	Options:    Options{Categories: []int{1, 2, 3, 4}, Category5: Drop},
	All:        Options{Categories: []int{1, 2, 3, 4, adversarial}, Category5: Abstain},
	Categories: Categories(),
	Metrics:    []string{"f1@span", "f1@mem0", "f1@locomo", "words", "evidence-recall", "tokens"},
	Files: []datasets.File{
		{Name: dataset, URL: source + "/data/" + dataset, Size: 2805274, SHA256: digest},
		{
			Name: "LICENSE.txt", URL: source + "/LICENSE.txt", Size: 19347,
			SHA256: "41003d4a74749c0220e33dd415042164b5a1093ed401f36277234f772d22d3d0", License: true,
		},
	},
	Open: datasets.Opener("locomo", open),
}

// Categories returns the categories of LoCoMo's questions by id. The release
// holds only the ids: the names follow the counts in the paper's table 5 and
// the official scorer. Others have them by other names, and the alias "mem0"
// is the map that Mem0's evaluation prints.
func Categories() []datasets.Category {
	mem0 := func(name string) map[string]string { return map[string]string{"mem0": name} }
	return []datasets.Category{ // as package category has them
		{ID: "1", Name: "multi-hop", Aliases: mem0("single-hop")},
		{ID: "2", Name: "temporal", Aliases: mem0("temporal")},
		{ID: "3", Name: "open-domain", Aliases: mem0("multi-hop")},
		{ID: "4", Name: "single-hop", Aliases: mem0("open-domain")},
		{ID: "5", Name: "adversarial"},
	}
}

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	path, err := o.file(env)
	if err != nil {
		return nil, err
	}
	data, err := datafile.Read(ctx, path, MaxSize)
	if errors.Is(err, fs.ErrNotExist) && o.Path == "" {
		return nil, fmt.Errorf("%w; 'bench data fetch locomo' gets it, --data or BENCH_DATA names another folder", err)
	}
	if err != nil {
		return nil, err
	}
	set, err := Parse(path, data, o)
	if err != nil {
		return nil, err
	}
	return set, ctx.Err()
}

// file returns the path of the data.
func (o Options) file(env datasets.Env) (string, error) {
	switch {
	case o.Path == "" && env.Dir == "":
		return "", datasets.NoFolder("'bench data fetch locomo' makes one, --data or BENCH_DATA names another")
	case o.Path == "":
		return filepath.Join(env.Dir, "locomo", dataset), nil
	default:
		return env.Resolve(o.Path), nil
	}
}

// Parse reads a file in LoCoMo's format. The name stands in messages. The
// path in the options is not looked at.
func Parse(name string, data []byte, o Options) (*datasets.Set, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("locomo: %w", err)
	}
	sum := sha256.Sum256(data)
	l := loader{
		options: o,
		faults:  datafile.Faults{File: name},
		set: &datasets.Set{
			Name:       "locomo",
			SHA256:     hex.EncodeToString(sum[:]),
			Settings:   o.settings(),
			Categories: o.categories(),
		},
	}
	l.set.Version = "sha256:" + l.set.SHA256[:12]
	if l.set.SHA256 == digest {
		l.set.Version = commit[:7]
	}
	if err := l.load(data); err != nil {
		return nil, err
	}
	return l.set, nil
}

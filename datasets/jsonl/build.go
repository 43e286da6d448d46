package jsonl

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
	"recallbench/internal/text/suggest"
)

// BuildFile is the name of the file that says what a folder of a built dataset
// holds, and BuildVersion the version of its format.
const (
	BuildFile    = "build.json"
	BuildVersion = 1
)

// A BuildInfo says how a dataset was built: what [BuildFile] holds.
type BuildInfo struct {
	Version int    `json:"version"` // of the format
	Dataset string `json:"dataset"` // that was built
	Seed    uint64 `json:"seed"`
	Source  string `json:"source"`        // what it was built of
	SHA256  string `json:"source_sha256"` // of that, in hex
	// Splits are the parts, and Files all files beside this one.
	Splits []BuiltSplit `json:"splits"`
	Files  []BuiltFile  `json:"files"`
}

// A BuiltSplit is a part of a built dataset; its file is NAME.jsonl.
type BuiltSplit struct {
	Name     string            `json:"name"`
	Caveat   string            `json:"caveat,omitempty"`
	Settings map[string]string `json:"settings,omitempty"`
}

// A BuiltFile is a file with its SHA-256 in hex.
type BuiltFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// maxInfo is the size in bytes above which a [BuildFile] is refused, 1 MiB.
const maxInfo = 1 << 20

// ReadBuildInfo reads the [BuildFile] of a folder.
func ReadBuildInfo(ctx context.Context, dir string) (*BuildInfo, error) {
	path := filepath.Join(dir, BuildFile)
	data, err := datafile.Read(ctx, path, maxInfo)
	if err != nil {
		return nil, err
	}
	var info BuildInfo
	if err := json.Unmarshal(data, &info); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if info.Version != BuildVersion {
		return nil, fmt.Errorf("%s: the format has version %d, want %d; build it again", path, info.Version, BuildVersion)
	}
	return &info, nil
}

// LoadBuild opens a split of a dataset that was built into a folder. Its SHA256 is
// that of the split's file, as it is for a set built in memory. A file that is
// another than the one that was built is taken, with a caveat that says so.
func LoadBuild(ctx context.Context, dir, dataset, split string, categories []datasets.Category) (*datasets.Set, error) {
	info, err := ReadBuildInfo(ctx, dir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, BuildFile)
	if info.Dataset != dataset {
		return nil, fmt.Errorf("%s: the folder has a build of %q, want %s", path, info.Dataset, dataset)
	}
	i := slices.IndexFunc(info.Splits, func(s BuiltSplit) bool { return s.Name == split })
	if i < 0 {
		var have []string
		for _, s := range info.Splits {
			have = append(have, s.Name)
		}
		return nil, fmt.Errorf("%s: %s", path, suggest.Unknown("split", split, have))
	}
	set, err := Load(ctx, filepath.Join(dir, split+".jsonl"))
	if err != nil {
		return nil, err
	}
	for _, c := range set.Categories {
		if !slices.ContainsFunc(categories, func(k datasets.Category) bool { return k.ID == c.ID }) {
			return nil, fmt.Errorf("%s.jsonl: category %q is none of %s", filepath.Join(dir, split), c.ID, dataset)
		}
	}
	set.Name, set.Categories = dataset, slices.Clone(categories)
	set.Caveat, set.Settings = info.Splits[i].Caveat, info.Splits[i].Settings
	if !slices.Contains(info.Files, BuiltFile{split + ".jsonl", set.SHA256}) {
		if set.Caveat != "" {
			set.Caveat += "; "
		}
		set.Caveat += "the data was changed after it was built"
	}
	return set, nil
}

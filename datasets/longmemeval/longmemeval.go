// Package longmemeval loads LongMemEval, 500 questions that each have a history of
// their own, and any other file in its layout.
//
// A file is an array of questions; question.go reads one, load.go the file. Some
// publish the same as cases, a file for a question; cases.go reads a folder of them.
// A history is as large as a small book and a file larger than memory may be: opening
// checks all of it and keeps questions and gold, and a history is read again.
//
// The release tells by ids which sessions hold the answer and which questions have
// none. Methods see ids, so that samples, sessions and turns have others here.
//
// Wu et al., "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive
// Memory", ICLR 2025, arXiv:2410.10813. The data is under the MIT licence and not
// part of this project. The layout follows the README of xiaowu0162/LongMemEval at
// 9e0b455.
package longmemeval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"recallbench/datasets"
)

const (
	name     = "longmemeval"
	revision = "98d7416c24c778c2fee6e6f3006e7a073259d48f"
	home     = "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/" + revision + "/"

	oracleSum = "821a2034d219ab45846873dd14c14f12cfe7776e73527a483f9dac095d38620c"
	smallSum  = "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442"
)

// Spec describes the cleaned release of September 2025.
var Spec = &datasets.Spec{
	Name:       name,
	Doc:        "500 questions in six categories, each about a history of its own of up to 500 sessions",
	Source:     "Wu et al., LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory, ICLR 2025; huggingface.co/datasets/xiaowu0162/longmemeval-cleaned",
	License:    "MIT",
	Options:    Options{Variant: Small, Abstention: Ask, Turns: Both},
	Categories: Categories(),
	Metrics:    []string{"f1@span", "words", "evidence-recall", "session-recall@longmemeval@5", "tokens"},
	Files: []datasets.File{
		{Name: "longmemeval_oracle.json", URL: home + "longmemeval_oracle.json", Size: 15388478, SHA256: oracleSum},
		{Name: "longmemeval_s_cleaned.json", URL: home + "longmemeval_s_cleaned.json", Size: 277383467, SHA256: smallSum},
	},
	Open: datasets.Opener(name, open),
}

// Categories returns the types of questions in the order of the paper. A question
// whose answer the history does not hold keeps the type of the one it was made from.
func Categories() []datasets.Category {
	var all []datasets.Category
	for _, t := range types {
		all = append(all, datasets.Category{ID: t, Name: t})
	}
	return all
}

// types are the official names, and otherNames those that the release's script for
// histories of one's own writes.
var (
	types = []string{
		"single-session-user", "single-session-assistant", "single-session-preference",
		"multi-session", "temporal-reasoning", "knowledge-update",
	}
	otherNames = map[string]string{
		"single_hop": "single-session-user", "assistant_previnfo": "single-session-assistant",
		"implicit_preference_v2": "single-session-preference", "two_hop": "multi-session",
		"multi_session_synthesis": "multi-session", "temp_reasoning_implicit": "temporal-reasoning",
		"temp_reasoning_explicit": "temporal-reasoning", "knowledge_update": "knowledge-update",
	}
)

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	if o.Path != "" {
		path := env.Resolve(o.Path)
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return loadCases(ctx, path, o)
		}
		return load(ctx, path, o, "")
	}
	if env.Dir == "" {
		return nil, datasets.NoFolder("'bench data fetch longmemeval' makes one, --data or BENCH_DATA names another")
	}
	if o.Variant == Cases {
		return loadCases(ctx, filepath.Join(env.Dir, name, "s53", "cases"), o)
	}
	files := fileNames[o.Variant]
	for i, file := range files {
		caveat := ""
		if i > 0 {
			caveat = "not the cleaned release: scores of the two are not to be compared"
		}
		set, err := load(ctx, filepath.Join(env.Dir, name, file), o, caveat)
		if !errors.Is(err, fs.ErrNotExist) {
			return set, err
		}
	}
	path := filepath.Join(env.Dir, name, files[0])
	if o.Variant == Medium {
		return nil, fmt.Errorf("%s: %w; put the file of the release there, or name it with path", path, fs.ErrNotExist)
	}
	return nil, fmt.Errorf("%s: %w; 'bench data fetch longmemeval' gets it, --data or BENCH_DATA names another folder", path, fs.ErrNotExist)
}

// fileNames are those of a variant, the cleaned release's first.
var fileNames = map[Variant][]string{
	Oracle: {"longmemeval_oracle.json"},
	Small:  {"longmemeval_s_cleaned.json", "longmemeval_s.json"},
	Medium: {"longmemeval_m_cleaned.json", "longmemeval_m.json"},
}

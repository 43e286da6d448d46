// Package perltqa loads PerLTQA (en_v2), the memories of 141 made-up
// characters and 8,593 questions about 32 of them.
//
// The memories are one file, the questions another. A memory has four
// sections: the profile, relationships, events and dialogues. A sample is one
// character: what is remembered of that character becomes the turns of its
// sessions (memory.go), since names come again in other characters' memories as other
// persons. Questions stand in the same four sections (questions.go) and name the
// memories that answer them.
//
// Flaws of the release that are known and harmless are put right and counted
// in the warnings of the set. What has another shape than the format is a
// fault, and all faults of both files come at once.
//
// Du et al., "PerLTQA: A Personal Long-Term Memory Dataset for Memory
// Classification, Retrieval, and Fusion in Question Answering", SIGHAN-10 at
// ACL 2024. The data is CC BY-NC 4.0 and not part of this project.
package perltqa

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"recallbench/datasets"
)

// MaxSize is the size in bytes above which a file is refused unread, 64 MiB:
// five times the larger one of the release.
const MaxSize = 64 << 20

// Spec describes PerLTQA in the English version of December 2025. It lists no
// files: their SHA-256 is not known, so that nothing can be fetched and
// verified. [Spec.Open] says where they are to be had and where it looks.
var Spec = &datasets.Spec{
	Name:       "perltqa",
	Doc:        "memories of 141 characters in four sections, 8,593 questions; to be fetched by hand",
	Source:     "Du et al., PerLTQA: A Personal Long-Term Memory Dataset, SIGHAN-10 at ACL 2024; github.com/Elvin-Yiming-Du/PerLTQA",
	License:    "CC-BY-NC-4.0",
	Options:    Options{Sections: sections(), Unresolved: Ask},
	Categories: Categories(),
	Metrics:    []string{"f1@span", "f1@mem0", "words", "evidence-recall", "tokens"},
	Open:       datasets.Opener("perltqa", open),
}

// Categories returns the categories of the questions, which are the sections
// that they stand in, in the order of the paper.
func Categories() []datasets.Category {
	return []datasets.Category{
		{ID: string(Profile), Name: "profile"},
		{ID: string(Relationships), Name: "social relationship"},
		{ID: string(Events), Name: "events"},
		{ID: string(Dialogues), Name: "dialogues"},
	}
}

func open(ctx context.Context, env datasets.Env, o Options) (*datasets.Set, error) {
	memory, questions, err := o.read(ctx, env)
	if err != nil {
		return nil, err
	}
	set, err := Parse(memory, questions, o)
	if err != nil {
		return nil, err
	}
	if env.Log != nil && (memory.sampled() || questions.sampled()) {
		env.Log.Warn("perltqa: this is a sample of the release; its results are not for published scores")
	}
	return set, ctx.Err()
}

// Parse reads a file of memories and a file of questions. The paths in the
// options are not looked at.
func Parse(memory, questions File, o Options) (*datasets.Set, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("perltqa: %w", err)
	}
	sum := sha256.Sum256([]byte(memory.digest() + "\n" + questions.digest() + "\n"))
	l := loader{
		options: o,
		set: &datasets.Set{
			Name:       "perltqa",
			SHA256:     hex.EncodeToString(sum[:]),
			Settings:   o.settings(),
			Categories: o.categories(),
		},
		banks: make(map[string]*bank),
	}
	l.set.Version = "sha256:" + l.set.SHA256[:12]
	for _, f := range []File{memory, questions} {
		if f.sampled() {
			l.set.Version = "sample sha256:" + l.set.SHA256[:12]
			l.set.Caveat = "the data is a sample of the release; its results are not for published scores"
			l.warn("file is a sample of the release; not for published scores", filepath.Base(f.Name))
		}
	}
	if err := l.load(memory, questions); err != nil {
		return nil, err
	}
	return l.set, nil
}

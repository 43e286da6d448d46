package errata

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/files/datafile"
	"recallbench/internal/text/suggest"
)

// A source is an overlay that has a name.
type source struct {
	*datasets.Spec        // to fetch and verify its files; it opens no dataset
	file           string // empty for one that is part of the program
	parse          func(name string, data []byte) (*Overlay, error)
}

var sources = []source{{locomoAudit, auditFile, parseAudit}, {longMemEvalIssues, "", parseIssues}}

// longMemEvalIssues is what readers report of LongMemEval in issues of its repository:
// reported there, and audited by nobody.
var longMemEvalIssues = &datasets.Spec{
	Name:     "longmemeval-issues",
	Doc:      "7 questions of LongMemEval that issues of its repository object to; reported, not audited",
	Source:   "https://github.com/xiaowu0162/LongMemEval/issues",
	License:  "Apache-2.0",
	Embedded: true,
}

// issues knows the questions by their names in the release, and does not repeat them.
//
//go:embed longmemeval-issues.jsonl
var issues []byte

func parseIssues(name string, _ []byte) (*Overlay, error) { return parse(name, issues, false) }

// Specs returns the overlays that have a name, with the files to fetch. They open no
// dataset.
func Specs() []*datasets.Spec {
	return lists.Map(sources, func(s source) *datasets.Spec { return s.Spec })
}

// Names lists the overlays that have a name.
func Names() []string { return lists.Map(sources, func(s source) string { return s.Name }) }

// Open opens an overlay by its name, from the data folder, or by the path of a file
// of the user's own. A text with a separator of folders or the ending .jsonl is a
// path.
func Open(ctx context.Context, env datasets.Env, name string) (*Overlay, error) {
	if strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".jsonl") {
		return ReadFile(ctx, env.Resolve(name))
	}
	at := slices.IndexFunc(sources, func(s source) bool { return s.Name == name })
	if at < 0 {
		return nil, fmt.Errorf("%s; a file of your own ends in .jsonl", suggest.Unknown("errata", name, Names()))
	}
	s := sources[at]
	if s.file == "" {
		return s.parse(s.Name, nil)
	}
	// What is not there is no [fs.ErrNotExist]: an optional dataset whose data is there
	// would be left out for want of its errata.
	if env.Dir == "" {
		return nil, fmt.Errorf("errata %s: there is no data folder; 'bench data fetch %[1]s' makes one, --data or BENCH_DATA names another", name)
	}
	path := filepath.Join(env.Dir, s.Home(), s.file)
	data, err := datafile.Read(ctx, path, maxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not there; 'bench data fetch %s' gets it", path, name)
	}
	if err != nil {
		return nil, err
	}
	return s.parse(path, data)
}

// OpenAll opens several overlays and reports all faults.
func OpenAll(ctx context.Context, env datasets.Env, names []string) ([]*Overlay, error) {
	var overlays []*Overlay
	var faults []error
	for _, name := range names {
		o, err := Open(ctx, env, name)
		switch {
		case err != nil:
			faults = append(faults, err)
		case slices.ContainsFunc(overlays, func(have *Overlay) bool { return have.Name == o.Name }):
			faults = append(faults, fmt.Errorf("errata %s is there twice", o.Name))
		default:
			overlays = append(overlays, o)
		}
	}
	return overlays, errors.Join(faults...)
}

package longmemeval

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
)

// caseOf reads a case, the layout of agentscope-ai/ReMe. It has one query; where its
// makers changed the answer, what the release says stands beside it and is taken.
func (q *question) caseOf(c *jsontree.Cursor) {
	queries, sessions := c.Field("queries", jsontree.Array), c.Field("sessions", jsontree.Array)
	if queries == nil || sessions == nil {
		return
	}
	if n := len(queries.Value.Items); n != 1 {
		queries.Faultf("has %d queries, want one", n)
		return
	}
	asked := queries.Items()[0]
	if !asked.Is(jsontree.Object) {
		return
	}
	q.named(asked, "query_id")
	about := asked.Field("metadata", jsontree.Object)
	if about == nil {
		return
	}
	q.category(about)
	evidence := about.Optional("original_answer_session_ids")
	if evidence == nil {
		evidence = about.Field("answer_session_ids", jsontree.Array)
	}
	if original := about.Optional("original_answer"); original == nil {
		q.answer(asked, "golden_answer")
	} else {
		q.answer(about, "original_answer")
		if given := asked.Optional("golden_answer"); given != nil && given.Value.Text != original.Value.Text {
			q.flaw("golden_answer is not the release's; original_answer is taken")
		}
	}
	q.asked(asked, about)
	var all []listed
	for _, item := range sessions.Items() {
		if !item.Is(jsontree.Object) {
			continue
		}
		s := listed{turns: item.Field("messages", jsontree.Array)}
		s.id, _ = item.Required("session_id")
		if about := item.Field("metadata", jsontree.Object); about != nil {
			if at := about.Field("date", jsontree.String); at != nil {
				s.at = q.date(at)
			}
		}
		if s.turns != nil {
			all = append(all, s)
		}
	}
	q.sessions(sessions, all, evidence)
}

// loadCases opens a folder with a case in each JSON file.
func loadCases(ctx context.Context, dir string, o Options) (*datasets.Set, error) {
	files, err := fs.Glob(os.DirFS(dir), "*.json")
	if err == nil && len(files) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; want a folder with a case in each .json file", dir, err)
	}
	l := newLoader(dir, o, "")
	kept := cases{turns: o.Turns}
	all := sha256.New()
	for _, file := range files {
		path := filepath.Join(dir, file)
		data, err := datafile.Read(ctx, path, datafile.MaxElement)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		fmt.Fprintf(all, "%x  %s\n", sum, file)
		l.faults.File = path
		c := l.faults.Root(data, "")
		if c != nil && l.element(jsontree.Element{End: int64(len(data)), Line: 1}, file, c) {
			kept.files = append(kept.files, caseFile{path, sum})
		}
	}
	l.faults.File = dir
	if err := l.done(all); err != nil {
		return nil, err
	}
	l.set.Stream(l.entries, kept)
	return l.set, nil
}

// cases are the files of a folder, to be read again.
type cases struct {
	files []caseFile
	turns Turns
}

type caseFile struct {
	path string
	sum  [sha256.Size]byte
}

// Load implements [datasets.Source].
func (s cases) Load(ctx context.Context, i int) (datasets.Sample, error) {
	file := s.files[i]
	data, err := datafile.Read(ctx, file.path, datafile.MaxElement)
	if err != nil {
		return datasets.Sample{}, err
	}
	if sha256.Sum256(data) != file.sum {
		return datasets.Sample{}, fmt.Errorf("%w: %s", datasets.ErrChanged, file.path)
	}
	return read(new(datafile.Faults).Root(data, ""), s.turns).sample, nil
}

// Close implements [datasets.Source]. No file stays open.
func (cases) Close() error { return nil }

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

// readCase reads a case, the layout of agentscope-ai/ReMe. It has one query; where its
// makers changed the answer, what the release says stands beside it and is taken.
func (q *question) readCase(c *jsontree.Cursor) (e entry, ok bool) {
	var file struct {
		Queries []struct {
			At     *jsontree.Cursor `json:"."`
			ID     string           `json:"query_id" want:"filled"`
			Text   string           `json:"question" want:"filled"`
			Answer *jsontree.Cursor `json:"golden_answer" want:"required"`
			About  struct {
				Kind             string           `json:"question_type" want:"required"`
				Asked            string           `json:"question_date" want:"required"`
				OriginalAnswer   *jsontree.Cursor `json:"original_answer"`
				Evidence         []jsontree.Text  `json:"answer_session_ids"`
				OriginalEvidence []jsontree.Text  `json:"original_answer_session_ids"`
			} `json:"metadata" want:"required"`
		} `json:"queries" want:"required"`
		Sessions []struct {
			ID    string `json:"session_id" want:"filled"`
			About struct {
				Date string `json:"date" want:"required"`
			} `json:"metadata" want:"required"`
			Messages []message `json:"messages" want:"required"`
		} `json:"sessions" want:"required"`
	}
	if !c.Decode(&file) {
		return e, false
	}
	if n := len(file.Queries); n != 1 {
		c.Faultf("has %d queries, want one", n)
		return e, false
	}
	asked := file.Queries[0]
	e = entry{at: asked.At, id: asked.ID, kind: asked.About.Kind, text: asked.Text, asked: asked.About.Asked, answer: asked.Answer, evidence: asked.About.Evidence}
	if asked.About.OriginalEvidence != nil {
		e.evidence = asked.About.OriginalEvidence
	}
	if original := asked.About.OriginalAnswer; original != nil {
		if e.answer.Value.Text != original.Value.Text {
			q.flaw("golden_answer is not the release's; original_answer is taken")
		}
		e.answer = original
	}
	for _, s := range file.Sessions {
		e.sessions = append(e.sessions, session{id: s.ID, date: s.About.Date, messages: s.Messages})
	}
	return e, true
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

package locomo

import (
	"fmt"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/files/datafile"
	"recallbench/internal/files/jsontree"
	"recallbench/internal/text/suggest"
)

// A loader reads one file.
type loader struct {
	options Options
	faults  datafile.Faults
	set     *datasets.Set
	// quiet is set while something is read only for its faults: the options
	// leave it out, so its flaws are not counted.
	quiet bool
}

// warn counts a flaw that was put right.
func (l *loader) warn(what, where string) {
	if !l.quiet {
		l.set.Warn(what, where)
	}
}

func (l *loader) load(data []byte) error {
	if root := l.faults.Root(data, ""); root != nil && root.Is(jsontree.Array) {
		l.samples(root)
	}
	if err := l.faults.Err(); err != nil {
		return err
	}
	if len(l.set.Entries) == 0 {
		return fmt.Errorf("%s: no question is left: no conversation has one of categories %s",
			l.faults.File, l.set.Settings["categories"])
	}
	return nil
}

// samples reads the conversations.
func (l *loader) samples(root *jsontree.Cursor) {
	if len(root.Value.Items) == 0 {
		root.Faultf("the array is empty, want conversations")
	}
	var ids []string
	seen := make(map[string]bool)
	for _, c := range root.Items() {
		if !c.Is(jsontree.Object) {
			continue
		}
		id, ok := c.Text("sample_id")
		switch {
		case !ok:
		case strings.TrimSpace(id) == "":
			c.Faultf("sample_id is empty")
		case seen[id]:
			c.Faultf("sample_id %q is already that of another conversation", id)
		default:
			c = c.Named(id)
		}
		ids = append(ids, id)
		seen[id] = true
		l.quiet = !l.options.keeps(id)
		l.sample(c, id)
	}
	for _, id := range l.options.Conversations {
		if !seen[id] {
			root.Faultf("%s", suggest.Unknown("conversation", id, ids))
		}
	}
}

// sample reads one conversation with its questions.
func (l *loader) sample(c *jsontree.Cursor, id string) {
	s := datasets.Sample{ID: id}
	var turns map[string]bool
	if conv := c.Field("conversation", jsontree.Object); conv != nil {
		turns = l.conversation(conv.Named(id), &s)
	}
	qa := c.Field("qa", jsontree.Array)
	if qa == nil {
		return
	}
	skip := l.quiet
	questions := l.questions(qa, &s)
	for _, q := range questions {
		l.quiet = skip || !q.asked
		l.gold(q, id, turns)
	}
	l.quiet = skip
	switch {
	case skip:
	case len(s.Requests) == 0:
		l.warn("conversation has no question of the categories; left out", id)
	default:
		l.set.Fill(s)
	}
}

package handler

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"recallbench/internal/door/token"
	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/try"
)

const shed = `<Shed id="s"><owner>Ada</owner><Shelf id="f1"><index>1</index><Tool id="t1"><name>Hammer</name><Part id="p1"><name>Head</name></Part></Tool><Tool id="t2"><name>Saw</name></Tool></Shelf><Shelf id="f2"><index>2</index><Tool id="t3"><name>Rake</name></Tool></Shelf></Shed>`

func version(t *testing.T, number int, xml string) *tree.Version {
	t.Helper()
	x := try.Get(tree.ParseXML("shed.xml", strings.NewReader(xml), tree.XMLOptions{}))(t)
	return &tree.Version{Number: number, Tree: x}
}

func found(v *tree.Version, ids ...string) (out []Found) {
	for i, id := range ids {
		out = append(out, Found{Path: v.Tree.Path(id), Score: 1 / float64(i+1)})
	}
	return out
}

func TestShow(t *testing.T) {
	tokens := try.Get(token.New("o200k_base"))(t)
	v := version(t, 2, shed)
	for _, tt := range []struct {
		name          string
		ids           []string
		format        Format
		newest, limit int
		text, sources string
		bounded       string
	}{
		{name: "nothing", newest: 2},
		{
			name: "subtrees of the newest version", ids: []string{"t1", "f2"}, newest: 2,
			text: `[1] in Shelf 1 (f1)
<Tool id="t1"><name>Hammer</name><Part id="p1"><name>Head</name></Part></Tool>

[2] in Shed (s)
<Shelf id="f2"><index>2</index><Tool id="t3"><name>Rake</name></Tool></Shelf>`,
			sources: "t1: t1 p1 | f2: f2 t3",
		},
		{
			name: "of an earlier one, a node within another", ids: []string{"f2", "t3"}, newest: 3,
			text: `[1] in Shed (s)
<Shelf id="f2"><index>2</index><Tool id="t3"><name>Rake</name></Tool></Shelf>

[2] in Shelf 2 (f2)
Rake (t3), shown above`,
			sources: "f2 in version 2: f2 t3 | t3 in version 2: t3",
		},
		{
			name: "the lowest ranked do not fit", ids: []string{"t2", "t3", "t1"}, newest: 2, limit: 30,
			text:    "[1] in Shelf 1 (f1)\n<Tool id=\"t2\"><name>Saw</name></Tool>",
			sources: "t2: t2", bounded: "left out the lowest ranked 2 of 3 nodes to stay within 30 tokens",
		},
		{
			name: "the best does not fit", ids: []string{"s"}, newest: 2, limit: 80,
			text:    `[1] <Shed id="s"><owner>Ada</owner><Shelf id="f1"><index>1</index></Shelf><Shelf id="f2"><index>2</index></Shelf></Shed>`,
			sources: "s: s f1 f2", bounded: "left out the lowest levels of the best to stay within 80 tokens",
		},
		{
			name: "items", ids: []string{"f1", "t2"}, newest: 2, format: Items,
			text:    "[1] Shelf f1: index = 1\n\n[2] Tool t2: name = Saw",
			sources: "f1: f1 | t2: t2",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := try.Get(show(found(v, tt.ids...), v, tt.newest, tt.format, tokens, tt.limit))(t)
			try.Equal(t, "text", tt.text, got.text())
			var sources []string
			for _, e := range got.evidence {
				sources = append(sources, e.ID+": "+strings.Join(e.Sources, " "))
			}
			try.Equal(t, "sources", tt.sources, strings.Join(sources, " | "))
			try.Equal(t, "bounded", tt.bounded, got.bounded(tt.limit))
		})
	}
}

func TestPutBack(t *testing.T) {
	old := version(t, 1, shed).Tree
	for _, tt := range []struct {
		name string
		now  string
		id   string
		want string // outline, or part of an error
	}{
		{"deleted first", `<Shed id="s"><Shelf id="f1"><index>1</index><Tool id="t2"><name>Saw</name></Tool></Shelf><Shelf id="f2"><index>2</index></Shelf></Shed>`, "t1", "s f1 t1 p1 t2 f2"},
		{"deleted last, others are new", `<Shed id="s"><Shelf id="f1"><index>1</index><Tool id="t1"><name>Hammer</name></Tool><Tool id="x"><name>Axe</name></Tool></Shelf></Shed>`, "t2", "s f1 t1 t2 x"},
		{"changed in place", `<Shed id="s"><Shelf id="f1"><index>1</index><Tool id="t1"><name>Mallet</name></Tool><Tool id="t2"><name>Saw</name></Tool></Shelf></Shed>`, "t1", "s f1 t1 p1 t2"},
		{"moved away", `<Shed id="s"><Shelf id="f1"><index>1</index><Tool id="t2"><name>Saw</name></Tool></Shelf><Shelf id="f2"><index>2</index><Tool id="t1"><name>Hammer</name></Tool></Shelf></Shed>`, "t1", "s f1 t1 p1 t2 f2"},
		{"with its shelf", `<Shed id="s"><Shelf id="f2"><index>2</index></Shelf></Shed>`, "t1", "what it stood in, Shelf 1 (f1), is gone too"},
		{"all", `<Shed id="s"><Shelf id="f2"><index>2</index></Shelf></Shed>`, "s", "s f1 t1 p1 t2 f2 t3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := try.Get(tree.ParseDraft("now", strings.NewReader(tt.now), old.Schema()))(t)
			now := try.Get(tree.Reconcile(old, root))(t)
			edits, err := putBack(now, old, old.Path(tt.id))
			if err == nil {
				now, err = now.Apply(edits...)
			}
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %q", err, tt.want)
				}
				return
			}
			var ids []string
			for n := range now.All() {
				if _, ok := old.Node(n.ID); ok {
					ids = append(ids, n.ID)
				} else {
					ids = append(ids, "x")
				}
			}
			if got := strings.Join(ids, " "); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			back, _ := now.Node(tt.id)
			was, _ := old.Node(tt.id)
			if diff := cmp.Diff(was, back, cmpopts.IgnoreUnexported(tree.Node{})); tt.id != "s" && diff != "" {
				t.Errorf("what came back (-want +got):\n%s", diff)
			}
		})
	}
}

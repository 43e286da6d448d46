package tree

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"recallbench/internal/door/llm"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

// today is a Tuesday.
var today = time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)

// ask passes a request through the three stages of a method, over the newest
// and only version.
func ask(tb testing.TB, t *tree.Tree, request string) (q string, a treetask.Action) {
	tb.Helper()
	rules := New(nil)
	res, _ := resolve(treetask.ResolveTask{Request: request, Versions: 1})
	var found []treetask.Found
	find := func(op treetask.Operation) {
		q, _ = query(treetask.QueryTask{Request: res.Task, Operation: op, Today: today, Schema: t.Schema(), Profile: string(semxpath.Paper)})
		hits, err := rules.find(tb.Context(), q, t)
		if err != nil {
			tb.Fatalf("%s: %s: %v", request, q, err)
		}
		for _, h := range hits {
			if !slices.ContainsFunc(found, func(f treetask.Found) bool { return f.Node().ID == h.Node().ID }) {
				found = append(found, h)
			}
		}
	}
	find(res.Operation)
	if res.Operation == treetask.Move {
		find(treetask.Create)
	}
	a, _ = rules.handle(tb.Context(), treetask.HandleTask{Request: res.Task, Operation: res.Operation, Today: today, Schema: t.Schema(), Found: found})
	return q, a
}

func TestReads(t *testing.T) {
	for _, tt := range []struct {
		tree, request string
		nodes         string // ids in any order
		says          string // parts of the answer, separated by |
	}{
		// Positions and ranges.
		{"course", "What is the second lesson of week 3?", "l5", "Guest talk"},
		{"course", "Which exercises are there in weeks 2 to 3?", "e2 e3 e4", ""},
		{"course", "Who gives the first lesson in week two?", "l3", "Dr Stone"},
		{"shop", "What's the last book on the Travel shelf?", "c2", "Lighthouses"},
		{"garden", "What comes second in the herb spiral?", "p2", "Mint"},
		{"garden", "Show me the first two plants of the herb spiral.", "p1 p2", ""},
		// Containers by name and by value.
		{"shop", "Which books stand under Cookery?", "b1 b2", "Bread at Dawn"},
		{"course", "What's on the 11th of May?", "l3", ""},
		{"garden", "I'm going down to the water with a spade. What grows in the pond border?", "q1 q2", ""},
		// Fields that are asked for.
		{"shop", "How much is Slow Trains?", "c1", "$15"},
		{"shop", "Who wrote Nine Keys?", "a2", "Omar Haddad"},
		{"course", "When and where is the guest talk on polls?", "l5", "4:30 PM|Hall"},
		{"course", "By when do I have to hand in the card sheet?", "e2", "2026-05-15"},
		{"garden", "How tall is the iris?", "q1", "80 cm"},
		// Values, states and their negation.
		{"shop", "Which books by Berit Lund do we have?", "a1 a3", ""},
		{"course", "Which exercises are still to be done?", "e2 e3 e4", ""},
		{"course", "What have I finished so far?", "e1", "Dice sheet"},
		{"shop", "Which crime novels are not sold out?", "a1 a2", ""},
		// Comparisons.
		{"shop", "Which books cost more than 20 dollars?", "b1 c2", ""},
		{"shop", "What could I get for under $15?", "a1 a3", ""},
		{"shop", "Which titles have at least 300 pages?", "a1 a2 c2", ""},
		{"course", "Which lessons start after 1 pm?", "l4 l5", ""},
		{"course", "What falls due this week?", "e2", "Card sheet"},
		{"course", "Which exercises are worth between 10 and 15 points?", "e1 e2", ""},
		{"course", "I was ill for days. What should have been finished by now?", "", "nothing"},
		// Superlatives, counts, sums.
		{"shop", "What's the cheapest book in the shop?", "a3", "Ash Lane"},
		{"shop", "Which two books are the most expensive?", "b1 c2", ""},
		{"course", "What is the longest lesson?", "l4", "Sampling"},
		{"shop", "How many books are on the Crime shelf?", "a1 a2 a3", "3"},
		{"shop", "What do the Cookery books cost altogether?", "b1 b2", "$43"},
		{"course", "How many points can I get in week 2 in total?", "e2 e3", "35"},
		// Containers by what is in them.
		{"course", "In which weeks is there a lesson in Elm?", "w1 w3", ""},
		{"shop", "Which shelf has the most books?", "a", "Crime"},
		{"course", "Which week has the most exercises?", "w2", ""},
		// Missing fields, exceptions, alternatives.
		{"garden", "Which plants have no note?", "p3", "Thyme"},
		{"garden", "Everything in the herb spiral except the mint, please.", "p1 p3", ""},
		{"shop", "Which books are about ferries or trains?", "a1 c1", ""},
		// Order among siblings.
		{"course", "What comes after the sampling lesson in week 3?", "l5", ""},
	} {
		t.Run(tt.request, func(t *testing.T) {
			q, a := ask(t, grow(t, tt.tree), tt.request)
			got := slices.Sorted(slices.Values(a.Nodes))
			want := slices.Sorted(strings.FieldsSeq(tt.nodes))
			if a.Operation != treetask.Read || !slices.Equal(got, want) {
				t.Errorf("%s of %v, want read of %v; query %s, answer %q", a.Operation, got, want, q, a.Answer)
			}
			for part := range strings.SplitSeq(tt.says, "|") {
				if !strings.Contains(a.Answer, part) {
					t.Errorf("the answer %q does not say %q", a.Answer, part)
				}
			}
		})
	}
}

func TestEdits(t *testing.T) {
	for _, tt := range []struct {
		tree, request string
		edits         string // op, node or parent and settings, one edit a line
	}{
		{"shop", "Remove Ash Lane, nobody asks for it.", "delete a3"},
		{"shop", "Delete the second book on the Crime shelf.", "delete a2"},
		{"garden", "The frost got the fern. Take it out.", "delete q2"},
		{"garden", "Throw out everything in the pond border.", "delete q1\ndelete q2"},
		{"shop", "Set the price of One Pot to 20 dollars.", "update b2 price=$20"},
		{"course", "I've finished the card sheet.", "update e2 status=done"},
		{"course", "Mark the urn sheet as in progress.", "update e3 status=in progress"},
		{"course", "Push the due date of the urn sheet back by three days.", "update e3 due=2026-05-21"},
		{"course", "The poll sheet is due on 29 May instead.", "update e4 due=2026-05-29"},
		{"course", "The sampling lesson starts half an hour later.", "update l4 time=2:30 PM - 4:30 PM"},
		{"course", "Move the spread lesson to 1 pm.", "update l2 time=1:00 PM - 2:00 PM"},
		{"garden", "Rename the mint to Spearmint.", "update p2 name=Spearmint"},
		{"garden", "Move the thyme to the pond border.", "move p3 q 0"},
		{"garden", "Put the fern before the iris.", "move q2 q 1"},
		{"garden", "Add a plant called Sage to the herb spiral.", "create p Plant 0 name=Sage"},
		{"course", "Add a lesson called Revision in week 3 from 10 to 11 am.", "create w3 Lesson 1 name=Revision time=10:00 AM - 11:00 AM"},
		{"course", "Insert an exercise called Coin sheet right after the card sheet.", "create w2 Exercise 3 name=Coin sheet status=not started"},
		{"shop", "Put a new shelf called Poetry into the shop.", "create s Shelf 0 name=Poetry"},
	} {
		t.Run(tt.request, func(t *testing.T) {
			q, a := ask(t, grow(t, tt.tree), tt.request)
			if got := outline(a.Edits); got != tt.edits {
				t.Errorf("got %s:\n%s\nwant:\n%s\nquery %s, answer %q", a.Operation, got, tt.edits, q, a.Answer)
			}
		})
	}
}

// outline writes edits a line each.
func outline(edits []treetask.ActionEdit) string {
	var lines []string
	for _, e := range edits {
		words := []string{string(e.Op)}
		for _, w := range []string{e.Node, e.Parent, e.Type} {
			if w != "" {
				words = append(words, w)
			}
		}
		if e.Op == treetask.Create || e.Op == treetask.Move {
			words = append(words, strconv.Itoa(e.Position))
		}
		for _, f := range e.Fields {
			words = append(words, f.Name+"="+f.Value)
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, "\n")
}

// TestMemory answers and edits from the whole memory.
func TestMemory(t *testing.T) {
	h := tree.NewHistory(grow(t, "shop"))
	first := h.Latest()
	cheaper, err := first.Tree.Apply(tree.Edit{Op: tree.Update, ID: "b1", Set: []tree.Field{{Name: "price", Values: []string{"$21"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Put(1, cheaper, "Bread at Dawn is 21 dollars now.", "Updated: Bread at Dawn: price"); err != nil {
		t.Fatal(err)
	}
	reply := func(request string) (r treetask.Rewrite) {
		text, _, ok, err := New(nil).Reply(t.Context(), treetask.MemoryTask{Request: request, Today: today, Versions: h.Versions()})
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := reply("How much is Bread at Dawn?"); r.Version != 2 || !strings.Contains(r.Answer, "$21") || r.Content != "" {
		t.Errorf("a read: %+v", r)
	}
	if r := reply("How much was Bread at Dawn originally?"); r.Version != 1 || !strings.Contains(r.Answer, "$25") {
		t.Errorf("a read of the first version: %+v", r)
	}
	if r := reply("Remove One Pot."); r.Operation != treetask.Delete || strings.Contains(r.Content, "One Pot") || !strings.Contains(r.Content, "$21") {
		t.Errorf("a deletion: %+v", r)
	}
}

func TestReply(t *testing.T) {
	rules := New(nil)
	text, _, ok, err := rules.Reply(t.Context(), llm.ScoreTask{Condition: "cold ferry", Texts: []string{"The Cold Ferry", "One Pot", ""}})
	if want := `{"scores":[1,0,0]}`; !ok || err != nil || text != want {
		t.Errorf("got %s, %v, %v, want %s", text, ok, err, want)
	}
	if _, _, ok, _ := rules.Reply(t.Context(), llm.AnswerTask{}); ok {
		t.Error("there are rules for answer tasks")
	}
	if _, _, _, err := rules.Reply(t.Context(), treetask.MemoryTask{Request: "What is left?"}); err == nil {
		t.Error("a memory without versions is no error")
	}
}

// A query that had a problem is followed by other ones, down to the plainest.
func TestSimpler(t *testing.T) {
	g := grow(t, "garden")
	task := treetask.QueryTask{Request: "Which plants of the herb spiral like sun?", Operation: treetask.Read, Schema: g.Schema()}
	seen := []string{}
	for range 8 {
		q, _ := query(task)
		if slices.Contains(seen, q) {
			break
		}
		if _, err := semxpath.Parse(q); err != nil {
			t.Errorf("%s: %v", q, err)
		}
		seen = append(seen, q)
		task.Query, task.Problem = q, "it selects nothing"
	}
	if len(seen) < 2 {
		t.Errorf("only %v", seen)
	}
}

// FuzzRules looks for panics and for replies that a method could not read.
func FuzzRules(f *testing.F) {
	for _, s := range []string{
		"Which books cost more than 20 dollars?", "Undo that.", "Move the thyme before the mint on day 3 at 7:30 pm, please", "What's the last two of the 3rd week's 12th \"x\"?",
		"between 2 and", "Add a", "to to to", "before I", "$", "— … ’", "a hundred or more [1] ~= \"", "Swap Y for X from 9 to", "the the 99999999999 999:99 pm 2026-13-45",
	} {
		f.Add(s, "name", "value")
	}
	f.Fuzz(func(t *testing.T, request, name, value string) {
		root := &tree.Node{Type: "Root", ID: "r", Children: []*tree.Node{
			{Type: "Day", ID: "d", Fields: []tree.Field{{Name: name, Values: []string{value}}}, Children: []*tree.Node{
				{Type: "Task", ID: "t", Fields: []tree.Field{{Name: "time", Values: []string{value}}, {Name: "due", Values: []string{name, value}}}},
				{Type: "Task", ID: "u", Fields: []tree.Field{{Name: "status", Values: []string{value}}}},
			}},
		}}
		g, err := tree.New(root, nil)
		if err != nil {
			t.Skip("no tree has such fields")
		}
		rules := New(nil)
		for _, op := range append(treetask.Operations(), "") {
			q, _ := query(treetask.QueryTask{Request: request, Operation: op, Today: today, Schema: g.Schema()})
			found, err := rules.find(t.Context(), q, g)
			if err != nil {
				t.Fatalf("%s: %v", q, err)
			}
			rules.handle(t.Context(), treetask.HandleTask{Request: request, Operation: op, Today: today, Schema: g.Schema(), Found: found})
			rules.handle(t.Context(), treetask.HandleTask{Request: request, Operation: op, Found: []treetask.Found{{Path: []*tree.Node{root.Children[0].Children[0]}}, {}}})
		}
		if _, _, err := rules.memory(t.Context(), treetask.MemoryTask{Request: request, Today: today, Versions: tree.NewHistory(g).Versions()}); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkRules(b *testing.B) {
	g := grow(b, "course")
	for b.Loop() {
		ask(b, g, "Which exercises are there in weeks 2 to 3 that are not done yet?")
	}
}

package semanticxpath

import (
	"context"
	_ "embed" // the schema
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/methods"
	"recallbench/methods/internal/handler"
)

// find returns what a task is about in a version, best first. A move searches
// for two things: what is moved, and the node below which it goes.
func (a *answer) find(ctx context.Context, res resolution, v *tree.Version) ([]handler.Found, error) {
	found, err := a.search(ctx, res.Task, res.Operation, v)
	if err != nil || res.Operation != handler.Move {
		return found, err
	}
	places, err := a.search(ctx, res.Task, handler.Create, v)
	for _, p := range places {
		if !slices.ContainsFunc(found, func(f handler.Found) bool { return f.Node().ID == p.Node().ID }) {
			found = append(found, p)
		}
	}
	return found, err
}

// search translates a task and runs its query.
func (a *answer) search(ctx context.Context, request string, op handler.Operation, v *tree.Version) ([]handler.Found, error) {
	q, err := a.translate(ctx, request, op, v.Tree.Schema())
	if err != nil {
		return nil, err
	}
	defer meter.Stage(ctx, "execute")()
	root := v.Tree.Root()
	result, err := a.memory.run(ctx, q, root, maxTraced)
	if err != nil {
		return nil, fmt.Errorf("execute %s: %w", q, err)
	}
	found := lists.Map(result.Matches, func(m semxpath.Match) handler.Found {
		return handler.Found{Path: tree.PathAt(root, m.At), Score: m.Weight}
	})
	a.matched(found, v, result)
	return found, nil
}

// run runs a query and explains its steps, showing at most that many nodes of each.
func (m *memory) run(ctx context.Context, q *semxpath.Query, root *tree.Node, explain int) (semxpath.Result, error) {
	return q.Run(ctx, root, semxpath.Options{Scorer: m.scorer, Text: semxpath.FieldText, K: m.k, Explain: explain})
}

// maxShown is how many nodes of a step are shown for a query that a person runs.
const maxShown = 200

// Query implements [methods.Querier].
func (m *memory) Query(ctx context.Context, query string, v *tree.Version) (semxpath.Result, error) {
	q, err := semxpath.Parse(query)
	if err != nil {
		return semxpath.Result{}, err
	}
	return m.run(ctx, q, v.Tree.Root(), maxShown)
}

// matched adds what a query selected to the trace.
func (a *answer) matched(found []handler.Found, v *tree.Version, result semxpath.Result) {
	lines := lists.Map(found[:min(len(found), maxTraced)], func(f handler.Found) string {
		return fmt.Sprintf("%.4f %s %s", f.Score, f.Node().ID, tree.Label(f.Path))
	})
	note := fmt.Sprintf("%d matches in version %d", len(found), v.Number)
	if len(found) == 1 {
		note = fmt.Sprintf("1 match in version %d", v.Number)
	}
	a.trace(methods.Step{Name: "matches", Note: note, Data: map[string]any{"matches": lines, "steps": result.Steps}})
}

// handle has the model answer or edit from what was retrieved.
func (a *answer) handle(ctx context.Context, res resolution, at place, found []handler.Found) error {
	task := handler.Task{
		Template: string(res.Operation), Operation: res.Operation, Request: res.Task, Original: a.request.Text,
		Today: a.request.Time, From: at.version, Found: found,
	}
	if at.change != nil {
		task.Change = at.change.Summary
	}
	before := a.response.Trace
	var err error
	a.response, err = a.handler.Do(ctx, a.state, task)
	a.response.Trace = append(before, a.response.Trace...)
	return err
}

// maxChanged is the largest number of nodes of a change that are shown.
const maxChanged = 8

// withChange adds the nodes of the change that a task mentions if the query has
// not found them: "when was the one that I cancelled?" says too little.
func (a *answer) withChange(found []handler.Found, at place) []handler.Found {
	if at.change == nil || at.version == at.change {
		return found
	}
	var more []handler.Found
	for _, id := range touched(tree.Diff(at.version.Tree, at.change.Tree)) {
		path := at.version.Tree.Path(id)
		if len(path) < 2 || slices.ContainsFunc(found, func(f handler.Found) bool { return f.Node().ID == id }) {
			continue
		}
		more = append(more, handler.Found{Path: path})
	}
	if len(more) == 0 || len(more) > maxChanged {
		return found
	}
	a.trace(methods.Step{Name: "changed", Note: fmt.Sprintf("with what version %d changed: %d nodes more", at.change.Number, len(more))})
	return append(more, found...)
}

// translateData is what the template "translate" is rendered with.
type translateData struct {
	Request   string
	Operation handler.Operation
	Today     string
	Schema    string
}

// translate asks for the query of a task. One that does not parse, or that names
// what the schema does not have, is asked for again with the error. After the last
// attempt it is a *fault.Error of kind fault.Schema.
func (a *answer) translate(ctx context.Context, request string, op handler.Operation, schema *tree.Schema) (*semxpath.Query, error) {
	defer meter.Stage(ctx, "translate")()
	messages, err := a.prompts.Render("translate", translateData{
		Request: request, Operation: op, Today: handler.Date(a.request.Time),
		Schema: strings.TrimSpace(schema.Text()),
	})
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		reply, err := a.model.Generate(ctx, llm.Request{Role: "translate", Messages: messages, Params: a.Ask.Params()})
		if err != nil {
			return nil, fmt.Errorf("translate: %w", err)
		}
		q, text, err := read(reply.Text, schema)
		if err == nil {
			note := q.String()
			if attempt > 1 {
				note += fmt.Sprintf("; at attempt %d", attempt)
			}
			a.trace(methods.Step{Name: "query", Note: note, Data: map[string]any{"query": q.String(), "attempts": attempt}})
			return q, nil
		}
		a.trace(methods.Step{Name: "query", Note: fmt.Sprintf("attempt %d is no query: %v", attempt, err)})
		if attempt >= attempts {
			return nil, fmt.Errorf("translate: %w", fault.New(fault.Schema, "no query in %d attempts: %s", attempt, strings.Join(strings.Fields(err.Error()), " ")))
		}
		messages = append(messages,
			llm.Message{Role: llm.Assistant, Content: text},
			llm.Message{Role: llm.User, Content: fmt.Sprintf("That query cannot be run:\n\n%v\n\nReply with one query that can, and nothing else.", err)})
	}
}

// maxQuery is the longest reply that is searched for a query, in bytes.
const maxQuery = 4 << 10

// read returns the query in a reply: the reply itself, else one in a code
// block, between back quotes or on a line of its own. The error is that of the
// text that looks most like a query, which is returned too.
func read(reply string, schema *tree.Schema) (q *semxpath.Query, text string, err error) {
	reply = strings.TrimSpace(strings.ToValidUTF8(reply, "\ufffd"))
	if len(reply) > maxQuery {
		reply = strings.ToValidUTF8(reply[:maxQuery], "")
	}
	if reply == "" {
		return nil, "", errors.New("the reply is empty; want a query such as /" + schema.Root)
	}
	for i, c := range semxpath.Candidates(reply) {
		q, wrong := semxpath.Parse(c)
		if wrong == nil {
			if wrong = semxpath.Check(q, schema); wrong == nil {
				return q, c, nil
			}
		}
		if i == 0 || strings.HasPrefix(c, "/") && !strings.HasPrefix(text, "/") {
			text, err = c, wrong
		}
	}
	return nil, text, err
}

// A resolution says what a task does, and on which version.
type resolution struct {
	Operation handler.Operation `json:"operation"`
	// Version is "latest"; "number" with Number, counted from 1, or from -1 for
	// the newest; or "at", "before" or "after" the change that About describes.
	// At is the version that the change made, before the one that it was made
	// from.
	Version string `json:"version"`
	Number  int    `json:"number"`
	About   string `json:"about"`
	// Task is the task without the words about versions.
	Task string `json:"task"`
}

// resolutionSchema is the JSON Schema of an [resolution].
//
//go:embed prompts/resolve.json
var resolutionSchema []byte

// The versions of a resolution.
const (
	latest = "latest"
	number = "number"
	before = "before"
)

// resolveData is what the template "resolve" is rendered with. Versions are
// counted and not listed, so that the prompt does not grow with them.
type resolveData struct {
	Request  string
	Today    string
	Versions int
}

// resolve asks what the task does and which version it is about.
func (a *answer) resolve(ctx context.Context) (resolution, error) {
	defer meter.Stage(ctx, "resolve")()
	n := len(a.state.Versions())
	messages, err := a.prompts.Render("resolve", resolveData{a.request.Text, handler.Date(a.request.Time), n})
	if err != nil {
		return resolution{}, err
	}
	res, err := handler.Ask(ctx, a.model, llm.Request{
		Role:     "resolve",
		Messages: messages,
		Params:   a.Ask.Params(),
		Format:   &llm.Format{Name: "resolution", Schema: resolutionSchema},
	}, func(res resolution) error { return checkResolution(res, n) })
	if err != nil {
		return res, fmt.Errorf("resolve: %w", err)
	}
	if strings.TrimSpace(res.Task) == "" && res.Operation != handler.Restore {
		res.Task = a.request.Text
	}
	note := string(res.Operation) + " of " + describe(res)
	a.trace(methods.Step{Name: "resolve", Note: note, Data: map[string]any{"operation": string(res.Operation), "version": res.Version, "task": res.Task}})
	return res, nil
}

func checkResolution(res resolution, versions int) error {
	switch {
	case res.Version == number && (res.Number == 0 || res.Number > versions || -res.Number > versions):
		// There is nothing before the only version, and that is worth saying.
		if versions == 1 && res.Number < 0 {
			return nil
		}
		return fmt.Errorf("there is no version %d; want 1 to %d, or -1 for the newest to -%d", res.Number, versions, versions)
	case res.Version != number && res.Version != latest && strings.TrimSpace(res.About) == "":
		return fmt.Errorf("version is %s and about is empty, want the change in a few words", res.Version)
	}
	return nil
}

// describe says which version a resolution means.
func describe(res resolution) string {
	switch res.Version {
	case latest:
		return "the newest version"
	case number:
		return fmt.Sprintf("version %d", res.Number)
	default:
		return fmt.Sprintf("the version %s %q", res.Version, res.About)
	}
}

// A place is the version that a task is about.
type place struct {
	version *tree.Version
	change  *tree.Version // made by the change that the task mentions; nil for none
}

// locate finds the version of a resolution. If the memory has no such version,
// it is the newest, or the first if the task goes back too far.
func (a *answer) locate(ctx context.Context, res resolution) (place, error) {
	h := a.state.History
	newest := place{version: h.Latest()}
	switch {
	case res.Version == number, res.Version == latest && res.Operation == handler.Restore:
		if res.Version == latest {
			res.Number = -2
		}
		if v, ok := h.At(res.Number); ok {
			return place{version: v}, nil
		}
		return newest, nil
	case res.Version == latest || len(h.Versions()) == 1:
		return newest, nil
	}
	change, err := a.change(ctx, res.About)
	if change == nil || err != nil {
		return newest, err
	}
	at := place{version: change, change: change}
	if res.Version == before {
		// Not the base, which for a version that was restored is the older one.
		at.version, _ = h.At(change.Number - 1)
	}
	return at, nil
}

// change returns the version that a described change made: the best match of a
// query over the versions, of several the newest; nil if none matches at all.
func (a *answer) change(ctx context.Context, about string) (*tree.Version, error) {
	defer meter.Stage(ctx, "resolve")()
	h := a.state.History
	root := h.Root()
	q, err := semxpath.Parse(fmt.Sprintf("//%s[2:][node ~= %s]", root.Children[0].Type, semxpath.Quote(about)))
	if err != nil {
		return nil, fmt.Errorf("find the version: %w", err)
	}
	result, err := q.Run(ctx, root, semxpath.Options{Scorer: a.scorer, Text: versionText})
	if err != nil {
		return nil, fmt.Errorf("find the version: %w", err)
	}
	var best *tree.Version
	weight := 0.0
	var scores []string
	for _, m := range result.Matches {
		v := h.Versions()[slices.Index(root.Children, m.Node)]
		scores = append(scores, fmt.Sprintf("version %d: %.4f (%s)", v.Number, m.Weight, v.Summary))
		if m.Weight > weight || best != nil && m.Weight == weight && v.Number > best.Number {
			best, weight = v, m.Weight
		}
	}
	note := "no version matches"
	if best != nil {
		note = fmt.Sprintf("version %d was made by the change", best.Number)
	}
	a.trace(methods.Step{Name: "version", Note: note, Data: map[string]any{"query": q.String(), "scores": scores[:min(len(scores), maxTraced)]}})
	return best, nil
}

// maxTraced bounds the lists of a trace.
const maxTraced = 20

// versionText is what a version is matched by.
func versionText(path []*tree.Node) string {
	n := path[len(path)-1]
	summary, _ := n.Field("summary")
	request, _ := n.Field("request")
	return "Changes: " + summary + " | Request: " + request
}

// everything is the task to restore the whole memory.
const everything = "everything"

// restore carries out what a resolution alone decides: restoring the whole
// memory, or undoing one change and keeping later ones. Done is false if a part
// has to be retrieved from the earlier version first.
func (a *answer) restore(res resolution, at place) (done bool, err error) {
	newest := a.state.Latest()
	task := strings.TrimSpace(res.Task)
	whole := strings.EqualFold(task, everything)
	if at.change == nil {
		// So many steps back, with a task that says no more than the request,
		// names no part.
		steps := res.Version != number || res.Number < 0
		whole = whole || task == "" || steps && strings.EqualFold(task, strings.TrimSpace(a.request.Text))
	}
	switch {
	case at.version.Number == newest.Number && at.change == nil:
		a.response.Text = "There is no earlier version to go back to."
		a.trace(methods.Step{Name: "restore", Note: "the version is the newest; nothing is changed"})
		return true, nil
	case whole:
		return true, a.restoreAll(at.version)
	case at.change == nil || res.Version != before:
		return false, nil
	}
	edits := tree.Diff(at.change.Tree, at.version.Tree)
	back := lists.Filter(edits, func(e tree.Edit) bool { return e.Op != tree.Delete }) // others remove what the change made
	if task != "" && len(back) > 1 {
		return false, nil // the request may mean a part of it
	}
	made, err := a.state.Edit(edits, a.request.Text, "Undone: "+at.change.Summary)
	if err != nil { // by later edits; the query may find a way
		a.trace(methods.Step{Name: "restore", Note: "the change cannot be undone alone: " + err.Error()})
		return false, nil //nolint:nilerr // it is traced
	}
	a.restored(made, touched(edits), fmt.Sprintf("undid version %d", at.change.Number))
	return true, nil
}

// touched returns the ids that edits are about.
func touched(edits []tree.Edit) []string {
	return lists.Distinct(edits, func(e tree.Edit) string {
		if e.Op == tree.Create {
			return e.Node.ID
		}
		return e.ID
	})
}

// restoreAll makes an earlier version the newest again.
func (a *answer) restoreAll(v *tree.Version) error {
	made, err := a.state.Replace(v.Number, v.Tree, a.request.Text, fmt.Sprintf("Restored: version %d", v.Number))
	if err != nil {
		return err
	}
	a.restored(made, []string{v.Tree.Root().ID}, fmt.Sprintf("went back to version %d", v.Number))
	return nil
}

func (a *answer) restored(made *tree.Version, nodes []string, note string) {
	a.response.Text = made.Summary + "."
	a.response.Nodes, a.response.Tree = nodes, made
	a.trace(methods.Step{Name: "restore", Note: note})
}

package semanticxpath

import (
	"context"
	_ "embed" // the schema
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/methods"
	"recallbench/methods/internal/handler"
)

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
	q, err := semxpath.Parse(fmt.Sprintf("//%s[2:][node ~= %s]", root.Children[0].Type, quoted(about)))
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

// quoted writes a string of a query.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
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

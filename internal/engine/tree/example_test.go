package tree_test

import (
	"fmt"
	"strings"

	"recallbench/internal/engine/tree"
)

// An edit makes a new version; earlier ones stay as they were.
func ExampleHistory() {
	first, err := tree.ParseXML("list.xml", strings.NewReader(
		`<List><Task id="t1" name="Buy paint" status="not started"/></List>`), tree.XMLOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	h := tree.NewHistory(first)
	done := tree.Edit{Op: tree.Update, ID: "t1", Set: []tree.Field{{Name: "status", Values: []string{"done"}}}}
	v, err := h.Commit(-1, []tree.Edit{done}, "The paint is here.", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Number, v.Summary)
	for _, v := range h.Versions() {
		n, _ := v.Tree.Node("t1")
		fmt.Println(n.Field("status"))
	}
	// Output:
	// 2 Updated: List > Buy paint: status: not started -> done
	// not started true
	// done true
}

package semxpath

import (
	"testing"

	"recallbench/internal/engine/tree"
	"recallbench/internal/testkit/try"
)

func TestCheck(t *testing.T) {
	schema := &tree.Schema{Root: "Plan", Types: []tree.Type{
		{Name: "Plan", Children: []string{"Day"}},
		{Name: "Day", Fields: []tree.FieldType{{Name: "index"}}, Children: []string{"POI"}},
		{Name: "POI", Fields: []tree.FieldType{{Name: "name"}, {Name: "cost"}}},
	}}
	tests := []struct{ query, want string }{
		{`/Plan/Day[2]/POI[(name ~= "x") * (Cost ~= "y")]`, ""},
		{`//Day[avg(/POI[node ~= "x"])]/*[content ~= "y"]`, ""},
		{`//*[1-(index ~= "x")]`, ""},
		{
			`/Plan/Dya`,
			"query: unknown node type \"Dya\"; did you mean \"Day\"? have Plan, Day, POI\n\t/Plan/Dya\n\t      ^",
		},
		{
			`//day[index ~= "1"]`,
			"query: unknown node type \"day\"; did you mean \"Day\"? have Plan, Day, POI\n\t//day[index ~= \"1\"]\n\t  ^",
		},
		{
			`//Day[max(@name = "x", avg(/Hotel[node~="x"]))]/POI[price ~= "y"]`,
			"query: unknown attribute \"name\"; have index, id\n\t//Day[max(@name = \"x\", avg(/Hotel[node~=\"x\"]))]/POI[price ~= \"y\"]\n\t          ^\n" +
				"query: unknown node type \"Hotel\"; have Plan, Day, POI\n\t//Day[max(@name = \"x\", avg(/Hotel[node~=\"x\"]))]/POI[price ~= \"y\"]\n\t                            ^\n" +
				"query: unknown attribute \"price\"; have name, cost, id\n\t//Day[max(@name = \"x\", avg(/Hotel[node~=\"x\"]))]/POI[price ~= \"y\"]\n\t                                                    ^",
		},
		{`/Plan[name ~= "x"]`, "query: unknown attribute \"name\"; have id\n\t/Plan[name ~= \"x\"]\n\t      ^"},
	}
	for _, test := range tests {
		q := try.Get(Parse(test.query))(t)
		got := ""
		if err := Check(q, schema); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.query, got, test.want)
		}
	}
}

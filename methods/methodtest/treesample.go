package methodtest

import (
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/tree"
)

const cellar = `<Cellar id="c1">
  <keeper>Ilse</keeper>
  <Rack id="c2">
    <index>1</index>
    <wall>north</wall>
    <Bottle id="c3"><name>Elderflower cordial</name><made>June</made><tags><tag>sweet</tag><tag>for guests</tag></tags></Bottle>
    <Bottle id="c4"><name>Plum brandy</name><made>September</made><note>Not for children</note></Bottle>
  </Rack>
  <Rack id="c5">
    <index>2</index>
    <wall>east</wall>
    <Bottle id="c6"><name>Cider vinegar</name><made>October</made></Bottle>
    <Bottle id="c7"><name>Tomato passata</name><made>August</made><tags><tag>cooking</tag></tags></Bottle>
  </Rack>
</Cellar>`

// TreeSample returns a small tree with requests that read and edit it. Each call
// makes a new one.
func TreeSample() datasets.Sample {
	s := datasets.Sample{ID: "methodtest tree", Tree: parse(cellar)}
	for i, text := range []string{
		"Which bottles are on the north wall?",
		"Delete what comes last.",
		"What was made in August?",
		"Add something.",
		"Who keeps the cellar?",
	} {
		s.Requests = append(s.Requests, datasets.Request{
			ID: "q" + string(rune('1'+i)), Text: text, Time: time.Date(2026, 5, 11, 0, 0, 0, 0, time.UTC),
		})
	}
	return s
}

func parse(xml string) *tree.Tree {
	t, err := tree.ParseXML("tree of a test", strings.NewReader(xml), tree.XMLOptions{})
	if err != nil {
		panic(err) // a mistake of this package
	}
	return t
}

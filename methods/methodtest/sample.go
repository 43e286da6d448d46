package methodtest

import (
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/engine/tree"
)

// Sample returns a small conversation with requests: two speakers, three
// sessions, an image, relative dates. Each call makes a new one.
func Sample() datasets.Sample {
	s := datasets.Sample{ID: "methodtest", Speakers: []string{"Noor", "Emil"}}
	add := func(id string, at time.Time, turns ...datasets.Turn) {
		for i := range turns {
			turns[i].Time = at
			turns[i].Speaker = s.Speakers[i%2]
			turns[i].ID = "D" + id + ":" + string(rune('1'+i))
		}
		s.Sessions = append(s.Sessions, datasets.Session{ID: id, Time: at, Turns: turns})
	}
	add("1", time.Date(2024, 2, 3, 18, 30, 0, 0, time.UTC),
		datasets.Turn{Text: "Hi Emil! I started a pottery class yesterday."},
		datasets.Turn{Text: "Great! I have been fixing up my grandfather's motorcycle."},
		datasets.Turn{Text: "Here is my first bowl, a bit crooked.", Image: &datasets.Image{
			URL: "https://example.org/bowl.jpg", Caption: "a blue bowl on a wooden table", Query: "handmade blue bowl",
		}},
		datasets.Turn{Text: "I like it! What will you make next?"},
		datasets.Turn{Text: "A teapot for my sister Leila, who moved to Porto."},
	)
	add("2", time.Date(2024, 3, 9, 11, 0, 0, 0, time.UTC),
		datasets.Turn{Text: "The teapot broke in the kiln. I was so sad."},
		datasets.Turn{Text: "Oh no! My news: the motorcycle runs again since last Sunday."},
		datasets.Turn{Text: "Congratulations! Where will you ride first?"},
		datasets.Turn{Text: "To the lake, with my friends Ada and Jonas."},
	)
	add("3", time.Date(2024, 5, 20, 9, 15, 0, 0, time.UTC),
		datasets.Turn{Text: "I made a second teapot and it is perfect."},
		datasets.Turn{Text: "Send it to Porto soon! I am selling the motorcycle to buy a boat."},
		datasets.Turn{Text: "A boat? For the lake, I guess."},
	)
	for i, text := range []string{
		"When did Noor start the pottery class?",
		"Who is the teapot for?",
		"Where does Leila live?",
		"What has Emil owned or wanted to buy?",
		"Why was Noor sad in March 2024?",
		"What colour is Noor's first bowl?",
		"What is the name of Emil's dog?",
	} {
		s.Requests = append(s.Requests, datasets.Request{ID: "q" + string(rune('1'+i)), Text: text})
	}
	return s
}

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

package tree

import (
	"strings"
	"testing"

	"recallbench/internal/engine/tree"
)

// The trees of the tests are of other domains than the suites, so that a rule
// that knows a domain fails here.
var trees = map[string]string{
	"shop": `<Bookshop id="s" name="Pages">
  <Shelf id="a" name="Crime">
    <Book id="a1" title="The Cold Ferry" author="Berit Lund" price="$12" pages="310" status="in stock"><blurb>A captain vanishes from a ferry in a storm.</blurb></Book>
    <Book id="a2" title="Nine Keys" author="Omar Haddad" price="$18" pages="420" status="ordered"><blurb>A locksmith is blamed for a burglary.</blurb></Book>
    <Book id="a3" title="Ash Lane" author="Berit Lund" price="$9" pages="190" status="sold out"><blurb>A fire, three neighbours and a lie.</blurb></Book>
  </Shelf>
  <Shelf id="b" name="Cookery">
    <Book id="b1" title="Bread at Dawn" author="Ida Moss" price="$25" pages="220" status="in stock"><blurb>Sourdough for beginners.</blurb></Book>
    <Book id="b2" title="One Pot" author="Luc Perrin" price="$18" pages="160" status="in stock"><blurb>Soups and stews without much washing up.</blurb></Book>
  </Shelf>
  <Shelf id="c" name="Travel">
    <Book id="c1" title="Slow Trains" author="Ida Moss" price="$15" pages="280" status="ordered"><blurb>Across the continent by rail.</blurb></Book>
    <Book id="c2" title="Lighthouses" author="Tove Berg" price="$30" pages="350" status="in stock"><blurb>Forty towers on the coast, with photographs.</blurb></Book>
  </Shelf>
</Bookshop>`,
	"course": `<Course id="k" title="Statistics">
  <Week id="w1" index="1" date="Monday, 4 May 2026">
    <Lesson id="l1" name="Averages" time="9:00 AM - 10:30 AM" room="Oak" lecturer="Dr Stone"/>
    <Lesson id="l2" name="Spread" time="11:00 AM - 12:00 PM" room="Elm" lecturer="Dr Wu"/>
    <Exercise id="e1" name="Dice sheet" due="2026-05-08" points="10" status="done"/>
  </Week>
  <Week id="w2" index="2" date="Monday, 11 May 2026">
    <Lesson id="l3" name="Chance" time="9:00 AM - 10:30 AM" room="Oak" lecturer="Dr Stone"/>
    <Exercise id="e2" name="Card sheet" due="2026-05-15" points="15" status="in progress"/>
    <Exercise id="e3" name="Urn sheet" due="2026-05-18" points="20" status="not started"/>
  </Week>
  <Week id="w3" index="3" date="Monday, 18 May 2026">
    <Lesson id="l4" name="Sampling" time="2:00 PM - 4:00 PM" room="Elm" lecturer="Dr Wu"/>
    <Lesson id="l5" name="Guest talk on polls" time="4:30 PM - 5:15 PM" room="Hall" lecturer="Nora Vik"/>
    <Exercise id="e4" name="Poll sheet" due="2026-05-22" points="5" status="not started"/>
  </Week>
</Course>`,
	"garden": `<Garden id="g">
  <Bed id="p" name="Herb spiral">
    <Plant id="p1" name="Rosemary" height="60 cm" water="rarely" sown="2026-03-02" note="likes sun"/>
    <Plant id="p2" name="Mint" height="40 cm" water="daily" sown="2026-04-10" note="spreads fast"/>
    <Plant id="p3" name="Thyme" height="20 cm" water="rarely" sown="2026-03-20"/>
  </Bed>
  <Bed id="q" name="Pond border">
    <Plant id="q1" name="Iris" height="80 cm" water="daily" sown="2025-09-15" note="wet feet"/>
    <Plant id="q2" name="Fern" height="50 cm" water="weekly" sown="2025-10-01" note="needs shade"/>
  </Bed>
</Garden>`,
}

// grow parses one of the trees.
func grow(tb testing.TB, name string) *tree.Tree {
	tb.Helper()
	t, err := tree.ParseXML(name+".xml", strings.NewReader(trees[name]), tree.XMLOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

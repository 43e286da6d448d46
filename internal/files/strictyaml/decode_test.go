package strictyaml

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"recallbench/internal/testkit/try"
)

// decode parses and decodes a document over what out points to.
func decode(data string, out any) error {
	doc, err := Parse("x.yaml", []byte(data))
	if err != nil {
		return err
	}
	doc.Root().Decode(out)
	return doc.Err()
}

type extent struct{ W, H int8 }

type shape struct {
	Name  string             `yaml:"name"`
	Size  extent             `yaml:",inline"`
	Holes []extent           `yaml:"holes"`
	Inner *extent            `yaml:"inner"`
	Paint map[string]float64 `yaml:"paint"`
	Dry   time.Duration      `yaml:"dry"`
	Made  time.Time          `yaml:"made"`
	Solid bool               `yaml:"solid"`
	Count uint8              `yaml:"count"`
	Any   any                `yaml:"any"`
	Parts map[string]wood    `yaml:"parts"`
}

// A wood has defaults of its own.
type wood struct{ W, H int8 }

func (wood) Defaults() any { return wood{7, 8} }

func TestDecode(t *testing.T) {
	defaults := func() shape {
		return shape{Name: "box", Size: extent{1, 2}, Holes: []extent{{3, 4}}, Inner: &extent{5, 6}, Paint: map[string]float64{"red": 1}, Any: 7}
	}
	with := func(change func(*shape)) shape {
		s := defaults()
		change(&s)
		return s
	}
	tests := []struct {
		name, data string
		want       shape
	}{
		{"nothing given", "{}", defaults()},
		{"inline", "{w: 9}", with(func(s *shape) { s.Size.W = 9 })},
		{"list replaced", "holes: [{w: 9}]", with(func(s *shape) { s.Holes = []extent{{W: 9}} })},
		{"list emptied", "holes: []", with(func(s *shape) { s.Holes = nil })},
		{"struct behind a pointer decoded over", "inner: {w: 9}", with(func(s *shape) { s.Inner = &extent{9, 6} })},
		{"pointer to nothing", "inner: null", with(func(s *shape) { s.Inner = nil })},
		{"map replaced", "paint: {blue: 2e-1}", with(func(s *shape) { s.Paint = map[string]float64{"blue": 0.2} })},
		{"entries of a map over their own defaults", "parts: {a: {w: 1}, b: {}}", with(func(s *shape) { s.Parts = map[string]wood{"a": {1, 8}, "b": {7, 8}} })},
		{"map emptied", "paint: {}", with(func(s *shape) { s.Paint = nil })},
		{"duration", "dry: 1m30s", with(func(s *shape) { s.Dry = 90 * time.Second })},
		{"time", "made: 2023-05-08T13:56:00Z", with(func(s *shape) { s.Made = time.Date(2023, 5, 8, 13, 56, 0, 0, time.UTC) })},
		{"quoted time", "made: '2023-05-08T13:56:00Z'", with(func(s *shape) { s.Made = time.Date(2023, 5, 8, 13, 56, 0, 0, time.UTC) })},
		{"bool", "solid: True", with(func(s *shape) { s.Solid = true })},
		{"plus sign", "count: +7", with(func(s *shape) { s.Count = 7 })},
		{"words that YAML 1.1 takes for truth", "name: yes", with(func(s *shape) { s.Name = "yes" })},
		{"text by its tag", "name: !!str 20", with(func(s *shape) { s.Name = "20" })},
		{"number by its tag", "count: !!int '20'", with(func(s *shape) { s.Count = 20 })},
		{"block text", "name: |\n  a\n  b\n", with(func(s *shape) { s.Name = "a\nb\n" })},
		{"any is left alone", "any: [1, {a: b}]", defaults()},
		{"byte order mark", "\ufeffname: x", with(func(s *shape) { s.Name = "x" })},
		{"line ends of Windows", "name: x\r\ncount: 3\r\n", with(func(s *shape) { s.Name, s.Count = "x", 3 })},
		{"alias", "inner: &a {w: 9}\nholes: [*a, *a]", with(func(s *shape) { s.Inner, s.Holes = &extent{9, 6}, []extent{{W: 9}, {W: 9}} })},
		{"merge", "inner: &a {w: 9, h: 9}\nholes: [{<<: *a, h: 1}]", with(func(s *shape) { s.Inner, s.Holes = &extent{9, 9}, []extent{{9, 1}} })},
		{"merge of several: the first counts", "holes: [&a {w: 1}, &b {w: 2, h: 2}, {<<: [*a, *b]}]", with(func(s *shape) { s.Holes = []extent{{W: 1}, {2, 2}, {1, 2}} })},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := defaults()
			try.Do(t, decode(test.data, &got))
			try.Equal(t, "", test.want, got)
		})
	}
}

// Columns count characters, also behind letters of several bytes; a value that
// an alias brings is at fault where it stands.
func TestPositions(t *testing.T) {
	tests := []struct{ data, want string }{
		{"{name: é, count: x}", `x.yaml:1:18: count: found the text "x", want a whole number`},
		{"\ufeffcount: x", `x.yaml:1:8: count: found the text "x", want a whole number`},
		{"inner: &a {w: x}\nholes:\n  - *a\n", `x.yaml:1:15: holes[0].w: found the text "x", want a whole number
x.yaml:1:15: inner.w: found the text "x", want a whole number`},
		{"paint: {a.b: x, c d: y}", `x.yaml:1:14: paint["a.b"]: found the text "x", want a number
x.yaml:1:22: paint.c d: found the text "y", want a number`},
		{"count: 300\nw: -129", `x.yaml:1:8: count: 300 is out of range; want a whole number of 8 bits, 0 or above
x.yaml:2:4: w: -129 is out of range; want a whole number of 8 bits`},
	}
	for _, test := range tests {
		var s shape
		err := decode(test.data, &s)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s:\ngot  %v\nwant %s", test.data, err, test.want)
		}
	}
}

// checked is at fault in ways that its zero value is not.
type checked struct {
	K     int           `yaml:"k"`
	Parts map[string]kk `yaml:"parts"`
	List  []kk          `yaml:"list"`
}

type kk struct{ K int }

func (c kk) Validate() error {
	if c.K < 0 {
		return fmt.Errorf("k is %d, want at least 0", c.K)
	}
	return nil
}

func (c *checked) Validate() error {
	var faults []error
	if c.K > 5 {
		faults = append(faults, errors.New("k is too large"), errors.New("k: too large"), errors.New("kay is too large"))
	}
	if c.K == 5 && len(c.List) > 0 {
		faults = append(faults, errors.New("list[0].k and parts[1].k do not go together"))
	}
	return errors.Join(faults...)
}

func TestValidate(t *testing.T) {
	tests := []struct{ data, want string }{
		{"k: 6", "x.yaml:1:1: kay is too large\nx.yaml:1:4: k: is too large\nx.yaml:1:4: k: too large"},
		{"k: 5\nlist: [{k: 1}]", "x.yaml:2:12: list[0].k: and parts[1].k do not go together"},
		{"list: [{k: 1}, {k: -1}]\nparts: {b: {k: -2}, a: {}}", "x.yaml:1:20: list[1].k: is -1, want at least 0\nx.yaml:2:16: parts.b.k: is -2, want at least 0"},
		// What is at fault already is not faulted again.
		{"list: [{k: x}]", `x.yaml:1:12: list[0].k: found the text "x", want a whole number`},
	}
	for _, test := range tests {
		c := checked{}
		if err := decode(test.data, &c); err == nil || err.Error() != test.want {
			t.Errorf("%s:\ngot  %v\nwant %s", test.data, err, test.want)
		}
	}
	// A default is checked where the document has nothing.
	c := checked{K: 6}
	if err := decode("{}", &c); err == nil || !strings.Contains(err.Error(), "x.yaml:1:1: k: is too large") {
		t.Errorf("default not checked: %v", err)
	}
}

func TestLimits(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"bytes", "# " + strings.Repeat("x", MaxBytes), "larger than 1048576 bytes"},
		{"values", "a: [" + strings.Repeat("1,", maxValues) + "]", "holds more than 100000 values"},
		{"depth of flow", strings.Repeat("[", 1000), "nested more than 64 levels"},
		{"depth of blocks", strings.Repeat("- ", 1000), "nested more than 64 levels"},
		{"keys", "{" + strings.Repeat("a: 1, ", 1000) + "}", "and 900 more faults"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var s shape
			if err := decode(test.data, &s); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %.200v, want %s", err, test.want)
			}
		})
	}
}

package strictyaml

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"recallbench/internal/testkit/try"
)

type level string

func (level) Values() []string { return []string{"low", "high"} }

type inner struct {
	Level level          `yaml:"level"`
	Sizes []int8         `yaml:"sizes"`
	Names map[string]any `yaml:"names"`
}

type target struct {
	Text    string            `yaml:"text"`
	On      bool              `yaml:"on"`
	Count   uint16            `yaml:"count"`
	Share   float32           `yaml:"share"`
	Wait    time.Duration     `yaml:"wait"`
	When    time.Time         `yaml:"when"`
	Inner   inner             `yaml:"inner"`
	Some    *inner            `yaml:"some"`
	List    []inner           `yaml:"list"`
	Grid    [][]string        `yaml:"grid"`
	Pairs   map[string]string `yaml:"pairs"`
	Any     any               `yaml:"any"`
	Ignored int               `yaml:"-"`
}

func (t target) Validate() error {
	return errors.Join(errors.New("inner.sizes[0] is wrong"), errors.New("list[3].level is wrong"), errors.New("all wrong"))
}

// No document and no assignment makes Parse, Set or Decode panic or run for
// long, every fault has a message, and what is encoded decodes to the same.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"text: a\non: true\ncount: 3\nshare: 1e3\nwait: 5s\nwhen: 2023-05-08T10:00:00Z\n",
		"inner: &i {level: low, sizes: [1, 2], names: {a: b}}\nsome: *i\nlist: [*i, {<<: *i, level: mid}]\n",
		"grid: [[a, b], [], c]\npairs: {1: 2, a: ~, a: b}\nany: [x]\n",
		"? [a]\n: b\n<<: [x, {y: z}]\n<<: 3\n",
		"a: &a [*a]\n", "a: !!binary x\n", "%YAML 1.1\n---\na: 1\n...\n---\n", "\ufefftext: x\n", "text: |\n x\n  y\n",
	} {
		f.Add(seed, "list[0].level=high")
		f.Add(seed, "list.low.sizes[0]=5")
		f.Add(seed, `inner["names"].b.c={x: [y]}`)
	}
	f.Fuzz(func(t *testing.T, data, assignment string) {
		doc, err := Parse("x.yaml", []byte(data))
		if err != nil {
			checkFaults(t, err)
			return
		}
		var out target
		base := try.Get(Parse("base.yaml", []byte("{list: [{level: low}], inner: {level: high, names: {c: d}}, text: x, any: {}}")))(t)
		doc.Extend(base)
		doc.Default("any", "[1]")
		doc.Set(assignment, "level", "text")
		doc.Root().Decode(&out)
		checkFaults(t, doc.Err())

		out.Any = nil
		encoded, err := Encode(out)
		if err != nil {
			return
		}
		again, err := Parse("again.yaml", encoded)
		if err != nil {
			t.Fatalf("%v\n%s", err, encoded)
		}
		var second target
		again.Root().Decode(&second)
		for _, fault := range again.faults {
			// The last three are what Validate says of any target.
			if !strings.HasSuffix(fault.Msg, "wrong") && fault.Msg != `unknown value ""; have low, high` {
				t.Fatalf("%v\n%s", fault, encoded)
			}
		}
	})
}

func checkFaults(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	e, ok := errors.AsType[*Error](err)
	if !ok || len(e.Faults) == 0 {
		t.Fatalf("%T %v holds no faults", err, err)
	}
	for _, fault := range e.Faults {
		if fault.Msg == "" || fault.File == "" {
			t.Fatalf("fault %#v says nothing", fault)
		}
		if fault.Line < 0 || fault.Col < 0 || (fault.Line == 0) != (fault.Col == 0) {
			t.Fatalf("fault %#v has half a position", fault)
		}
	}
	if !utf8.ValidString(err.Error()) {
		t.Fatalf("%q is not UTF-8", err.Error())
	}
}

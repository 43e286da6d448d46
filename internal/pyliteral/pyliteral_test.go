package pyliteral_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/pyliteral"
)

// tagged writes a value as testdata/reference.py does.
func tagged(v pyliteral.Value) any {
	kind := string(v.Kind)
	switch v.Kind {
	case pyliteral.None:
		return []any{kind}
	case pyliteral.Bool, pyliteral.Number, pyliteral.Str:
		return []any{kind, v.Text}
	case pyliteral.List, pyliteral.Tuple:
		items := []any{}
		for _, item := range v.Items {
			items = append(items, tagged(item))
		}
		return []any{kind, items}
	case pyliteral.Dict:
		pairs := []any{}
		for _, p := range v.Pairs {
			pairs = append(pairs, []any{tagged(p.Key), tagged(p.Value)})
		}
		return []any{kind, pairs}
	}
	return nil
}

// TestReference compares with what Python reads.
func TestReference(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "reference.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		var want struct {
			Text  string
			Value any
		}
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		v, err := pyliteral.Parse(want.Text)
		switch {
		case err != nil && want.Value != nil:
			t.Errorf("%q: %v; Python reads %v", want.Text, err, want.Value)
		case err == nil && want.Value == nil:
			t.Errorf("%q is read as %v; Python refuses it", want.Text, v)
		case err == nil:
			if diff := cmp.Diff(want.Value, tagged(*v)); diff != "" {
				t.Errorf("%q differs (-python +got):\n%s", want.Text, diff)
			}
		}
	}
	if n < 150 {
		t.Errorf("%d texts are compared, want all of them", n)
	}
}

func TestErrors(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		if _, err := pyliteral.Parse(text); err == nil || err.Error() != want {
			t.Errorf("%.30q: %v, want %s", text, err, want)
		}
	}
	check("", "1:1: the text ends, want a literal")
	check("[1, 2", `1:6: the text ends in a list, want ',' or ']'`)
	check("[1, ", "1:5: the text ends, want a literal")
	check("{'a': 1\n'b': 2}", `2:1: '\'' in a dict, want ',' or '}'`)
	check("{'é': 1, ?}", `1:10: "?" is no literal`)
	check("{1, 2}", "1:3: ',' after a key, want ':'")
	check("{[]: 1}", "1:4: a list cannot be a key")
	check("(1)", "1:3: a tuple of one value has a comma behind it")
	check("[1]\r\n\n[2]", "3:1: '[' after the literal")
	check("null", `1:1: "null" is no literal`)
	check(strings.Repeat("x", 100), `1:1: "xxxxxxxxxxxxxxxxxxxx..." is no literal`)
	check("1.2.3", `1:1: "1.2.3" is no literal`)
	check("['a\nb']", "1:2: the string does not end on its line")
	check("'a", "1:1: the string does not end on its line")
	check(`'\`, `1:2: the text ends in an escape`)
	check(`'\x4'`, `1:2: the escape \x wants 2 hexadecimal digits`)
	check(`'\u12'`, `1:2: the escape \u wants 4 hexadecimal digits`)
	check(`'\ud83d'`, `1:2: the escape \ud83d is no character`)
	check(`'\N{DASH}'`, "1:2: unknown escape; want one that Python's repr writes")
	check("b'a'", "1:1: \"b\" is no literal")
	check("'a\xff'", "the text is not UTF-8")
	check(strings.Repeat("[", 1000), "1:101: more than 100 brackets stand in each other")
	check(strings.Repeat(" ", pyliteral.MaxSize)+"1", "the text has 1048577 bytes, want at most 1048576")
	deep := strings.Repeat("[", pyliteral.MaxDepth) + strings.Repeat("]", pyliteral.MaxDepth)
	if _, err := pyliteral.Parse(deep); err != nil {
		t.Errorf("%d brackets: %v", pyliteral.MaxDepth, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{'1_0': {'Supporting Characters': "Li's", 'Age': -28.5e1, 'x': (None, True, ['\xff'])}}`)
	f.Add("[(((({")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := pyliteral.Parse(text); err != nil && (len(err.Error()) > 200 || !utf8.ValidString(err.Error())) {
			t.Fatalf("error %q for %d bytes", err, len(text))
		}
	})
}

func BenchmarkParse(b *testing.B) {
	one := `'1_0': {'Supporting Characters': 'Wang Li', 'Description': "Zhang Xiaohong's college classmate", 'Relationship': 'classmate'}`
	text := "{" + strings.Repeat(one+", ", 1000) + "}"
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := pyliteral.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

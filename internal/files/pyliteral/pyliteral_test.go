package pyliteral_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"recallbench/internal/files/pyliteral"
)

// tagged writes a value as testdata/reference.py does.
func tagged(v pyliteral.Value) any {
	kind := string(v.Kind)
	switch v.Kind {
	case pyliteral.None:
		return []any{kind}
	case pyliteral.Bool, pyliteral.Str:
		return []any{kind, v.Text}
	case pyliteral.Int:
		var n big.Int
		n.SetString(v.Text, 0)
		return []any{kind, n.String()}
	case pyliteral.Float:
		x, _ := strconv.ParseFloat(strings.ReplaceAll(v.Text, "_", ""), 64)
		return []any{kind, x}
	case pyliteral.Bytes:
		return []any{kind, hex.EncodeToString([]byte(v.Text))}
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
	// What Python reads as another value, or at all.
	departures := map[string]bool{
		"{1: 2, 1: 3}": true, // equal keys: all are kept
		"{1}":          true, // a set
		`b'\777'`:      true, // Python takes 511 for 255
	}
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		var want struct {
			Text  string
			Value any
		}
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		if departures[want.Text] {
			continue
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
	if n < 200 {
		t.Errorf("%d texts are compared, want all of them", n)
	}
}

func TestErrors(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		_, err := pyliteral.Parse(text)
		se, ok := errors.AsType[*pyliteral.SyntaxError](err)
		if !ok {
			t.Errorf("%.30q: error %v", text, err)
			return
		}
		if se.Error() != want {
			t.Errorf("%.30q: %s, want %s", text, se, want)
		}
	}
	check("", "1:1: the text ends, want a literal")
	check("[1, 2", `1:6: the text ends before the ']' of a list`)
	check("[1, ", "1:5: the text ends, want a literal")
	check("{'a': 1\n'b': 2}", `2:1: '\'' in a dict, want ',' or '}'`)
	check("{'é': 1, ?}", `1:10: '?', want a literal`)
	check("{1, 2}", "1:3: ',' after a key, want ':'; sets are not read")
	check("{[]: 1}", "1:2: a list cannot be a key")
	check("[1]\r\n\r[2]", "3:1: '[' after the literal")
	check("null", `1:1: "null" is no literal; the names that are read are None, True and False`)
	check(strings.Repeat("x", 100), `1:1: "xxxxxxxxxxxxxxxxxxxx..." is no literal; the names that are read are None, True and False`)
	check("1.2.3", `1:1: "1.2.3" is no number`)
	check("-'a'", `1:2: '\'' after a sign, want a number`)
	check("- [1]", `1:3: '[' after a sign, want a number`)
	check("['a\nb']", "1:2: the string does not end on its line")
	check("'''a\nb", "1:1: the string does not end")
	check(`'\x4'`, `1:2: the escape \x wants 2 hexadecimal digits`)
	check(`'\u12'`, `1:2: the escape \u wants 4 hexadecimal digits`)
	check(`'\ud83d'`, `1:2: the escape \ud83d is no character`)
	check(`b'\777'`, `1:3: the escape \777 is no byte`)
	check(`'\N{DASH}'`, "1:2: characters by name are not read")
	check("f'a'", "1:1: formatted strings are not read")
	check("q'a'", `1:1: unknown prefix "q" of a string; want r, u, b, rb or br`)
	check("b'a' 'b'", "1:6: a string follows a byte string")
	check("b'é'", "1:3: 'é' in a byte string, want ASCII")
	check("[1] # one", "1:5: '#' after the literal")
	check("[# one\n1]", "1:2: comments are not read")
	check("'a\x00b'", `1:3: a NUL character stands in the text; Python writes it \x00`)
	check("'a\xff'", "1:3: byte 0xff is not UTF-8")
	check(strings.Repeat("[", 1000), "1:101: more than 100 brackets stand in each other")
	check(strings.Repeat(" ", pyliteral.MaxSize)+"1", "1:1: the text has 1048577 bytes, want at most 1048576")
	deep := strings.Repeat("(", pyliteral.MaxDepth) + "1" + strings.Repeat(")", pyliteral.MaxDepth)
	if v, err := pyliteral.Parse(deep); err != nil || v.Text != "1" {
		t.Errorf("%d brackets: %v, %v", pyliteral.MaxDepth, v, err)
	}
}

func TestOffsets(t *testing.T) {
	const text = ` { 'a' : [ -1, ('b' 'c') , None ] }`
	v, err := pyliteral.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	check := func(v pyliteral.Value, want string) {
		t.Helper()
		if !strings.HasPrefix(text[v.Offset:], want) {
			t.Errorf("%v is at %q, want %q", v, text[v.Offset:], want)
		}
	}
	check(*v, "{")
	check(v.Pairs[0].Key, "'a'")
	list := v.Pairs[0].Value
	check(list, "[")
	check(list.Items[0], "-1")
	check(list.Items[1], "'b'")
	check(list.Items[2], "None")
}

func TestString(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		v, err := pyliteral.Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			return
		}
		if got := v.String(); got != want {
			t.Errorf("%q prints as %s, want %s", text, got, want)
		}
	}
	// As Python 3 prints them.
	check(`{"a":"it's" , 'b':("x",),}`, `{'a': "it's", 'b': ('x',)}`)
	check(`['a"b', 'a"b\'c', "\t\r\n\x7f\\", "é\u200b\xa0\U0001f600\U000e0001"]`, `['a"b', 'a"b\'c', '\t\r\n\x7f\\', 'é\u200b\xa0😀\U000e0001']`)
	check(`[b"a'b", b'\x00\xff', None, True, - 1.50]`, `[b"a'b", b'\x00\xff', None, True, -1.50]`)
	check(`[(), (1, 2), {}, []]`, `[(), (1, 2), {}, []]`)
}

// values draws literals.
func values(depth int) *rapid.Generator[pyliteral.Value] {
	texts := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("'\"\\\n\r\t\x00 a"))))
	bytes := rapid.SliceOf(rapid.Byte())
	return rapid.Custom(func(t *rapid.T) pyliteral.Value {
		kinds := []pyliteral.Kind{pyliteral.None, pyliteral.Bool, pyliteral.Int, pyliteral.Float, pyliteral.Str, pyliteral.Bytes}
		if depth > 0 {
			kinds = append(kinds, pyliteral.List, pyliteral.Tuple, pyliteral.Dict)
		}
		v := pyliteral.Value{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		switch v.Kind {
		case pyliteral.None:
		case pyliteral.Bool:
			v.Text = rapid.SampledFrom([]string{"True", "False"}).Draw(t, "bool")
		case pyliteral.Int:
			v.Text = strconv.FormatInt(rapid.Int64().Draw(t, "int"), 10)
		case pyliteral.Float:
			v.Text = strconv.FormatFloat(rapid.Float64Range(-1e9, 1e9).Draw(t, "float"), 'e', -1, 64)
		case pyliteral.Str:
			v.Text = texts.Draw(t, "text")
		case pyliteral.Bytes:
			v.Text = string(bytes.Draw(t, "bytes"))
		case pyliteral.List, pyliteral.Tuple:
			v.Items = rapid.SliceOfN(values(depth-1), 0, 4).Draw(t, "items")
		case pyliteral.Dict:
			for range rapid.IntRange(0, 3).Draw(t, "pairs") {
				v.Pairs = append(v.Pairs, pyliteral.Pair{Key: values(0).Draw(t, "key"), Value: values(depth-1).Draw(t, "value")})
			}
		}
		return v
	})
}

var same = cmp.Options{cmpopts.IgnoreFields(pyliteral.Value{}, "Offset"), cmpopts.EquateEmpty()}

// TestRoundTrip parses what was printed.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(3).Draw(t, "value")
		got, err := pyliteral.Parse(v.String())
		if err != nil {
			t.Fatalf("%s: %v", v, err)
		}
		if diff := cmp.Diff(v, *got, same); diff != "" {
			t.Fatalf("%s differs (-want +got):\n%s", v, diff)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(`{'1_0': {'Supporting Characters': "Li's", 'Age': -28.5e1, 'x': (None, True, [b'\xff'])}}`)
	f.Add(`'''a\u00e9
''' "b" r'\c'`)
	f.Add("[(((({")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := pyliteral.Parse(text)
		if err != nil {
			se, ok := errors.AsType[*pyliteral.SyntaxError](err)
			if !ok || se.Offset < 0 || se.Offset > len(text) || se.Line < 1 || se.Column < 1 || len(se.Reason) > 200 || !utf8.ValidString(se.Reason) {
				t.Fatalf("error %#v for %d bytes", err, len(text))
			}
			return
		}
		again, err := pyliteral.Parse(v.String())
		if err != nil {
			t.Fatalf("%s from %q: %v", v, text, err)
		}
		if diff := cmp.Diff(v, again, same); diff != "" {
			t.Fatalf("%s from %q is another when parsed again:\n%s", v, text, diff)
		}
	})
}

package pyliteral_test

import (
	"bufio"
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

	"recallbench/internal/files/pyliteral"
	"recallbench/internal/testkit/try"
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

// TestReference compares with what Python reads, and what its repr writes.
func TestReference(t *testing.T) {
	f := try.Get(os.Open(filepath.Join("testdata", "reference.jsonl")))(t)
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); n++ {
		var want struct {
			Text  string
			Value any
			Repr  bool // the text is what repr writes of the value
		}
		try.Do(t, json.Unmarshal(lines.Bytes(), &want))
		v, err := pyliteral.Parse(want.Text)
		switch {
		case want.Text == "{1: 2, 1: 3}": // equal keys: all are kept
		case err != nil && want.Repr:
			t.Errorf("%q: %v; Python writes %v so", want.Text, err, want.Value)
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
		if se, ok := errors.AsType[*pyliteral.SyntaxError](err); !ok || !strings.HasPrefix(se.Error(), want) {
			t.Errorf("%.30q: error %v, want %s", text, err, want)
		}
	}
	check("", "1:1: the text ends, want a literal")
	check("[1, 2", "1:6: ")
	check("[1, ", "1:5: ")
	check("{'a': 1\n'b': 2}", "2:1: ")
	check("{'é': 1, ?}", "1:10: ")
	check("{1, 2}", "1:3: ")
	check("{[]: 1}", "1:2: a list cannot be a key")
	check("[1]\n\n[2]", "3:1: '[' after the literal")
	check("null", "1:1: ")
	check("1.2.3", "1:1: ")
	check("['a\nb']", "1:2: the string does not end on its line")
	check("(1)", "1:1: ")
	check(`'\x4'`, "1:2: ")
	check(`'\ud83d'`, "1:2: ")
	check("f'a'", "1:1: ")
	check("[# one\n1]", "1:2: ")
	check("'a\xff'", "1:1: the text is not UTF-8")
	check(strings.Repeat("[", 1000), "1:102: more than 100 brackets")
	check(strings.Repeat(" ", pyliteral.MaxSize)+"1", "1:1: the text has 1048577 bytes")
}

func FuzzParse(f *testing.F) {
	f.Add(`{'1_0': {'Supporting Characters': "Li's", 'Age': -28.5e1, 'x': (None, True, ['\xff'])}}`)
	f.Add("[(((({")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := pyliteral.Parse(text)
		if se, ok := errors.AsType[*pyliteral.SyntaxError](err); (v == nil) != ok || ok && (se.Line < 1 || se.Column < 1 || len(se.Reason) > 200 || !utf8.ValidString(se.Reason)) {
			t.Fatalf("%v, error %#v for %d bytes", v, err, len(text))
		}
	})
}

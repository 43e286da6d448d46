package jsontree_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"recallbench/internal/files/jsontree"
	"recallbench/internal/testkit/try"
)

// plain returns a tree as encoding/json decodes it.
func plain(v *jsontree.Value) any {
	switch v.Kind {
	case jsontree.Null:
		return nil
	case jsontree.Bool:
		return v.Text == "true"
	case jsontree.String:
		return v.Text
	case jsontree.Number:
		return json.Number(v.Text)
	case jsontree.Array:
		list := []any{}
		for i := range v.Items {
			list = append(list, plain(&v.Items[i]))
		}
		return list
	case jsontree.Object:
		m := make(map[string]any)
		for i := range v.Fields {
			m[v.Fields[i].Name] = plain(&v.Fields[i].Value)
		}
		return m
	}
	return nil
}

// decoded is what encoding/json decodes of a text.
func decoded(t *testing.T, text []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	try.Do(t, d.Decode(&v))
	return v
}

func TestParse(t *testing.T) {
	const text = ` { "b" : [1, -2.5e3,true ,null,"a\u00e9\n"], "a":{}, "":[ ] } `
	v := try.Get(jsontree.Parse([]byte(text)))(t)
	try.Equal(t, "tree", decoded(t, []byte(text)), plain(v))
	for i, want := range []string{"1", "-2.5e3", "true", "null", `"a`} {
		item := v.Get("b").Items[i]
		if !strings.HasPrefix(text[item.Offset:], want) {
			t.Errorf("item %d is at %q, want %s", i, text[item.Offset:], want)
		}
	}
	if v.Get("c") != nil {
		t.Error("a field that is not there is got")
	}
}

func TestSyntaxErrors(t *testing.T) {
	check := func(text, rest, reason string) {
		t.Helper()
		_, err := jsontree.Parse([]byte(text))
		se, ok := errors.AsType[*jsontree.SyntaxError](err)
		if !ok {
			t.Errorf("%.20s: error %v", text, err)
			return
		}
		if text[se.Offset:] != rest || !strings.Contains(se.Reason, reason) {
			t.Errorf("%.20s: at %q: %s; want %q: %s", text, text[se.Offset:], se.Reason, rest, reason)
		}
	}
	check("", "", "not JSON")
	check("[1,", "", "cut off")
	check("[1,x]", "x]", "invalid character 'x'")
	check(`{"a":1,"a":2}`, `"a":2}`, `field "a" comes twice`)
	check(`[1] 2`, "2", "after top-level value")
	check(`{"a":"b`, "", "cut off")
	deep := strings.Repeat("[", 20000)
	check(deep, deep[10000:], "exceeded max depth")
	many := `{"` + strings.Join(strings.Split("abcdefghijklmnopqrstu", ""), `":1,"`) + `":1,`
	check(many+`"t":2}`, `"t":2}`, `field "t" comes twice`)
}

// FuzzParse compares with encoding/json.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,{"b":null}],"c":"\ud800"}`))
	f.Add([]byte(`[,]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := jsontree.Parse(data)
		if err != nil {
			se, ok := errors.AsType[*jsontree.SyntaxError](err)
			if !ok || se.Offset < 0 || se.Offset > len(data) {
				t.Fatalf("error %#v for %d bytes", err, len(data))
			}
			if json.Valid(data) && !strings.Contains(se.Reason, "comes twice") {
				t.Fatalf("valid JSON is refused: %v", err)
			}
			return
		}
		try.Equal(t, string(data), decoded(t, data), plain(v))
	})
}

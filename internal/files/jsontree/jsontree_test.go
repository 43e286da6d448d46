package jsontree_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"recallbench/internal/files/jsontree"
	"recallbench/internal/testkit/try"
)

// write writes a tree as compact JSON.
func write(b *strings.Builder, v *jsontree.Value) {
	switch v.Kind {
	case jsontree.Null:
		b.WriteString("null")
	case jsontree.Bool, jsontree.Number:
		b.WriteString(v.Text)
	case jsontree.String:
		text, _ := json.Marshal(v.Text)
		b.Write(text)
	case jsontree.Array:
		b.WriteByte('[')
		for i := range v.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, &v.Items[i])
		}
		b.WriteByte(']')
	case jsontree.Object:
		b.WriteByte('{')
		for i := range v.Fields {
			if i > 0 {
				b.WriteByte(',')
			}
			name, _ := json.Marshal(v.Fields[i].Name)
			b.Write(name)
			b.WriteByte(':')
			write(b, &v.Fields[i].Value)
		}
		b.WriteByte('}')
	}
}

func TestParse(t *testing.T) {
	const text = ` { "b" : [1, -2.5e3,true ,null,"a\u00e9\n"], "a":{}, "":[ ] } `
	v := try.Get(jsontree.Parse([]byte(text)))(t)
	var b strings.Builder
	write(&b, v)
	if want := `{"b":[1,-2.5e3,true,null,"aé\n"],"a":{},"":[]}`; b.String() != want {
		t.Errorf("got %s, want %s", b.String(), want)
	}
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
		var b strings.Builder
		write(&b, v)
		again, err := jsontree.Parse([]byte(b.String()))
		if err != nil {
			t.Fatalf("%s from %s: %v", b.String(), data, err)
		}
		var c strings.Builder
		write(&c, again)
		if b.String() != c.String() {
			t.Fatalf("%s prints as %s", b.String(), c.String())
		}
	})
}

package jsontree_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"recallbench/internal/files/jsontree"
)

// elements returns the elements of a text, read in pieces, and the message of the
// error that ends them.
func elements(r io.Reader, limit int) (all []string, places [][2]int64, fault string) {
	for e, err := range jsontree.Elements(r, jsontree.Array, limit) {
		if se, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
			return all, places, fmt.Sprintf("%d: offset %d: %v", e.Line, se.Offset, se)
		}
		if err != nil {
			return all, places, err.Error()
		}
		all = append(all, string(e.Data))
		places = append(places, [2]int64{e.Start, e.End})
	}
	return all, places, ""
}

func TestElements(t *testing.T) {
	check := func(text, want, fault string) {
		t.Helper()
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			all, _, got := elements(r, 1<<20)
			if strings.Join(all, "|") != want || got != fault {
				t.Errorf("%q: %q, %q; want %q, %q", text, all, got, want, fault)
			}
		}
	}
	check(`[]`, "", "")
	check("\ufeff [ ] \n", "", "")
	check(`[{"a": "]}\"", "b": [1, 2]}, "x,\\", -1.5e3 , null,[[]]]`, `{"a": "]}\"", "b": [1, 2]}|"x,\\"|-1.5e3|null|[[]]`, "")
	check("[\n1,\n2", "1|2", "3: offset 6: unexpected end of JSON input; the file is cut off")
	check("[1", "1", "1: offset 2: unexpected end of JSON input; the file is cut off")
	check(" \n", "", "1: offset 0: not JSON: it is empty")
	check(`{"a": 1}`, "", "1: offset 0: want an array, have an object")
	check("\n\"x\"", "", "2: offset 3: want an array, have a string")
	check("7", "", "1: offset 0: want an array, have a number")
	check("[1 2]", "1", "1: offset 3: expected comma after array element")
	check("[1,]", "1", "1: offset 3: invalid character ']' looking for beginning of value")
	check("[1] 2", "1", "1: offset 4: 2 after the end")
	large := `["` + strings.Repeat("x", 1<<20) + `"]`
	check("[[1,\n{]]", "", "2: offset 6: invalid character ']' looking for beginning of object key string")
	check(large, "", "1: offset 1: an element is larger than 1 MiB, the limit")
	if _, _, fault := elements(iotest.ErrReader(errors.New("gone")), 1); fault != "gone" {
		t.Errorf("error of the reader: %q", fault)
	}
}

func FuzzElements(f *testing.F) {
	f.Add([]byte(`[1, {"a": ["]", "\\\""]}, "x", null]`))
	f.Add([]byte("\ufeff[\n{}]"))
	f.Add([]byte(`[1,`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, places, fault := elements(iotest.HalfReader(strings.NewReader(string(data))), 1<<20)
		for i, p := range places {
			if p[0] < 0 || p[1] > int64(len(data)) || string(data[p[0]:p[1]]) != all[i] {
				t.Fatalf("element %d is %q at %v", i, all[i], p)
			}
		}
		var want []json.RawMessage
		if err := json.Unmarshal([]byte(strings.TrimPrefix(string(data), "\ufeff")), &want); err != nil || want == nil {
			return // what is within elements is for their parser
		}
		if fault != "" {
			t.Fatalf("a valid array is refused: %s", fault)
		}
		got := make([]json.RawMessage, len(all))
		for i := range all {
			got[i] = json.RawMessage(all[i])
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("elements %q, want %q", got, want)
		}
	})
}

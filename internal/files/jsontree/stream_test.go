package jsontree_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"recallbench/internal/files/jsontree"
)

// elements returns the elements of a text, read in pieces, their places, and the message of
// the error that ends them.
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
			all, places, got := elements(r, 1<<20)
			for i, p := range places {
				if text[p[0]:p[1]] != all[i] {
					t.Errorf("%q: element %d is %q at %v", text, i, all[i], p)
				}
			}
			if strings.Join(all, "|") != want || got != fault {
				t.Errorf("%q: %q, %q; want %q, %q", text, all, got, want, fault)
			}
		}
	}
	check(`[]`, "", "")
	check("\ufeff [ ] \n", "", "")
	check("\ufeff[\n{}, {\"a\": [\"]\", \"\\\"\"]}]", `{}|{"a": ["]", "\""]}`, "")
	check(`[{"a": "]}\"", "b": [1, 2]}, "x,\\", -1.5e3 , null,[[]]]`, `{"a": "]}\"", "b": [1, 2]}|"x,\\"|-1.5e3|null|[[]]`, "")
	check("[\n1,\n2", "1|2", "3: offset 6: unexpected end of JSON input; the file is cut off")
	check("[1", "1", "1: offset 2: unexpected end of JSON input; the file is cut off")
	check(" \n", "", "2: offset 0: not JSON: it is empty")
	check(`{"a": 1}`, "", "1: offset 0: want an array, have an object")
	check("\n\"x\"", "", "2: offset 1: want an array, have a string")
	check("7", "", "1: offset 0: want an array, have a number")
	check("[1 2]", "1", "1: offset 3: invalid character '2' after array element (expecting ',' or ']')")
	check("[1,]", "1", "1: offset 2: invalid character ',' at start of value")
	check("[1] 2", "1", "1: offset 4: there is more text after the JSON value, want one value in the file")
	large := `["` + strings.Repeat("x", 1<<20) + `"]`
	check("[[1,\n{]]", "", "2: offset 6: invalid character ']' at start of string (expecting '\"')")
	check(large, "", "1: offset 1: the value is longer than 1 MiB, the limit")
	if _, _, fault := elements(iotest.ErrReader(errors.New("gone")), 1); fault != "gone" {
		t.Errorf("error of the reader: %q", fault)
	}
}

package jsonout

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestJSONOut(t *testing.T) {
	var b strings.Builder
	err := errors.Join(
		Lines(&b, "<a>", "&"),
		Indented(&b, map[string]string{"a": "<"}),
		Encode(json.NewEncoder(&b), "<a>"),
	)
	if want := "\"<a>\"\n\"&\"\n{\n  \"a\": \"<\"\n}\n\"\\u003ca\\u003e\"\n"; err != nil || b.String() != want {
		t.Errorf("wrote %q, error %v; want %q", b.String(), err, want)
	}
	if err := Lines(&b, func() {}); err == nil {
		t.Error("a function was written")
	}
}

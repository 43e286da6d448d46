package tree

import (
	"encoding/xml"
	"slices"
	"strings"
	"unicode/utf8"
)

// space is what XML takes for white space.
const space = " \t\r\n"

// clean returns a text as a tree holds it: without white space around, and with
// U+FFFD for what XML cannot hold.
func clean(s string) string { return strings.Trim(strings.Map(holdable, s), space) }

// holdable returns the character, or U+FFFD where XML cannot hold it. Invalid
// UTF-8 arrives as U+FFFD already.
func holdable(r rune) rune {
	if r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r != 0xFFFE && r != 0xFFFF {
		return r
	}
	return utf8.RuneError
}

// cleanFields returns a copy of fields with clean values.
func cleanFields(fields []Field) []Field {
	fields = copyFields(fields)
	for _, f := range fields {
		for i, v := range f.Values {
			f.Values[i] = clean(v)
		}
	}
	return fields
}

func copyFields(fields []Field) []Field {
	out := slices.Clone(fields)
	for i := range out {
		out[i].Values = append([]string(nil), out[i].Values...)
	}
	return out
}

// validName reports whether XML takes a name for an element or attribute.
func validName(s string) bool {
	if s == "" || len(s) > 256 || strings.ContainsAny(s, space+"/>") {
		return false
	}
	if prefix, local, ok := strings.Cut(s, ":"); ok && (prefix == "" || local == "" || strings.Contains(local, ":")) {
		return false
	}
	tok, err := xml.NewDecoder(strings.NewReader("<" + s + "/>")).RawToken()
	start, ok := tok.(xml.StartElement)
	return err == nil && ok && len(start.Attr) == 0 && fullName(start.Name) == s
}

// fullName is a name with its prefix, as the document spells it.
func fullName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

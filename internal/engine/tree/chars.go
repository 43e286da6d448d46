package tree

import (
	"encoding/xml"
	"strings"
	"unicode/utf8"
)

// space is what XML takes for white space.
const space = " \t\r\n"

// clean returns a text as a tree holds it: without white space around, and with
// U+FFFD for what XML cannot hold.
func clean(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' {
			return strings.Trim(strings.Map(holdable, s), space)
		}
	}
	return strings.Trim(s, space)
}

// holdable returns the character, or U+FFFD where XML cannot hold it. Invalid
// UTF-8 arrives as U+FFFD already.
func holdable(r rune) rune {
	if r == '\t' || r == '\n' || r == '\r' || r >= ' ' && r != 0xFFFE && r != 0xFFFF {
		return r
	}
	return utf8.RuneError
}

// cleanFields cleans the values of fields, in a copy where one changes.
func cleanFields(fields []Field) []Field {
	copied := false
	for i, f := range fields {
		for j, v := range f.Values {
			c := clean(v)
			if c == v {
				continue
			}
			if !copied {
				fields, copied = copyFields(fields), true
			}
			fields[i].Values[j] = c
		}
	}
	return fields
}

func copyFields(fields []Field) []Field {
	if len(fields) == 0 {
		return nil
	}
	out := make([]Field, len(fields))
	for i, f := range fields {
		out[i] = Field{f.Name, append([]string(nil), f.Values...)}
	}
	return out
}

// validName reports whether XML takes a name for an element or attribute.
func validName(s string) bool {
	if s == "" || len(s) > 256 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_', c >= utf8.RuneSelf:
		case i > 0 && ('0' <= c && c <= '9' || c == '-' || c == '.'):
		case i > 0 && i < len(s)-1 && c == ':' && strings.Count(s, ":") == 1:
		default:
			return false
		}
	}
	if strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return true
	}
	// Which other letters XML allows only its reader knows.
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

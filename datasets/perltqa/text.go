package perltqa

import (
	"encoding/json"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"recallbench/internal/files/jsontree"
)

// maxName is the largest number of bytes of a character's name, and of the id
// of a memory. Both become ids.
const maxName = 200

// oneLine reports whether a name can be an id.
func oneLine(name string) bool {
	return name != "" && len(name) <= maxName && !strings.ContainsFunc(name, unicode.IsControl)
}

// entity is an HTML character reference. Some texts went through an annotation
// tool that wrote quotes that way.
var entity = regexp.MustCompile(`&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});`)

// text reads a value as a text, without white space at its ends and with entities
// decoded. Items are joined by commas, fields by semicolons; null is "".
func (l *loader) text(c *jsontree.Cursor) string {
	var parts []string
	switch c.Value.Kind { //nolint:exhaustive // the others have no parts
	case jsontree.Array:
		for _, item := range c.Items() {
			if text := l.text(item); text != "" {
				parts = append(parts, text)
			}
		}
		return strings.Join(parts, ", ")
	case jsontree.Object:
		for _, f := range c.Fields() {
			if text := l.text(f); text != "" {
				parts = append(parts, f.Name()+": "+text)
			}
		}
		return strings.Join(parts, "; ")
	}
	trimmed := strings.TrimSpace(c.Value.Text)
	if trimmed != c.Value.Text {
		l.warn("white space at an end of the text; removed", c.Path())
	}
	if !strings.Contains(trimmed, "&") {
		return trimmed
	}
	decoded := entity.ReplaceAllStringFunc(trimmed, html.UnescapeString)
	if decoded != trimmed {
		l.warn("text has HTML entities; decoded", c.Path())
	}
	return decoded
}

// textOf returns the text of a field, "" if there is none.
func (l *loader) textOf(c *jsontree.Cursor, name string) string {
	if f := c.Field(name); f != nil {
		return l.text(f)
	}
	return ""
}

// quote shows the beginning of a text.
func quote(text string) string {
	const most = 40
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "..."
	}
	return strconv.Quote(text)
}

var (
	pythonString = regexp.MustCompile(`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\b(?:None|True|False)\b`)
	pythonWords  = map[string]string{"None": "null", "True": "true", "False": "false"}
)

// fromPython converts dicts and lists of strings and numbers, as Python prints them,
// to JSON. Anything else does not become JSON either.
func fromPython(text string) []byte {
	return []byte(pythonString.ReplaceAllStringFunc(text, func(s string) string {
		if word, ok := pythonWords[s]; ok {
			return word
		}
		var b strings.Builder
		for quote, rest := s[0], s[1:len(s)-1]; rest != ""; {
			if rest[0] != '\\' || len(rest) > 1 && strings.IndexByte(`'"`, rest[1]) < 0 {
				r, _, tail, err := strconv.UnquoteChar(rest, 0)
				if err != nil {
					return string(quote) // an escape that is not read
				}
				b.WriteRune(r)
				rest = tail
				continue
			}
			b.WriteByte(rest[1])
			rest = rest[2:]
		}
		quoted, _ := json.Marshal(b.String()) // never fails
		return string(quoted)
	}))
}

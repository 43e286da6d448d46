package clone

import (
	"errors"
	"fmt"
	"strings"

	"recallbench/internal/files/pyliteral"
)

// pythonString reads the string that code begins with, blanks aside: one literal,
// or several that follow one another. It reports whether it is a formatted one.
func pythonString(code string) (text string, formatted bool, err error) {
	for found := false; ; found = true {
		code = strings.TrimLeft(code, " \t\r\n(\\")
		end, f := literalEnd(code)
		if end < 0 {
			if !found {
				return "", false, errors.New("no string begins here")
			}
			return text, formatted, nil
		}
		source := code[:end]
		if f {
			formatted = true
			quote := strings.IndexAny(source, `"'`)
			source = strings.NewReplacer("f", "", "F", "").Replace(source[:quote]) + source[quote:]
		}
		value, err := pyliteral.Parse(source)
		if err != nil {
			return "", false, fmt.Errorf("the string there: %w", err)
		}
		text += value.Text
		code = code[end:]
	}
}

// literalEnd returns where the string literal ends that code begins with, and
// whether it is a formatted one; -1 where none begins, or it has no end.
func literalEnd(code string) (end int, formatted bool) {
	at := strings.IndexAny(code, `"'`)
	if at < 0 || strings.Trim(code[:at], "rRuUfF") != "" {
		return -1, false
	}
	formatted = strings.ContainsAny(code[:at], "fF")
	quote := code[at : at+1]
	if strings.HasPrefix(code[at:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	for i := at + len(quote); i < len(code); i++ {
		switch {
		case code[i] == '\\':
			i++
		case strings.HasPrefix(code[i:], quote):
			return i + len(quote), formatted
		}
	}
	return -1, false
}

package strictyaml

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A path leads from a value to one within: keys of mappings (string) and places
// in lists (int).
type path []any

var plainKey = regexp.MustCompile(`^[\pL\pN_@+-][\pL\pN_@+ -]*$`)

// String writes a path as methods[2].options.k, with keys of unusual
// characters as ["a.b"].
func (p path) String() string {
	var b strings.Builder
	for _, step := range p {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case string:
			switch {
			case !plainKey.MatchString(step):
				fmt.Fprintf(&b, "[%q]", step)
			case b.Len() > 0:
				b.WriteString("." + step)
			default:
				b.WriteString(step)
			}
		}
	}
	return b.String()
}

// child returns a longer path. It never shares memory with another one.
func (p path) child(steps ...any) path {
	return append(slices.Clip(p), steps...)
}

// parsePath reads what String writes, up to the end or an equals sign outside
// of brackets, and returns the rest.
func parsePath(s string) (p path, rest string, err error) {
	rest = s
	for {
		switch {
		case strings.HasPrefix(rest, `["`):
			quoted, err := strconv.QuotedPrefix(rest[1:])
			if err != nil || !strings.HasPrefix(rest[1+len(quoted):], "]") {
				return nil, "", fmt.Errorf("path %q: want a quoted name and a bracket, such as [\"a.b\"], at %q", s, rest)
			}
			key, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, "", fmt.Errorf("path %q: %s: %w", s, quoted, err)
			}
			p, rest = append(p, key), rest[len(quoted)+2:]
		case strings.HasPrefix(rest, "["):
			index, after, ok := strings.Cut(rest[1:], "]")
			i, err := strconv.ParseUint(index, 10, 31)
			if !ok || err != nil {
				return nil, "", fmt.Errorf("path %q: want a place in a list, such as [0], at %q", s, rest)
			}
			p, rest = append(p, int(i)), after
		default:
			key := rest
			if end := strings.IndexAny(rest, ".[="); end >= 0 {
				key = rest[:end]
			}
			if key == "" {
				return nil, "", fmt.Errorf("path %q: want a key such as seed at %q", s, rest)
			}
			p, rest = append(p, key), rest[len(key):]
		}
		switch {
		case rest == "" || rest[0] == '=':
			return p, rest, nil
		case rest[0] == '.':
			if rest = rest[1:]; strings.HasPrefix(rest, "[") {
				return nil, "", fmt.Errorf("path %q: want a key between . and [", s)
			}
		case rest[0] != '[':
			return nil, "", fmt.Errorf("path %q: want . or [ at %q", s, rest)
		}
	}
}

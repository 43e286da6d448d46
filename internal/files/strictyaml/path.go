package strictyaml

import (
	"errors"
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
		key, isKey := step.(string)
		switch {
		case !isKey:
			fmt.Fprintf(&b, "[%d]", step)
		case !plainKey.MatchString(key):
			fmt.Fprintf(&b, "[%q]", key)
		case b.Len() > 0:
			b.WriteString("." + key)
		default:
			b.WriteString(key)
		}
	}
	return b.String()
}

// child returns a longer path. It never shares memory with another one.
func (p path) child(steps ...any) path { return append(slices.Clip(p), steps...) }

// fault returns an error of the value at the path.
func (p path) fault(format string, args ...any) error {
	msg := fmt.Sprintf(format, args...)
	if len(p) > 0 {
		msg = p.String() + ": " + msg
	}
	return errors.New(msg)
}

// PathOf writes steps as a path, as faults do.
func PathOf(steps ...any) string { return path(steps).String() }

// Steps reads a path such as methods.flat-rag.options.k or methods[0].options as
// the steps that [Value.At] takes.
func Steps(s string) ([]any, error) {
	p, rest, err := parsePath(s)
	if err == nil && rest != "" {
		err = fmt.Errorf("path %q: want no equals sign", s)
	}
	return p, err
}

var pathStep = regexp.MustCompile(`^(?:\[([0-9]+)\]|\[("(?:[^"\\]|\\.)*")\]|(\.?)([^.\[=]+))`)

// parsePath reads what String writes, up to the end or an equals sign outside
// of brackets, and returns the rest.
func parsePath(s string) (p path, rest string, err error) {
	for rest = s; rest != "" && rest[0] != '=' || len(p) == 0; {
		m := pathStep.FindStringSubmatch(rest)
		if m == nil || m[4] != "" && (m[3] == ".") == (len(p) == 0) {
			return nil, "", fmt.Errorf("path %q: want a key such as seed, a place such as [0] or a quoted key such as [\"a.b\"] at %q", s, rest)
		}
		step := any(m[4])
		switch {
		case m[1] != "":
			step, err = strconv.Atoi(m[1])
		case m[2] != "":
			step, err = strconv.Unquote(m[2])
		}
		if err != nil {
			return nil, "", fmt.Errorf("path %q: %w", s, err)
		}
		p, rest = append(p, step), rest[len(m[0]):]
	}
	return p, rest, nil
}

package gateway

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Rule says what is replaced in texts before they are keyed, recorded and sent.
type Rule string

// UUID makes the n-th distinct UUID of a request 00000000-0000-4000-8000- and n. In the
// reply they are put back.
const UUID Rule = "uuid"

// Values lists the rules.
func (Rule) Values() []string { return []string{string(UUID)} }

// A normaliser applies the rules of a memory to the texts of one request, and puts
// back in its reply what they replaced.
type normaliser struct {
	rules []Rule
	uuids []string // distinct, as first written
}

// text applies the rules.
func (n *normaliser) text(s string) string {
	if !slices.Contains(n.rules, UUID) {
		return s
	}
	return replaceUUIDs(s, func(id string) string {
		for i, known := range n.uuids {
			if strings.EqualFold(known, id) {
				return placeholder(i + 1)
			}
		}
		n.uuids = append(n.uuids, id)
		return placeholder(len(n.uuids))
	})
}

// uuidPrefix begins what stands for a UUID.
const uuidPrefix = "00000000-0000-4000-8000-"

// placeholder stands for the n-th UUID of a request.
func placeholder(n int) string { return fmt.Sprintf("%s%012d", uuidPrefix, n) }

// uuids finds what may be a UUID.
var uuids = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}`)
})

// replaceUUIDs calls replace for each UUID that stands next to no letter, digit or
// hyphen.
func replaceUUIDs(s string, replace func(string) string) string {
	var b strings.Builder
	done := 0
	for _, at := range uuids().FindAllStringIndex(s, -1) {
		start, end := at[0], at[1]
		if joined(s, start) || end < len(s) && joins(s[end]) {
			continue
		}
		b.WriteString(s[done:start])
		b.WriteString(replace(s[start:end]))
		done = end
	}
	b.WriteString(s[done:])
	return b.String()
}

// joined reports whether what stands before s[i] makes it a part of something else.
// An escape does not, such as \n: messages and replies may be JSON, and prompts hold
// some.
func joined(s string, i int) bool {
	if i == 0 || i > 1 && s[i-2] == '\\' && strings.IndexByte("nrtbf", s[i-1]) >= 0 {
		return false
	}
	return joins(s[i-1])
}

// joins reports whether a character makes what it stands beside a part of something
// else.
func joins(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '-'
}

// back puts back each UUID as first written.
func (n *normaliser) back(s string) string {
	if len(n.uuids) == 0 {
		return s
	}
	return replaceUUIDs(s, func(id string) string {
		if i, err := strconv.Atoi(strings.TrimPrefix(id, uuidPrefix)); err == nil && 0 < i && i <= len(n.uuids) {
			return n.uuids[i-1]
		}
		return id
	})
}

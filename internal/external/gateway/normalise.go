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

// A UUID is a word of its own. What stands before it may be an escape such as \n: messages
// and replies may be JSON, and prompts hold some.
var (
	words = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:\\[nrtbf])?[0-9A-Za-z-]{36,}`) })
	uuid  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)
	})
)

// replaceUUIDs calls replace for each UUID.
func replaceUUIDs(s string, replace func(string) string) string {
	return words().ReplaceAllStringFunc(s, func(word string) string {
		id := word
		if strings.HasPrefix(word, `\`) {
			id = word[2:]
		}
		if !uuid().MatchString(id) {
			return word
		}
		return strings.TrimSuffix(word, id) + replace(id)
	})
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

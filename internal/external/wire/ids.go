package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

func digest(s string, digits int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:digits]
}

// MemoryName returns the name of the memory of a conversation, a function of
// its content alone.
func MemoryName(sessions []Session) string {
	var b strings.Builder
	for _, s := range sessions {
		b.WriteString(s.Time.String() + "\n")
		for _, t := range s.Turns {
			b.WriteString(t.Speaker + "\t" + t.Text + "\n")
		}
	}
	return "s-" + digest(b.String(), 10)
}

// RequestIDs returns the id of each request on the wire, a function of its time
// and text. Doubles are numbered in order.
func RequestIDs(requests []Request) []string {
	n := newNumbering("r-")
	ids := make([]string, len(requests))
	for i, r := range requests {
		ids[i] = n.id(r.Time.String() + "\n" + r.Text)
	}
	return ids
}

// BlockIDs returns an id for each block of a result, a function of its text.
func BlockIDs(blocks []Block) []string {
	n := newNumbering("b-")
	ids := make([]string, len(blocks))
	for i, b := range blocks {
		ids[i] = n.id(b.Text)
	}
	return ids
}

// A numbering makes ids from content and numbers those that are the same.
type numbering struct {
	prefix string
	seen   map[string]int
}

func newNumbering(prefix string) *numbering {
	return &numbering{prefix, make(map[string]int)}
}

func (n *numbering) id(content string) string {
	id := n.prefix + digest(content, 8)
	n.seen[id]++
	if again := n.seen[id]; again > 1 {
		return fmt.Sprintf("%s-%d", id, again)
	}
	return id
}

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

// MemoryName returns the name of the memory of a conversation, derived only
// from its content.
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

// RequestIDs returns the id of each question on the wire, derived from its time
// and text. Duplicates are numbered in order.
func RequestIDs(requests []Request) []string {
	return ids("r-", requests, func(r Request) string { return r.Time.String() + "\n" + r.Text })
}

// BlockIDs returns an id for each block of a result, derived from its text.
func BlockIDs(blocks []Block) []string {
	return ids("b-", blocks, func(b Block) string { return b.Text })
}

// ids makes ids from content and numbers those that are the same.
func ids[T any](prefix string, list []T, content func(T) string) []string {
	all, seen := make([]string, len(list)), make(map[string]int)
	for i, of := range list {
		id := prefix + digest(content(of), 8)
		all[i] = id
		if seen[id]++; seen[id] > 1 {
			all[i] = fmt.Sprintf("%s-%d", id, seen[id])
		}
	}
	return all
}

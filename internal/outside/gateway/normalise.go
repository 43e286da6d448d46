package gateway

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A normaliser applies the rules of a memory to the texts of one request, and puts
// back in its reply what they replaced.
type normaliser struct {
	rules  []Rule
	now    time.Time
	dates  *dates
	counts map[string]int // replacements, by rule

	uuids  []string            // distinct, as first written
	epochs map[string][]string // distinct, by what stands for them
}

func newNormaliser(rules []Rule, now time.Time, d *dates) *normaliser {
	return &normaliser{rules: rules, now: now, dates: d, counts: make(map[string]int)}
}

// text applies the rules, in order.
func (n *normaliser) text(s string) string {
	for _, r := range n.rules {
		s = r.apply(n, s)
	}
	return s
}

// The layout of a UUID, and of what stands for one.
const (
	uuidLength = 36
	uuidPrefix = "00000000-0000-4000-8000-"
)

func (n *normaliser) uuid(s string) string {
	return replaceUUIDs(s, func(id string) string {
		n.counts["uuid"]++
		for i, known := range n.uuids {
			if strings.EqualFold(known, id) {
				return placeholder(i + 1)
			}
		}
		n.uuids = append(n.uuids, id)
		return placeholder(len(n.uuids))
	})
}

// placeholder stands for the n-th UUID of a request.
func placeholder(n int) string { return fmt.Sprintf("%s%012d", uuidPrefix, n) }

// replaceUUIDs calls replace for each UUID that stands next to no letter, digit or
// hyphen.
func replaceUUIDs(s string, replace func(string) string) string {
	var b strings.Builder
	done := 0
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '-')
		if i < 0 {
			break
		}
		at += i + 1
		start := at - 9
		if start < done || start+uuidLength > len(s) || !isUUID(s[start:start+uuidLength]) {
			continue
		}
		end := start + uuidLength
		if joined(s, start) || end < len(s) && joins(s[end]) {
			continue
		}
		b.WriteString(s[done:start])
		b.WriteString(replace(s[start:end]))
		done, at = end, end
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

func isUUID(s string) bool {
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !digit(s[i]) && (s[i]|0x20 < 'a' || s[i]|0x20 > 'f') {
				return false
			}
		}
	}
	return true
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

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
	return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '-'
}

// What stands for seconds and milliseconds.
const (
	epochSeconds = "1700000000"
	epochMillis  = "1700000000000"
)

func (n *normaliser) epoch(s string) string {
	return replaceNumbers(s, func(number string) string {
		var as string
		var at time.Time
		switch value, _ := strconv.ParseInt(number, 10, 64); len(number) {
		case len(epochSeconds):
			as, at = epochSeconds, time.Unix(value, 0)
		case len(epochMillis):
			as, at = epochMillis, time.UnixMilli(value)
		default:
			return number
		}
		if at.Sub(n.now).Abs() > 24*time.Hour {
			return number
		}
		n.counts["epoch"]++
		if n.epochs == nil {
			n.epochs = make(map[string][]string)
		}
		if !slices.Contains(n.epochs[as], number) {
			n.epochs[as] = append(n.epochs[as], number)
		}
		return as
	})
}

// replaceNumbers calls replace for each run of digits.
func replaceNumbers(s string, replace func(string) string) string {
	var b strings.Builder
	for done := 0; ; {
		start := done
		for start < len(s) && !digit(s[start]) {
			start++
		}
		b.WriteString(s[done:start])
		if start == len(s) {
			return b.String()
		}
		end := start
		for end < len(s) && digit(s[end]) {
			end++
		}
		b.WriteString(replace(s[start:end]))
		done = end
	}
}

// back puts back what was replaced: each UUID as first written, and an epoch where
// the request had no other of its length.
func (n *normaliser) back(s string) string {
	if len(n.uuids) > 0 {
		s = replaceUUIDs(s, func(id string) string {
			if i, err := strconv.Atoi(strings.TrimPrefix(id, uuidPrefix)); err == nil && 0 < i && i <= len(n.uuids) {
				return n.uuids[i-1]
			}
			return id
		})
	}
	if len(n.epochs) > 0 {
		s = replaceNumbers(s, func(number string) string {
			if known := n.epochs[number]; len(known) == 1 {
				return known[0]
			}
			return number
		})
	}
	return s
}

package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// MaxRules bounds the rules of a memory.
const MaxRules = 16

// A Rule says what is replaced in texts before they are keyed, recorded and sent.
// As text it is one of
//
//	uuid          the n-th distinct UUID of a request becomes 00000000-0000-4000-8000- and n
//	epoch         seconds or milliseconds since 1970 within a day of now become 1700000000(000)
//	today         today's date, with a time of day behind it, becomes 2024-01-01 00:00
//	MATCH => AS   what a regular expression (RE2) matches becomes a text
//
// and the last also the mapping {match: MATCH, as: AS}.
//
// What uuid and epoch replaced is put back in the reply.
type Rule struct { //nolint:recvcheck // decoding changes it, and nothing else does
	name  string
	match *regexp.Regexp // nil for a rule with a name
	as    string
}

// arrow parts a regular expression from what stands for its matches.
const arrow = " => "

// named are the rules with a name.
var named = map[string]func(*normaliser, string) string{
	"uuid":  (*normaliser).uuid,
	"epoch": (*normaliser).epoch,
	"today": (*normaliser).today,
}

// UnmarshalMapping reads a rule as a config may have it too: {match: RE2, as: text}.
func (r *Rule) UnmarshalMapping(m map[string]any) (err error) {
	match, ok := m["match"].(string)
	as, ok2 := m["as"].(string)
	switch {
	case !ok || !ok2 || len(m) != 2:
		return fmt.Errorf("a rule with %s, want match and as, both texts", cmp.Or(strings.Join(slices.Sorted(maps.Keys(m)), ", "), "nothing"))
	case strings.Contains(match, arrow):
		return fmt.Errorf("match %q holds %q, which stands between match and as where a rule is a text; write its first blank as [ ]", match, arrow)
	}
	*r, err = newRule(match, as)
	return err
}

func newRule(match, as string) (Rule, error) {
	re, err := regexp.Compile(match)
	if err != nil {
		return Rule{}, err
	}
	if re.MatchString("") {
		return Rule{}, fmt.Errorf("match %q matches nothing, want an expression that matches at least a character", match)
	}
	return Rule{name: match + arrow + as, match: re, as: as}, nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (r *Rule) UnmarshalText(text []byte) (err error) {
	s := string(text)
	if _, ok := named[s]; ok {
		*r = Rule{name: s}
		return nil
	}
	match, as, ok := strings.Cut(s, arrow)
	if !ok {
		return errors.New(`want uuid, epoch, today, "MATCH => AS" or {match: MATCH, as: AS}`)
	}
	*r, err = newRule(match, as)
	return err
}

// MarshalText implements [encoding.TextMarshaler].
func (r Rule) MarshalText() ([]byte, error) { return []byte(r.name), nil }

// String returns the rule as text.
func (r Rule) String() string { return r.name }

// apply replaces what the rule names.
func (r Rule) apply(n *normaliser, text string) string {
	if replace, ok := named[r.name]; ok {
		return replace(n, text)
	}
	if r.match == nil {
		return text
	}
	return r.match.ReplaceAllStringFunc(text, func(string) string {
		n.counts[r.name]++
		return r.as
	})
}

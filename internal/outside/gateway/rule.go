package gateway

import (
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
// What uuid and epoch replaced is put back in the reply.
type Rule struct {
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

// ParseRule reads a rule as a config has it: a text, or a mapping of match and as.
func ParseRule(value any) (Rule, error) {
	var r Rule
	switch v := value.(type) {
	case string:
		return r, r.UnmarshalText([]byte(v))
	case map[string]any:
		match, ok := v["match"].(string)
		as, ok2 := v["as"].(string)
		if !ok || !ok2 || len(v) != 2 {
			return r, fmt.Errorf("a rule has the keys %s, want match and as, both texts", strings.Join(slices.Sorted(maps.Keys(v)), ", "))
		}
		return newRule(match, as)
	default:
		return r, fmt.Errorf("a rule is a %T, want a text or {match: ..., as: ...}", value)
	}
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
		return errors.New(`want uuid, epoch, today or "MATCH => AS"`)
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

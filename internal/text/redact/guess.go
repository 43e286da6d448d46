package redact

import (
	"regexp"
	"slices"
	"strings"
)

// known are the forms of keys that providers give out, and of what browsers and
// clients write beside them. The first group is the secret.
var known = []*regexp.Regexp{
	regexp.MustCompile(`(?:^|[^A-Za-z0-9])(sk-[A-Za-z0-9_-]{16,})`),
	regexp.MustCompile(`(?:^|[^A-Za-z0-9])((?:hf_|gh[pousr]_|gsk_|r8_|jina_|github_pat_|xai-|pplx-)[A-Za-z0-9_]{28,})`),
	regexp.MustCompile(`(?:^|[^A-Za-z0-9])((?:glpat-|nvapi-|xox[abprs]-)[A-Za-z0-9_-]{18,})`),
	regexp.MustCompile(`(?:^|[^A-Za-z0-9])(AIza[A-Za-z0-9_-]{30,}|AKIA[A-Z0-9]{16})`),
	regexp.MustCompile(`(?:^|[^A-Za-z0-9])(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)`),
	regexp.MustCompile(`(?i)(?:^|[^A-Za-z0-9])(?:bearer|basic) +([A-Za-z0-9._~+/-]{16,}=*)`),
	// A user and a password, and a parameter of an address.
	regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*://([^\s/?#@"'<>]+)@`),
	regexp.MustCompile(`(?i)[?&](?:key|api[-_]?key|(?:access[-_]?|auth[-_]?)?token|(?:client[-_]?)?secret|password|sig|signature|x-amz-signature|x-goog-signature)=([^&\s"'#]+)`),
}

// shortest is the length of the shortest key that is known by its form.
const shortest = 19

// Guess returns text without anything that looks like a key, or like a user, a
// password or a key in an address.
func Guess(text string) string {
	return hide(text, guess(text))
}

func guess(text string) []span {
	if len(text) < shortest && !strings.ContainsAny(text, "@?&") { // nearly all settings
		return nil
	}
	var all []span
	for _, re := range known {
		for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
			// A key has digits; what else begins like one is a word.
			if s := text[m[2]:m[3]]; strings.HasPrefix(s, "sk-") && !strings.ContainsAny(s, "0123456789") || s == Hidden {
				continue
			}
			all = append(all, span{m[2], m[3]})
		}
	}
	return joined(all)
}

// Literals returns the parts of a setting that look like a secret written out: all
// of it if it is named like one, such as api_key.
func Literals(name, value string) []string {
	if value != "" && Secret(name) {
		return []string{value}
	}
	var all []string
	for _, s := range guess(value) {
		all = append(all, value[s.from:s.to])
	}
	return all
}

// names are what settings that hold a secret are called, without signs.
var names = []string{
	"key", "apikey", "xapikey", "accesskey", "secretkey", "token", "accesstoken", "authtoken", "bearertoken",
	"secret", "clientsecret", "password", "passwd", "authorization", "credential", "credentials",
}

// Secret reports whether a setting's name says that it holds a secret.
func Secret(name string) bool {
	name = strings.NewReplacer("-", "", "_", "", ".", "", " ", "").Replace(lower(name))
	return slices.Contains(names, name)
}

// LooksLikeKey reports whether a name looks like a key that somebody wrote in place
// of the name of a variable or a file: long, only letters and digits, with
// lowercase letters among them, unlike names of variables.
func LooksLikeKey(name string) bool {
	return len(guess(name)) > 0 || plainKey.MatchString(name) && digits.MatchString(name) && strings.ContainsAny(name, "abcdefghijklmnopqrstuvwxyz")
}

var (
	plainKey = regexp.MustCompile(`^[A-Za-z0-9]{20,}$`)
	digits   = regexp.MustCompile(`[0-9].*[0-9].*[0-9]`)
)

package openai

import (
	"net/http"
	"regexp"
	"strings"

	"recallbench/internal/door/llm"
	"recallbench/internal/text/redact"
)

// public are headers whose values hold no secret, but may well hold words or
// dates that replies hold too.
var public = map[string]bool{
	"Accept": true, "Accept-Language": true, "Anthropic-Beta": true, "Anthropic-Version": true, "Content-Type": true,
	"Http-Referer": true, "Openai-Beta": true, "Referer": true, "User-Agent": true, "X-Title": true,
}

// masked is a key whose ends alone a server shows, such as sk-ab***yz.
var masked = regexp.MustCompile(`[^\s"'\x60]*\*{3,}[^\s"'\x60.]*`)

// secrets lists the key and the values of headers that may be secret.
func (c Config) secrets() []string {
	var secrets []string
	if c.Key != "" {
		secrets = append(secrets, c.Key)
	}
	for name, value := range c.Headers {
		if public[http.CanonicalHeaderKey(name)] {
			continue
		}
		// A server may echo the token without the scheme before it.
		if scheme, token, ok := strings.Cut(value, " "); ok && (strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic")) {
			value = strings.TrimSpace(token)
		}
		secrets = append(secrets, value)
	}
	return secrets
}

// cleanTokens removes secrets from tokens, also those that several tokens
// spell: the sampled ones, and the likeliest ones of each rank.
func cleanTokens(r *redact.Redactor, list []llm.Logprob) {
	ranks := 0
	for _, lp := range list {
		ranks = max(ranks, len(lp.Top))
	}
	for rank := -1; rank < ranks; rank++ {
		var at []*string
		for i := range list {
			switch {
			case rank < 0:
				at = append(at, &list[i].Token)
			case rank < len(list[i].Top):
				at = append(at, &list[i].Top[rank].Token)
			}
		}
		texts := make([]string, len(at))
		for i, p := range at {
			texts[i] = *p
		}
		for i, text := range r.Pieces(texts) {
			*at[i] = text
		}
	}
}

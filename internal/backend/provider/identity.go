package provider

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v4"

	"recallbench/internal/backend/httpfault"
	"recallbench/internal/door/annotate"
)

// provider names the server in recordings and its account.
func (s Server) provider() string { return cmp.Or(s.Provider, httpfault.Host(s.BaseURL)) }

// identity returns the part of the options that calls of some roles, embeddings and
// annotations depend on; for no roles all that replies depend on. Keys, limits, batches,
// prices and how vectors travel are left out. The chat model is in it where it serves
// one of the roles, or annotates.
func identity(options any, roles ...string) any {
	o := options.(Options)
	id := map[string]any{
		"embed":     o.Embed.plain(o.Embed, "batch_texts", "runtime"),
		"tokenizer": o.Tokenizer,
	}
	if annotated := o.Annotate.Identity(); annotated != nil {
		id["annotate"] = annotated
	}
	all := len(roles) == 0
	switch {
	case all:
		roles = o.Roles.names()
		id["nli"] = o.NLI.plain(o.NLI)
		id["nli"].(map[string]any)["dir"] = "" // runs have it
		if o.Prune.Dir != "" {
			id["prune"] = o.Prune.Dir
		}
	case o.Annotate.UsesLLM():
		roles = append(slices.Clone(roles), annotate.RoleAnnotate)
	}
	chat, others := o.Chat.identity(), make(map[string]any)
	for _, role := range roles {
		if c, ok := o.Roles[role]; ok && !reflect.DeepEqual(c.identity(), chat) {
			others[role] = c.identity()
		}
	}
	if len(others) > 0 {
		id["roles"] = others
	}
	if all || slices.ContainsFunc(roles, func(role string) bool { return others[role] == nil }) {
		id["chat"] = chat
	}
	return id
}

func (c Chat) identity() map[string]any {
	id := c.plain(c)
	id["format"] = "auto" // runs have it
	if c.Use == "openai" {
		delete(id, "use")
	}
	return id
}

// plain returns the options of a door that the server serves as plain values. It leaves
// out some keys, and those of the server, except for its name.
func (s Server) plain(options any, without ...string) map[string]any {
	data, err := yaml.Marshal(options)
	var plain map[string]any
	if err == nil {
		err = yaml.Unmarshal(data, &plain)
	}
	if err != nil {
		panic("provider: options do not encode: " + err.Error()) // they came from YAML
	}
	without = append(without, "base_url", "key", "limits", "price")
	maps.DeleteFunc(plain, func(key string, _ any) bool { return slices.Contains(without, key) })
	plain["provider"] = s.provider()
	return plain
}

package strictyaml

import (
	"slices"

	"go.yaml.in/yaml/v4"
)

// A pair is a key of a mapping with its value.
type pair struct{ key, value *yaml.Node }

const mergeTag = "!!merge"

// pairs returns the keys of a mapping as it counts: its own, then those which
// it merges from others by << and does not have. The mapping's own keys are
// all there, doubles and keys that are no text too.
func pairs(n *yaml.Node) []pair {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	var own, merged []pair
	for kv := range slices.Chunk(n.Content, 2) {
		if key, value := kv[0], kv[1]; key.ShortTag() == mergeTag {
			for _, source := range mergeSources(value) {
				merged = append(merged, pairs(source)...)
			}
		} else {
			own = append(own, pair{key, value})
		}
	}
	if len(merged) == 0 {
		return own
	}
	have := make(map[string]bool)
	for _, p := range own {
		have[follow(p.key).Value] = true
	}
	for _, p := range merged {
		if key := follow(p.key).Value; !have[key] {
			have[key] = true
			own = append(own, p)
		}
	}
	return own
}

// mergeSources returns the mappings that a merge key names: one, or a list; the first
// has precedence.
func mergeSources(n *yaml.Node) []*yaml.Node {
	n = follow(n)
	if n.Kind != yaml.SequenceNode {
		return []*yaml.Node{n}
	}
	var sources []*yaml.Node
	for _, c := range n.Content {
		sources = append(sources, follow(c))
	}
	return sources
}

// follow returns the node that an alias stands for.
func follow(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" }

// keys calls yield for each text key of a mapping with its node, the first
// where it is given twice, and records the faults of the others.
func (v Value) keys(yield func(key string, node *yaml.Node)) {
	first := make(map[string]*yaml.Node)
	for _, p := range pairs(v.node) {
		key, at := follow(p.key), v.key(p.key)
		switch before := first[key.Value]; {
		case !isText(key):
			at.Faultf("a key is %s; want text", describe(key))
		case before != nil:
			at.Faultf("key %q is given twice, first at %d:%d", shorten(key.Value), before.Line, before.Column)
		default:
			first[key.Value] = p.key
			yield(key.Value, p.key)
		}
	}
	for kv := range slices.Chunk(v.node.Content, 2) {
		if kv[0].ShortTag() != mergeTag {
			continue
		}
		for _, source := range mergeSources(kv[1]) {
			if source.Kind != yaml.MappingNode {
				v.key(kv[1]).Faultf("<< merges %s; want an alias of a mapping, such as *base, or a list of them", describe(source))
			}
		}
	}
}

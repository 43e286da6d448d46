package configs

import (
	"fmt"

	"recallbench/internal/strictyaml"
)

// Marshal writes the config as a run file with every default and option
// spelled out, in a fixed order. Parsing it gives an equal config.
func (c *Config) Marshal() ([]byte, error) {
	var without []string
	if len(c.Seeds) > 0 {
		without = append(without, "seed")
	}
	data, err := strictyaml.Encode(c, without...)
	if err != nil {
		return nil, fmt.Errorf("config %s: %w", c.Name, err)
	}
	return data, nil
}

package configs

import (
	"fmt"

	"recallbench/internal/strictyaml"
)

// Marshal writes the config as a run file with every default and option
// spelled out, in a fixed order. Parsing it gives an equal config.
func (c *Config) Marshal() ([]byte, error) {
	data, err := strictyaml.Encode(c)
	if err != nil {
		return nil, fmt.Errorf("config %s: %w", c.Name, err)
	}
	return data, nil
}

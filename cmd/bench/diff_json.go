package main

import (
	"encoding/json"
	"io"
)

// json writes a line for each pair of cells, and behind it one for each request.
// Nothing is cut.
func (d *diff) json(w io.Writer, _ bool) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, p := range d.pairs {
		if err := enc.Encode(d.head(p)); err != nil {
			return err
		}
		for _, q := range p.Pairs {
			if err := enc.Encode(d.request(p, q)); err != nil {
				return err
			}
		}
	}
	return nil
}

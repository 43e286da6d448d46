package scored

import "fmt"

// Find returns the request of a cell. It reads the cell's records.
func (r *Run) Find(cell, sample, request string) (q Request, err error) {
	for _, c := range r.Header.Cells {
		if c.ID != cell {
			continue
		}
		for q, err := range r.Requests(c) {
			if err != nil || q.Record.Sample == sample && q.Record.Request == request {
				return q, err
			}
		}
	}
	return q, fmt.Errorf("cell %.40q has no record of request %.80q of sample %.80q", cell, request, sample)
}

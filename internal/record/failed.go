package record

import "slices"

// A FailedRequest is a request without an answer, and why.
type FailedRequest struct {
	Dataset  string `json:"dataset"`
	Method   string `json:"method"`
	Model    string `json:"model"`
	Seed     uint64 `json:"seed"`
	Cell     string `json:"cell"`
	Sample   string `json:"sample"`
	Request  string `json:"request"`
	Category string `json:"category"`
	Status   Status `json:"status"`
	Attempts int    `json:"attempts"` // of the call that was tried most
	Failure
}

// Failed returns the requests of a run that failed, and how many have a record
// in all. Of a request that was asked again the last record counts.
func (f Folder) Failed(h Header) (failed []FailedRequest, requests int, err error) {
	type part struct {
		Sample, Request, Category string
		Status                    Status
		Error                     *Failure
		Attempts                  int
	}
	for _, c := range h.Cells {
		type key struct{ sample, request string }
		last := make(map[key]part)
		var order []key
		for line, err := range Parts[part](f.Records(c.ID)) {
			if err != nil {
				return nil, 0, err
			}
			k := key{line.Value.Sample, line.Value.Request}
			if _, again := last[k]; !again {
				order = append(order, k)
			}
			last[k] = line.Value
		}
		requests += len(order)
		order = slices.DeleteFunc(order, func(k key) bool { return last[k].Status == OK })
		for _, k := range order {
			p := last[k]
			r := FailedRequest{
				Dataset: c.Dataset, Method: c.Method, Model: c.Model, Seed: c.Seed, Cell: c.ID,
				Sample: p.Sample, Request: p.Request, Category: p.Category, Status: p.Status, Attempts: p.Attempts,
				Failure: Failure{Kind: "unknown", Message: "the record does not say why"},
			}
			if p.Error != nil {
				r.Failure = *p.Error
			}
			failed = append(failed, r)
		}
	}
	return failed, requests, nil
}

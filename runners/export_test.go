package runners

import "recallbench/internal/result/record"

// Header returns the header of the run as far as it is known before the run.
func (p *Plan) Header() record.Header { return p.header }

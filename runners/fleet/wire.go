package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"recallbench/internal/backend/budget"
	"recallbench/internal/door/fault"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
	"recallbench/runners"
)

// maxMessage bounds the body of a request or an answer in bytes: a record with its
// trace, a batch of vectors.
const maxMessage = 32 << 20

// sessionHeader names the session of a request.
const sessionHeader = "Bench-Session"

// The statuses of answers, beside 200. The server is starting or busy with 503.
const (
	statusWait    = http.StatusAccepted            // ask again
	statusToken   = http.StatusUnauthorized        // the token is another one
	statusUnknown = http.StatusConflict            // there is no such session: join
	statusOver    = http.StatusGone                // the run needs no more workers
	statusRefused = http.StatusUnprocessableEntity // the body is a wireFault
)

// What a request asks is its path.
const (
	opJoin    = "join"    // joinRequest → welcome
	opFile    = "file"    // fileRequest → bytes, none at the end of the file
	opLease   = "lease"   // the units that the worker has → leased
	opRenew   = "renew"   // how long ago calls were sent → nothing, after some seconds
	opDeliver = "deliver" // deliverRequest → nothing
	opEnd     = "end"     // endRequest → nothing
	opCalls   = "calls"   // as package calls has it
	opTry     = "try"     // tryRequest → tryAnswer
	opReserve = "reserve" // reserveRequest → nothing
	opSettle  = "settle"  // settleRequest → nothing
	opLeave   = "leave"   // nothing → nothing
)

// A joinRequest begins the session of a worker or, with a header, continues it.
type joinRequest struct {
	Name    string `json:"name"` // of the worker, for people
	Program string `json:"program"`
	// Header is that of the worker's plan, and Units are those under way; nil before
	// it has a plan, and until then it gets none.
	Header *record.Header `json:"header,omitempty"`
	Units  []runners.Unit `json:"units,omitempty"`
}

// A welcome is what a worker needs to lay the plan.
type welcome struct {
	Config []byte          `json:"config"` // YAML
	Header json.RawMessage `json:"header"`
	Calls  string          `json:"calls"` // mode of recordings
	// Files are those of the user that the run's datasets read.
	Files []sentFile `json:"files,omitempty"`
}

// A sentFile is a file of the user that workers may fetch.
type sentFile struct {
	Option string `json:"option"` // the path in the config
	Path   string `json:"path"`   // at the coordinator
	SHA256 string `json:"sha256"` // in hex
}

// A fileRequest asks for what a file has from an offset on.
type fileRequest struct {
	SHA256 string `json:"sha256"`
	Offset int64  `json:"offset"`
}

type leased struct {
	Unit    runners.Unit `json:"unit"`
	Pending []string     `json:"pending"` // requests to ask
}

type deliverRequest struct {
	Unit runners.Unit `json:"unit"`
	runners.Delivery
}

type endRequest struct {
	Unit  runners.Unit `json:"unit"`
	Fault *wireFault   `json:"fault,omitempty"` // nil where all is delivered
	// Left is set when the worker leaves before it has asked the unit.
	Left bool `json:"left,omitempty"`
}

// A tryRequest asks when to try a call of an account, for the first time or again.
type tryRequest struct {
	Call    string     `json:"call"` // a random name
	Account string     `json:"account"`
	Tokens  int        `json:"tokens"`
	Tried   int        `json:"tried,omitempty"`  // how often
	Result  *tryResult `json:"result,omitempty"` // of the last try
	Left    bool       `json:"left,omitempty"`   // it is tried no more
}

// A tryResult is what came of a try of a call.
type tryResult struct {
	Tokens int           `json:"tokens"`
	Fault  *wireFault    `json:"fault,omitempty"`
	Took   time.Duration `json:"took"`
}

// A tryAnswer has a worker try once within a time, where Try is set. Else the call has
// ended.
type tryAnswer struct {
	Try    bool          `json:"try,omitempty"`
	Within time.Duration `json:"within,omitempty"`
	Fault  *wireFault    `json:"fault,omitempty"`
}

type reserveRequest struct {
	Lease  uint64  `json:"lease"`
	Tokens int     `json:"tokens"`
	USD    float64 `json:"usd"`
	Wait   bool    `json:"wait,omitempty"` // for calls in flight
}

type settleRequest struct {
	Lease uint64 `json:"lease,omitempty"`
	budget.Settlement
}

// A wireFault is an error: a [fault.Error] without its cause, or a message.
type wireFault struct {
	Fault   *fault.Error `json:"fault,omitempty"`
	Message string       `json:"message,omitempty"`
	Data    bool         `json:"data,omitempty"` // is [runners.ErrData]
}

func toWire(err error) *wireFault {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		alone := *e
		alone.Err = nil
		return &wireFault{Fault: &alone}
	}
	return &wireFault{Message: err.Error(), Data: errors.Is(err, runners.ErrData)}
}

// err returns the error; nil for none.
func (f *wireFault) err() error {
	switch {
	case f == nil:
		return nil
	case f.Fault != nil:
		return f.Fault
	case f.Data:
		return dataError{f.Message}
	default:
		return errors.New(f.Message)
	}
}

// A dataError is [runners.ErrData] of another process.
type dataError struct{ message string }

func (e dataError) Error() string { return e.message }
func (dataError) Unwrap() error   { return runners.ErrData }

// errOver says that the run needs no more workers. It stops a worker, and what it
// ends leaves no record.
var errOver error = fault.New(fault.Unavailable, "the run is over")

// encode returns a value as JSON that leaves the lines in it as they are, and bytes as
// they are.
func encode(v any) ([]byte, error) {
	if data, raw := v.([]byte); raw {
		return data, nil
	}
	var b bytes.Buffer
	err := jsonout.Lines(&b, v)
	return b.Bytes(), err
}

// decode is the inverse of encode.
func decode(data []byte, v any) error {
	if raw, ok := v.(*[]byte); ok {
		*raw = data
		return nil
	}
	return json.Unmarshal(data, v)
}

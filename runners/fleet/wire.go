package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"recallbench/internal/backend/budget"
	"recallbench/internal/door/fault"
	"recallbench/internal/files/jsonout"
	"recallbench/internal/result/record"
	"recallbench/runners"
)

// maxMessage bounds a message in bytes: a record with its trace, a batch of vectors.
const maxMessage = 32 << 20

// A question is what a worker asks the coordinator.
type question struct {
	Session string          `json:"session,omitempty"` // empty to begin one
	Number  uint64          `json:"number"`            // of the question in its session
	Heard   uint64          `json:"heard"`             // the answers of all numbers below were heard
	Done    []uint64        `json:"done,omitempty"`    // and of these
	Op      op              `json:"op"`
	Body    json.RawMessage `json:"body,omitempty"`
}

// An op says what a question asks.
type op string

const (
	opHello     op = "hello"      // hello → welcome
	opJoin      op = "join"       // record.Header → nothing
	opBeat      op = "beat"       // nothing → nothing
	opBye       op = "bye"        // nothing → nothing
	opBegin     op = "begin"      // begin → begun
	opEnd       op = "end"        // end → nothing
	opDeliver   op = "deliver"    // deliver → nothing
	opOpenKept  op = "open-kept"  // runners.KeptMemory → keptParts
	opAddKept   op = "add-kept"   // addKept → nothing
	opCloseKept op = "close-kept" // runners.KeptMemory → nothing
	opCalls     op = "calls"      // as package calls has it
	opPass      op = "pass"       // pass → passed
	opTried     op = "tried"      // tried → passed
	opLeave     op = "leave"      // the number of a pass → nothing
	opReserve   op = "reserve"    // amount → the number of a lease
	opSettle    op = "settle"     // settle → nothing
)

// An answer is what the coordinator says.
type answer struct {
	Status status          `json:"status"`
	Fault  *wireFault      `json:"fault,omitempty"`
	Body   json.RawMessage `json:"body,omitempty"`
}

// A status says what became of a question.
type status string

const (
	statusOK      status = "ok"
	statusWait    status = "wait"    // ask again
	statusFailed  status = "failed"  // Fault says why
	statusUnknown status = "unknown" // there is no such session: begin one
	statusOver    status = "over"    // the run needs no workers any more
)

// A hello begins a session.
type hello struct {
	Run    string        `json:"run"`
	Token  string        `json:"token"`
	Name   string        `json:"name"` // of the worker, for people
	Binary record.Binary `json:"binary"`
	Sum    string        `json:"sum,omitempty"` // SHA-256 of the program, where Binary does not tell it
	// Units are under way, and Joined has the plan, of a session that was lost.
	Units  []runners.Unit `json:"units,omitempty"`
	Joined *record.Header `json:"joined,omitempty"`
}

// A welcome is what a worker needs to lay the plan.
type welcome struct {
	Session string          `json:"session"`
	Over    []byte          `json:"over"`   // SHA-256 of the word that ends the run
	Config  []byte          `json:"config"` // YAML
	Header  json.RawMessage `json:"header"`
	Calls   string          `json:"calls"` // mode of recordings
	// Patience is how long a worker may show no sign of life.
	Patience time.Duration `json:"patience"`
	// Files are those of the user that the run's datasets read.
	Files []sentFile `json:"files,omitempty"`
}

type begin struct {
	Unit      runners.Unit `json:"unit"`
	Delivered uint64       `json:"delivered"` // how often, this time included
}

type begun struct {
	Pending []string `json:"pending"`
	Done    bool     `json:"done,omitempty"`
}

type end struct {
	Unit  runners.Unit `json:"unit"`
	Fault *wireFault   `json:"fault,omitempty"` // nil where all is delivered
	// Left is set when the worker leaves before it has asked the unit.
	Left bool `json:"left,omitempty"`
}

type deliver struct {
	Unit runners.Unit `json:"unit"`
	runners.Delivery
}

type keptParts struct {
	Busy  bool              `json:"busy,omitempty"`
	Parts []json.RawMessage `json:"parts,omitempty"`
}

type addKept struct {
	runners.KeptMemory
	Line json.RawMessage `json:"line"`
}

// A pass asks to make a call within the limits of an account.
type pass struct {
	Account string `json:"account"`
	Tokens  int    `json:"tokens"`
}

// A passed says what to do: try once within a time, or end with what came of the
// last try.
type passed struct {
	Try      bool          `json:"try,omitempty"`
	Within   time.Duration `json:"within,omitempty"`
	Attempts int           `json:"attempts,omitempty"`
}

// A tried says what came of a try of a pass.
type tried struct {
	Pass   uint64     `json:"pass"` // its number
	Tokens int        `json:"tokens"`
	Fault  *wireFault `json:"fault,omitempty"`
	// Took is how long the try took.
	Took time.Duration `json:"took"`
}

type amount struct {
	Tokens int     `json:"tokens"`
	USD    float64 `json:"usd"`
	Now    bool    `json:"now,omitempty"` // do not wait for calls in flight
}

type settle struct {
	Lease uint64 `json:"lease"`
	budget.Settlement
}

// A wireFault is an error: a [fault.Error], or where Kind is empty any other.
type wireFault struct {
	Kind       fault.Kind    `json:"kind,omitempty"`
	HTTP       int           `json:"http,omitempty"`
	Code       string        `json:"code,omitempty"`
	Message    string        `json:"message"`
	Remedy     string        `json:"remedy,omitempty"`
	RetryAfter time.Duration `json:"retry_after,omitempty"`
	Attempts   int           `json:"attempts,omitempty"`
	Data       bool          `json:"data,omitempty"` // is [runners.ErrData]
}

func toWire(err error) *wireFault {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*fault.Error](err); ok {
		return &wireFault{e.Kind, e.Status, e.Code, e.Message, e.Remedy, e.RetryAfter, e.Attempts, false}
	}
	return &wireFault{Message: err.Error(), Data: errors.Is(err, runners.ErrData)}
}

// err returns the error; nil for none.
func (f *wireFault) err() error {
	switch {
	case f == nil:
		return nil
	case f.Kind != "":
		return &fault.Error{Kind: f.Kind, Status: f.HTTP, Code: f.Code, Message: f.Message, Remedy: f.Remedy, RetryAfter: f.RetryAfter, Attempts: f.Attempts}
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

// encode returns a value as JSON that leaves the lines in it as they are.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := jsonout.Lines(&b, v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

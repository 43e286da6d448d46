package gateway

import (
	"errors"
	"io"
	"net/http"
	"sync"

	"recallbench/internal/door/fault"
)

// maxBody bounds the body of a request, in bytes.
const maxBody = 64 << 20

// An exchange is a request of a memory and its reply.
type exchange struct {
	memory *Memory
	w      http.ResponseWriter
	r      *http.Request
}

// answer reads the body, and has it answered in the phase that it belongs to.
func (x *exchange) answer(by func(p *Phase, leave func(), body []byte) error) {
	body, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, maxBody))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			x.fail(http.StatusRequestEntityTooLarge, "too_large", "the body has more than 64 MiB")
		}
		return // the caller is gone
	}
	p, leave, err := x.memory.enter()
	if err != nil {
		problemOf(err).send(x.w)
		return
	}
	leave = sync.OnceFunc(leave)
	defer leave()
	if err := by(p, leave, body); err != nil && !errors.Is(err, errGone) {
		problemOf(err).send(x.w)
	}
}

// fail refuses a request that reaches no door, which its phase is to know of all the
// same.
func (x *exchange) fail(status int, code, message string) {
	err := &fault.Error{Kind: fault.Rejected, Status: status, Code: code, Message: message}
	if p, leave, gone := x.memory.enter(); gone == nil {
		p.judge(err)
		leave()
	}
	problemOf(err).send(x.w)
}

// again reports whether the caller's client says that it tries a request again.
func (x *exchange) again() bool {
	n := x.r.Header.Get("X-Stainless-Retry-Count")
	return n != "" && n != "0"
}

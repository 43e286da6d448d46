package httpfault

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter returns how long a server asks to wait: retry-after-ms in
// milliseconds, else Retry-After in seconds or as a date. A date is read
// against the Date of the same reply, so that a clock which is not ours does
// no harm, and against our clock where there is none. It is 0 when the server
// says nothing, nothing that can be read, or a time that is over.
func RetryAfter(header http.Header) time.Duration {
	if wait, ok := number(header.Get("Retry-After-Ms"), time.Millisecond); ok {
		return wait
	}
	text := strings.TrimSpace(header.Get("Retry-After"))
	if wait, ok := number(text, time.Second); ok {
		return wait
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return max(0, until.Sub(now))
}

// number reads a number of units that is not negative. What a duration cannot
// hold is its largest value.
func number(text string, unit time.Duration) (time.Duration, bool) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(x) || x < 0 {
		return 0, false
	}
	if x >= float64(math.MaxInt64)/float64(unit) {
		return math.MaxInt64, true
	}
	return time.Duration(x * float64(unit)), true
}

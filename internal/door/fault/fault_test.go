package fault

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestError(t *testing.T) {
	for _, tt := range []struct {
		err  *Error
		want string
	}{
		{New(Timeout, "no reply in %s", "5s"), "timeout: no reply in 5s"},
		{&Error{Kind: RateLimit, Status: 429, Message: "slow down", Attempts: 3}, "rate-limit (HTTP 429): slow down; tried 3 times"},
		{&Error{Kind: Auth, Status: 401, Message: "no such key", Remedy: "check the key", Attempts: 2}, "auth (HTTP 401): no such key; check the key; tried 2 times"},
		{&Error{Kind: Connection, Err: io.ErrUnexpectedEOF, Attempts: 1}, "connection"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestKinds(t *testing.T) {
	for kind, want := range map[Kind][2]bool{
		RateLimit: {true, false}, Server: {true, false}, Timeout: {true, false}, Connection: {true, false}, BadReply: {true, false},
		Rejected: {}, Refused: {}, Empty: {}, TooLong: {}, Schema: {}, Limit: {},
		Auth: {false, true}, NoModel: {false, true}, Quota: {false, true}, Unavailable: {false, true}, Budget: {false, true}, Miss: {false, true},
	} {
		if got := [2]bool{kind.Passes(), kind.Stops()}; got != want {
			t.Errorf("%s: passes and stops are %v, want %v", kind, got, want)
		}
	}
}

func TestKindOf(t *testing.T) {
	wrapped := fmt.Errorf("reader: %w", &Error{Kind: Miss, Err: io.EOF})
	if got := KindOf(wrapped); got != Miss || !errors.Is(wrapped, io.EOF) {
		t.Errorf("kind %q, want %q with its cause", got, Miss)
	}
	if got := KindOf(io.EOF); got != "" {
		t.Errorf("kind of another error is %q", got)
	}
}

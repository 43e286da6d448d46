package limit

import (
	"strings"
	"testing"
	"time"

	"recallbench/internal/testkit/try"
)

func TestAccount(t *testing.T) {
	r := NewRegistry()
	first, err := r.Account("openai", Defaults())
	try.Do(t, err)
	if again, err := r.Account("openai", Defaults()); err != nil || again != first {
		t.Errorf("account %p, %v; want the same %p", again, err, first)
	}
	if other, err := r.Account("gemini", Defaults()); err != nil || other == first {
		t.Errorf("account %p, %v; want another one than %p", other, err, first)
	}
	s := Defaults()
	s.Max, s.Attempt = 8, time.Minute
	_, err = r.Account("openai", s)
	if err == nil || !strings.Contains(err.Error(), "Max:8") || !strings.Contains(err.Error(), "Max:256") {
		t.Errorf("error %v does not say both", err)
	}
	_, err = r.Account("local", Settings{RPM: -2, TPM: -3, Attempt: -time.Second, Retries: -1})
	if want := `account "local": max is 0, want at least 1
rpm is -2, want at least 0
tpm is -3, want at least 0
attempt is -1s, want more than 0
total is 0s, want more than 0
retries is -1, want at least 0`; err == nil || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
}

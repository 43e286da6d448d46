package limit

import (
	"strings"
	"testing"
	"time"

	"recallbench/internal/testkit/try"
)

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Settings)
		want   string
	}{
		{"defaults", func(*Settings) {}, ""},
		{"all", func(s *Settings) { *s = Settings{RPM: -2, TPM: -3, Attempt: -time.Second, Retries: -1} }, "" +
			"max is 0, want at least 1\nrpm is -2, want at least 0\ntpm is -3, want at least 0\n" +
			"attempt is -1s, want more than 0\ntotal is 0s, want more than 0\nretries is -1, want at least 0"},
	} {
		s := Defaults()
		tt.change(&s)
		got := ""
		if err := s.Validate(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

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
	_, err = r.Account("local", Settings{Max: 1, Attempt: 1, Total: 1, Retries: -1})
	if want := `account "local": retries is -1, want at least 0`; err == nil || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
}

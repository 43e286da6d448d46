package limit

import (
	"strings"
	"testing"
	"testing/synctest"
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

func TestHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRegistry()
		s := Defaults()
		s.Max = 8
		a, err := r.Account("a", s)
		try.Do(t, err)
		start := time.Now()
		time.Sleep(time.Second)
		if _, err := r.Account("b", s); err != nil {
			t.Fatal(err)
		}
		drive(t, a, 8, 40, (&server{capacity: 3, latency: time.Second, refusal: time.Second / 2}).call)
		want := []Change{{start, "a", 8, "start"}, {start.Add(time.Second), "b", 8, "start"}, {start.Add(3 * time.Second / 2), "a", 3, "429"}}
		try.Equal(t, "history", want, r.History()[:3])
	})
}

// A long history keeps its start and its end.
func TestHistoryIsBounded(t *testing.T) {
	a := account(t, nil)
	for i := range 1000 {
		a.adaptive.limit = i
		a.changed("growth")
	}
	if list := a.history; len(list) != 2*kept || list[kept-1].Limit != kept-2 || list[kept].Limit != 1000-kept || list[2*kept-1].Limit != 999 {
		t.Errorf("%d changes, around the gap %v", len(list), list[kept-1:kept+1])
	}
}

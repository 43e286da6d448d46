package limit

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/door/fault"
)

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Settings)
		want   string
	}{
		{"defaults", func(*Settings) {}, ""},
		{"start at max", func(s *Settings) { s.Start = s.Max }, ""},
		{"start", func(s *Settings) { s.Start = 257 }, "start is 257, want at most max, 256"},
		{"all", func(s *Settings) { *s = Settings{Start: -1, RPM: -2, TPM: -3, Attempt: -time.Second, Retries: -1} }, "" +
			"start is -1, want at least 0\nmax is 0, want at least 1\nrpm is -2, want at least 0\ntpm is -3, want at least 0\n" +
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
	if err != nil {
		t.Fatal(err)
	}
	if again, err := r.Account("openai", Defaults()); err != nil || again != first {
		t.Errorf("account %p, %v; want the same %p", again, err, first)
	}
	if other, err := r.Account("gemini", Defaults()); err != nil || other == first {
		t.Errorf("account %p, %v; want another one than %p", other, err, first)
	}
	s := Defaults()
	s.Max, s.Attempt = 8, time.Minute
	_, err = r.Account("openai", s)
	if want := `account "openai": max is 8, not 256, attempt is 1m0s, not 2m0s as where it is first used; models of one account share its limits`; err == nil || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
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
		s.Max, s.Start = 8, 2
		a, err := r.Account("a", s)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		time.Sleep(time.Second)
		if _, err := r.Account("b", s); err != nil {
			t.Fatal(err)
		}
		drive(t, a, 8, 40, (&server{capacity: 8, latency: time.Second}).call)
		want := []Change{
			{start, "a", 2, "start"},
			{start.Add(time.Second), "b", 2, "start"},
			{start.Add(2 * time.Second), "a", 4, "slow start"},
			{start.Add(3 * time.Second), "a", 8, "slow start"},
		}
		if diff := cmp.Diff(want, r.History()); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
	})
}

// A long history keeps its start and its end.
func TestHistoryIsBounded(t *testing.T) {
	var h history
	for i := range 1000 {
		h.add(Change{Limit: i, Reason: reasonGrowth})
	}
	list := h.list()
	if len(list) != 2*kept || list[kept-1].Limit != kept-1 || list[kept].Limit != 1000-kept || list[2*kept-1].Limit != 999 {
		t.Errorf("%d changes, around the gap %v", len(list), list[kept-1:kept+1])
	}
	if got, want := list[kept].Reason, "growth (744 changes before it are left out)"; got != want {
		t.Errorf("reason %q, want %q", got, want)
	}
	if h.last[0].Reason != reasonGrowth {
		t.Error("listing changed the history")
	}
}

func TestOutcome(t *testing.T) {
	for kind, want := range map[fault.Kind]outcome{
		"": aborted, fault.RateLimit: refused, fault.Server: faulty, fault.BadReply: faulty, fault.Rejected: answered, fault.Auth: answered,
	} {
		if got := outcomeOf(fault.New(kind, "")); got != want {
			t.Errorf("%s: %d, want %d", kind, got, want)
		}
	}
}

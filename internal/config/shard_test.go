package config

import "testing"

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{
		"1/1": {1, 1}, "2/4": {2, 4}, "4/4": {4, 4}, "17/2000": {17, 2000},
	} {
		got, err := ParseShard(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("ParseShard(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "/", "2", "2/", "/4", "0/4", "5/4", "-1/4", "+1/4", "1/0", "0/0", "1/4/4", " 1/4", "1 / 4", "a/b", "1/99999999999"} {
		if got, err := ParseShard(text); err == nil {
			t.Errorf("ParseShard(%q) = %v, want an error", text, got)
		}
	}
	if s := (Shard{}).String(); s != "" {
		t.Errorf("the whole run is %q, want nothing", s)
	}
}

package config

import "testing"

func TestShard(t *testing.T) {
	for text, want := range map[string]Shard{
		"1/1": {1, 1}, "2/4": {2, 4}, "4/4": {4, 4}, "17/2000": {17, 2000},
	} {
		var got Shard
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want || got.String() != text {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "/", "2", "2/", "/4", "0/4", "5/4", "-1/4", "+1/4", "1/0", "0/0", "1/4/4", " 1/4", "1 / 4", "a/b", "1/99999999999"} {
		if err := new(Shard).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is a shard", text)
		}
	}
	if s := (Shard{}).String(); s != "" {
		t.Errorf("the whole run is %q, want nothing", s)
	}
}

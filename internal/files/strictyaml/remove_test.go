package strictyaml

import "testing"

func TestRemove(t *testing.T) {
	type doc struct {
		A int `yaml:"a,omitempty"`
		B int `yaml:"b,omitempty"`
		C int `yaml:"c,omitempty"`
	}
	for _, test := range []struct {
		data, key string
		want      doc
	}{
		{"{a: 1, b: 2, c: 3}", "b", doc{A: 1, C: 3}},
		{"{a: 1}", "a", doc{}},
		{"{a: 1}", "b", doc{A: 1}},
	} {
		d, err := Parse("x.yaml", []byte(test.data))
		if err != nil {
			t.Fatal(err)
		}
		d.Root().At("a").Exists() // what was looked up before is not remembered
		d.Remove(test.key)
		var got doc
		d.Root().Decode(&got)
		if got != test.want {
			t.Errorf("%s without %s is %+v, want %+v", test.data, test.key, got, test.want)
		}
	}
	list, err := Parse("x.yaml", []byte("[a, b]"))
	if err != nil {
		t.Fatal(err)
	}
	list.Remove("a")
	if list.Root().IsMapping() || list.Err() != nil {
		t.Errorf("a list loses an entry: %v", list.Err())
	}
}

func TestEncodeWithout(t *testing.T) {
	type inner struct {
		Seed int `yaml:"seed"`
	}
	v := struct {
		Seed  int   `yaml:"seed"`
		Inner inner `yaml:"inner"`
	}{1, inner{2}}
	for _, test := range []struct {
		without []string
		want    string
	}{
		{nil, "seed: 1\ninner: {seed: 2}\n"},
		{[]string{"seed"}, "inner: {seed: 2}\n"},
		{[]string{"inner", "other"}, "{seed: 1}\n"},
	} {
		got, err := Encode(v, test.without...)
		if err != nil || string(got) != test.want {
			t.Errorf("without %q: %q, %v; want %q", test.without, got, err, test.want)
		}
	}
}

package config

import (
	"os"
	"path/filepath"
	"testing"

	"recallbench/internal/testkit/try"
)

// An entry of models may be a file of its own.
func TestIncludeModels(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		try.Do(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	t.Chdir(dir)
	write("small.yaml", "use: stand-in\nlabel: small\n")
	wrong := write("wrong.yaml", "# an entry\nuse: stand-in\noptons: {}\n")
	write("broken.yaml", "use: [\n")
	for _, tt := range []struct {
		name   string
		models string
		set    []string
		want   []string // labels
		fault  string
	}{
		{"named", "[small.yaml, {use: stand-in}]", nil, []string{"small", "stand-in"}, ""},
		{"changed after it is read", "[small.yaml]", []string{"models.small.label=other"}, []string{"other"}, ""},
		{"set", "[{use: stand-in}]", []string{"models=[small.yaml]", "models.small.label=other"}, []string{"other"}, ""},
		{"absolute", "[" + wrong + "]", nil, nil, wrong + ":3:1: models[0]: unknown key \"optons\"; did you mean \"options\"? have use, label, options, optional, variant_of, errata, answer_key, key_options"},
		{"relative", "[wrong.yaml]", nil, nil, "wrong.yaml:3:1: models[0]: unknown key \"optons\"; did you mean \"options\"? have use, label, options, optional, variant_of, errata, answer_key, key_options"},
		{"missing", "[none.yaml]", nil, nil, "x.yaml:3:10: models[0]: there is no file none.yaml; want a model entry, such as configs/models/openai.yaml"},
		{"broken", "[small.yaml, broken.yaml]", nil, nil, "broken.yaml:2:1: syntax: did not find expected node content while parsing a flow node that begins at 2:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse("x.yaml", []byte(minimal+"models: "+tt.models+"\n"), fakes(), tt.set...)
			if tt.fault != "" {
				if err == nil || err.Error() != tt.fault {
					t.Fatalf("got  %v\nwant %s", err, tt.fault)
				}
				return
			}
			try.Do(t, err)
			var labels []string
			for _, m := range c.Models {
				labels = append(labels, m.Label)
			}
			try.Equal(t, "", tt.want, labels)
		})
	}
}

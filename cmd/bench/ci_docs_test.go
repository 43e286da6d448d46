package main

import (
	"errors"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"recallbench/internal/files/strictyaml"
	"recallbench/internal/publish/gate"
	"recallbench/internal/testkit/golden"
)

const ciManual = "../../docs/ci.md"

// TestCIManual has the parts of docs/ci.md that the program can write.
func TestCIManual(t *testing.T) {
	text := read(t, ciManual)
	var b strings.Builder
	ids := strings.NewReplacer("altered (altered)", "run (5e6f7a8b)", "RUNID", "1a2b3c4d", "the first | of them", "release 1")
	b.WriteString("```\n$ bench gate run --baseline main --unit request\n" + ids.Replace(read(t, "testdata/gate.txt")) + "```\n")
	text = part(t, text, "gate", b.String())
	b.Reset()
	what := map[gate.Attribute]string{
		gate.Data: "hash of the dataset", gate.Settings: "options of the dataset",
		gate.Key: "answer key and its [errata](data.md), for columns that use gold answers", gate.Questions: "number of questions",
		gate.Reader: "model that answers", gate.Embedder: "model that makes vectors", gate.K: "the method's option",
		gate.Tokenizer: "for columns about tokens", gate.Judge: "for columns of verdicts",
	}
	for _, a := range gate.Attributes() {
		b.WriteString("- `" + string(a) + "`: " + what[a] + "\n")
	}
	text = part(t, text, "attributes", "\n"+b.String()+"\n")
	golden.Check(t, filepath.Join("..", ciManual), text)

	for _, of := range []any{gate.Rules{}, gate.Rule{}} {
		for _, f := range strictyaml.Fields(reflect.TypeOf(of)) {
			if !strings.Contains(text, "`"+f.Key+"`") {
				t.Errorf("%s does not have the key %s", ciManual, f.Key)
			}
		}
	}
}

// The YAML of docs/ci.md can be read, and rules in it are rules.
func TestCIManualYAML(t *testing.T) {
	kinds := make(map[string]int)
	for _, block := range blocks(t, "yaml") {
		var doc map[string]any
		if err := yaml.Unmarshal([]byte(block), &doc); err != nil {
			t.Errorf("%v in\n%s", err, block)
		}
		switch {
		case doc["rules"] != nil:
			kinds["rules"]++
			if _, err := gate.Parse("gate.yaml", []byte(block)); err != nil {
				t.Error(err)
			}
		case doc["jobs"] != nil:
			kinds["github"]++
		case doc["steps"] != nil:
			kinds["action"]++
		default:
			kinds["gitlab"]++
		}
	}
	if kinds["rules"] != 1 || kinds["github"] != 1 || kinds["action"] != 1 || kinds["gitlab"] != 1 {
		t.Errorf("the page has %v", kinds)
	}
}

// blocks returns the fenced blocks of docs/ci.md in a language.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	var all []string
	for _, block := range strings.Split(read(t, ciManual), "```"+language+"\n")[1:] {
		block, _, _ = strings.Cut(block, "```\n")
		all = append(all, block)
	}
	return all
}

// called matches a command line of this program.
var called = regexp.MustCompile(`(?m)(?:^|run: |- )(?:\./)?bench ([a-z].*)$`)

// The commands of docs/ci.md are verbs of this program, with the flags that they are
// given and as many arguments as they take.
func TestCIManualCommands(t *testing.T) {
	n := 0
	for _, block := range append(blocks(t, "yaml"), blocks(t, "sh")...) {
		for _, m := range called.FindAllStringSubmatch(block, -1) {
			n++
			args := strings.Fields(strings.ReplaceAll(quotedText.ReplaceAllString(m[1], "text"), "${{ matrix.shard }}", "1"))
			if err := takes(newRootCommand(&app{}), args); err != nil {
				t.Errorf("bench %s: %v", m[1], err)
			}
		}
	}
	if n < 10 {
		t.Errorf("the page has %d commands, want at least 10", n)
	}
	for _, args := range [][]string{{"gate", "run", "--basline", "x"}, {"gaet", "run"}, {"gate", "a", "b"}} {
		if takes(newRootCommand(&app{}), args) == nil {
			t.Errorf("bench %q passes for a command", args)
		}
	}
}

var quotedText = regexp.MustCompile(`"[^"]*"`)

// takes reports what keeps a command from being begun.
func takes(root *cobra.Command, args []string) error {
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if !cmd.Runnable() || cmd == root {
		return errors.New("no such verb")
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/config/suite"
	"recallbench/methods"
)

// starters maps names to the models that init can write into a run file.
var starters = map[string]string{
	"stand-in": `models: [{use: stand-in}]   # no language model: shows that the pipeline works; scores say nothing about methods
`,
	"openai": `models:
  - use: live
    label: gpt-4.1-mini
    options:
      chat: {base_url: "https://api.openai.com/v1", key: {env: OPENAI_API_KEY}, model: gpt-4.1-mini}
      embed: {use: openai, base_url: "https://api.openai.com/v1", key: {env: OPENAI_API_KEY}, model: text-embedding-3-small}
budget: {usd: 5}   # the run stops before it costs more
`,
	"ollama": `models:
  - use: live
    label: qwen3-8b
    options:
      chat: {base_url: "http://localhost:11434/v1", provider: ollama, model: "qwen3:8b", reasoning_effort: none, completions: false, price: {input: 0, output: 0}}
      embed: {use: openai, base_url: "http://localhost:11434/v1", provider: ollama, model: nomic-embed-text, price: {input: 0, output: 0}}
`,
}

// starterNames are the names of starters in the order in which they are offered.
var starterNames = []string{"stand-in", "openai", "ollama"}

// initAnswers are what a new run file says.
type initAnswers struct{ data, methods, model string }

func newInitCommand(a *app) *cobra.Command {
	answers := initAnswers{"sample", "grep,flat-rag,in-context", "stand-in"}
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a run file, from three questions or from flags",
		Long: `Init writes a complete run file, run.yaml by default. In a terminal it asks for the
data, the methods and the model, unless flags give them; elsewhere it uses the flags and
their defaults. It never replaces a file.`,
		Example: `  bench init
  bench init mine.yaml --data chat.jsonl --methods grep,flat-rag,xmemory --model openai`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := append(args, "run.yaml")[0]
			if _, err := os.Lstat(file); err == nil {
				return usageError(fmt.Errorf("%s exists; choose a new file", file))
			}
			if f, ok := a.stdin.(*os.File); ok && terminal(f) && cmd.Flags().NFlag() == 0 {
				if err := answers.ask(cmd.Flags(), a.stdin, a.stdout); err != nil {
					return err
				}
			}
			text, err := answers.runFile(filepath.Dir(file))
			if err != nil {
				return usageError(err)
			}
			if err := a.writeOut(file, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
				return err
			}
			if _, err := loadConfig(file); err != nil {
				return usageError(errors.Join(err, os.Remove(file)))
			}
			return a.say("wrote %[1]s\n\nbench doctor %[1]s  checks the data, the model and the methods\nbench run %[1]s     asks the questions, scores the answers and prints the results", file)
		},
	}
	cmd.Flags().StringVar(&answers.data, "data", answers.data, "`name` of a dataset (bench list datasets), or a file of your own questions in JSON Lines")
	cmd.Flags().StringVar(&answers.methods, "methods", answers.methods, "`names` of methods (bench list methods), separated by commas")
	cmd.Flags().StringVar(&answers.model, "model", answers.model, "`model`: "+strings.Join(starterNames, ", ")+", or the file of a model entry")
	return cmd
}

// ask reads the answers from a person, prompting with the usage of each flag; an empty
// line takes the default.
func (*initAnswers) ask(flags *pflag.FlagSet, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	for _, name := range []string{"data", "methods", "model"} {
		f := flags.Lookup(name)
		_, usage := pflag.UnquoteUsage(f)
		_, _ = fmt.Fprintf(out, "%s: %s [%s]: ", name, usage, f.DefValue)
		if !lines.Scan() {
			return errors.Join(lines.Err(), errors.New("the input ended before all questions were answered; nothing is written"))
		}
		if said := strings.TrimSpace(lines.Text()); said != "" {
			if err := f.Value.Set(said); err != nil {
				return err
			}
		}
	}
	return nil
}

// runFile returns the text of the run file in a folder, and all faults of the answers.
func (i *initAnswers) runFile(folder string) (string, error) {
	plugins := suite.Plugins()
	sets := lists.Map(plugins.Datasets, func(d *datasets.Spec) string { return d.Name })
	known := lists.Map(plugins.Methods, func(m *methods.Spec) string { return m.Name })
	var faults []error
	data := "{use: " + i.data + "}"
	if path, err := fromFolder(folder, i.data, "your own questions in JSON Lines (docs/data.md)"); path != "" {
		faults, data = append(faults, err), fmt.Sprintf("{use: jsonl, options: {files: [%q]}}", path)
	} else {
		faults = append(faults, oneOf("--data", i.data, sets))
	}
	var entries []string
	for name := range strings.SplitSeq(i.methods, ",") {
		name = strings.TrimSpace(name)
		faults = append(faults, oneOf("--methods", name, known))
		entries = lists.AddNew(entries, "  - {use: "+name+"}\n")
	}
	model := starters[i.model]
	if path, err := fromFolder(folder, i.model, "a model entry, such as configs/models/openai.yaml"); path != "" {
		faults, model = append(faults, err), fmt.Sprintf("models: [%q]\n", path)
	} else {
		faults = append(faults, oneOf("--model", i.model, starterNames))
	}
	return "# A run file for 'bench run'. 'bench list' prints what can be named here, and 'bench list\n" +
		"# methods NAME' the options of a method.\n" +
		"seed: 1\ndatasets: [" + data + "]\nmethods:\n" + strings.Join(entries, "") + model, errors.Join(faults...)
}

// fromFolder returns a path relative to the folder of a run file, and an error if it is
// not a file with the wanted content; empty if text is a name and not a path.
func fromFolder(folder, path, wanted string) (string, error) {
	if !strings.ContainsAny(path, `./\`) {
		return "", nil
	}
	fault := checkInput(path, wanted)
	if filepath.IsAbs(path) {
		return path, fault
	}
	from, err := filepath.Abs(folder)
	to, err2 := filepath.Abs(path)
	rel, err3 := filepath.Rel(from, to)
	return filepath.ToSlash(rel), errors.Join(fault, err, err2, err3)
}

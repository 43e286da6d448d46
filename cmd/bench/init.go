package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/config/suite"
	"recallbench/internal/text/suggest"
)

// starters are the models that init can write into a run file, by name.
var starters = map[string]string{
	"stand-in": `models: [{use: stand-in}]   # no language model: says that the pipeline runs, and nothing about methods
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
type initAnswers struct {
	data    string
	methods []string
	model   string
}

func newInitCommand(a *app) *cobra.Command {
	answers := initAnswers{data: "sample", methods: []string{"grep", "flat-rag", "in-context"}, model: "stand-in"}
	cmd := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a run file from three questions or flags",
		Long: `Init writes a run file, run.yaml by default, that 'bench run' takes as it is. In a
terminal it asks for the data, the methods and the model, unless flags say them;
elsewhere it takes what the flags and their defaults say. It replaces no file.`,
		Example: `  bench init
  bench init mine.yaml --data chat.jsonl --methods grep,flat-rag,xmemory --model openai`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := "run.yaml"
			if len(args) > 0 {
				file = args[0]
			}
			if _, err := os.Lstat(file); err == nil {
				return usageError(fmt.Errorf("%s exists; want the name of a new file", file))
			}
			if f, ok := a.stdin.(*os.File); ok && terminal(f) && cmd.Flags().NFlag() == 0 {
				if err := answers.ask(a.stdin, a.stdout); err != nil {
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
			_, err = fmt.Fprintf(a.stdout, "wrote %[1]s\n\nbench doctor %[1]s  checks the data, the model and the methods\nbench run %[1]s     asks, scores and prints what it found\n", file)
			return err
		},
	}
	cmd.Flags().StringVar(&answers.data, "data", answers.data, "`name` of a dataset (bench list datasets), or a file of your own questions in JSON lines")
	cmd.Flags().StringSliceVar(&answers.methods, "methods", answers.methods, "`names` of methods (bench list methods), separated by commas")
	cmd.Flags().StringVar(&answers.model, "model", answers.model, "`model`: "+strings.Join(starterNames, ", ")+", or the file of a models entry")
	return cmd
}

// ask reads the answers from a person; an empty line takes the default.
func (i *initAnswers) ask(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	methods := strings.Join(i.methods, ",")
	for _, q := range []struct {
		question string
		answer   *string
	}{
		{"Data: the name of a dataset, or a file of your own questions in JSON lines", &i.data},
		{"Methods, separated by commas", &methods},
		{"Model: " + strings.Join(starterNames, ", ") + ", or the file of a models entry", &i.model},
	} {
		if _, err := fmt.Fprintf(out, "%s [%s]: ", q.question, *q.answer); err != nil {
			return err
		}
		if !lines.Scan() {
			return errors.Join(lines.Err(), errors.New("the input ended before all questions were answered; nothing is written"))
		}
		if said := strings.TrimSpace(lines.Text()); said != "" {
			*q.answer = said
		}
	}
	i.methods = strings.Split(methods, ",")
	return nil
}

// runFile returns the text of the run file in a folder; all faults of the answers at once.
func (i *initAnswers) runFile(folder string) (string, error) {
	plugins := suite.Plugins()
	var faults []error
	data := "{use: " + i.data + "}"
	var datasets []string
	for _, d := range plugins.Datasets {
		datasets = append(datasets, d.Name)
	}
	switch {
	case slices.Contains(datasets, i.data):
	case strings.ContainsAny(i.data, `./\`):
		path, err := fromFolder(folder, i.data)
		faults = append(faults, checkInput(i.data, "questions of your own in JSON lines (docs/data.md)"), err)
		data = fmt.Sprintf("{use: jsonl, options: {files: [%q]}}", path)
	default:
		faults = append(faults, fmt.Errorf("--data: %s, or a file such as chat.jsonl", suggest.Unknown("dataset", i.data, datasets)))
	}
	var known, methods []string
	for _, m := range plugins.Methods {
		known = append(known, m.Name)
	}
	for _, name := range i.methods {
		name = strings.TrimSpace(name)
		if !slices.Contains(known, name) {
			faults = append(faults, fmt.Errorf("--methods: %s", suggest.Unknown("method", name, known)))
		}
		methods = append(methods, "  - {use: "+name+"}\n")
	}
	model, ok := starters[i.model]
	if !ok && strings.ContainsAny(i.model, `./\`) {
		path, err := fromFolder(folder, i.model)
		faults = append(faults, checkInput(i.model, "a models entry, such as configs/models/openai.yaml"), err)
		model = fmt.Sprintf("models: [%q]\n", path)
	} else if !ok {
		faults = append(faults, fmt.Errorf("--model: %s, or the file of a models entry", suggest.Unknown("model", i.model, starterNames)))
	}
	return "# A run of 'bench run'. 'bench list datasets', 'bench list methods' and 'bench list\n" +
		"# metrics' say what can stand here, 'bench list methods NAME' which options a method has.\n" +
		"seed: 1\ndatasets: [" + data + "]\nmethods:\n" + strings.Join(lists.Distinct(methods, func(s string) string { return s }), "") + model, errors.Join(faults...)
}

// fromFolder returns a path as a run file in a folder names it.
func fromFolder(folder, path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	from, err := filepath.Abs(folder)
	to, fault := filepath.Abs(path)
	if err = errors.Join(err, fault); err != nil {
		return "", err
	}
	rel, err := filepath.Rel(from, to)
	return filepath.ToSlash(rel), err
}

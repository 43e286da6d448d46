package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/calc/lists"
	"recallbench/internal/result/judge"
	"recallbench/internal/result/record"
	"recallbench/internal/result/scored"
	"recallbench/metrics"
	"recallbench/runners"
)

func newJudgeProbeCommand(a *app) *cobra.Command {
	var flags importFlags
	cmd := &cobra.Command{
		Use:   "probe --dataset NAME --out DIR",
		Short: "Build a run of answers known to be right or wrong",
		Long: `Probe makes a run folder of made-up answers to the questions of a dataset: the row
right-gold has the gold answers, wrong-other the gold answers to other questions. The
share of each row that a judge accepts shows how it errs:

` + strings.Join(lists.Map(judge.Probes(), func(p judge.Probe) string { return fmt.Sprintf("  %-14s  %s", p.Name, p.Doc) }), "\n") + `

'bench judge' judges the run like any other, and 'bench judge calibrate --wrong wrong-*'
prints the share of wrong answers that were accepted. The difference between wrong-injected
and wrong-other is the effect of an instruction in the answer.`,
		Example: `  bench judge probe --dataset locomo --out probes
  bench judge probes --model configs/models/openai.yaml --judge strict --sample '*=700'
  bench judge calibrate probes --wrong 'wrong-*'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if flags.dataset == "" || flags.out == "" {
				return usageError(errors.New("give the dataset and the folder of the run, as in --dataset locomo --out probes"))
			}
			return a.writeProbes(cmd.Context(), flags)
		},
	}
	cmd.Flags().StringVar(&flags.dataset, "dataset", "", "`name` of the dataset whose questions are answered")
	cmd.Flags().StringVar(&flags.options, "options", "", "options of the dataset as `YAML` (default: the dataset's)")
	dataFlag(cmd, &flags.data)
	cmd.Flags().StringVar(&flags.out, "out", "", "run `folder` to make")
	return cmd
}

func (a *app) writeProbes(ctx context.Context, flags importFlags) error {
	into, err := a.openImport(ctx, flags)
	if err != nil {
		return err
	}
	defer into.Close()
	golds, err := into.Golds()
	if err != nil {
		return err
	}
	var cells []runners.ImportedCell
	for _, p := range judge.Probes() {
		answers := p.Answers(golds)
		c := runners.ImportedCell{Label: p.Name, Answers: make([]*scored.Request, len(golds))}
		n := 0
		for i, text := range answers {
			if text != nil {
				c.Answers[i] = &scored.Request{Record: record.Record{Answer: *text, Status: record.OK, Attempts: 1}}
				n++
			}
		}
		if n == 0 {
			continue
		}
		data, err := json.Marshal(answers)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(append(data, p.Name...))
		c.From = record.Imported{File: p.Name, Format: "probe", SHA256: hex.EncodeToString(sum[:]), Without: []metrics.Part{metrics.Evidence, metrics.Usage}}
		cells = append(cells, c)
	}
	if len(cells) == 0 {
		return usageError(fmt.Errorf("no question of %s has a gold answer to probe with", flags.dataset))
	}
	return a.writeImport(ctx, into, flags.out, "none", []*metrics.Spec{metrics.F1Mem0Spec}, cells)
}

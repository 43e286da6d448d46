package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"recallbench/internal/door/token"
	"recallbench/internal/result/rating"
	"recallbench/internal/result/record"
	"recallbench/runners"
)

// historyTokens bounds the summary of what went before, in tokens of o200k_base.
const historyTokens = 1500

type rateExport struct {
	out, dataset  string
	what          whatFlag
	judge         string
	items, raters int
	seed          uint64
}

func newRateExportCommand(a *app) *cobra.Command {
	var flags rateExport
	cmd := &cobra.Command{
		Use:   "export RUN --out DIR",
		Short: "Write answers for people to rate blind",
		Long: `Export draws conversations of a run and writes, for each rater, a sheet with the
answers of all methods to one question of each: as CSV for a spreadsheet and as
JSON, in an order of the rater's own, with instructions. What is to be filled in
is empty.

A sheet does not tell whose an answer is, and where an answer names a method it
is hidden. The key stays in the run folder, which raters should not get; the
sheets may not be written there.

With --what correctness it draws single answers, and raters say whether each is
right: half of them such that a judge of the run accepts and half that it refuses,
or as many of each category, spread over the conversations.

The same command writes the same sheets. Once raters were asked about a run,
nothing else is drawn from it, and no file with other content is overwritten.`,
		Example: `  bench judge people export results/runs/mine --out sheets --raters 5
  bench judge people export results/runs/mine --out sheets --dataset dialogre-l --limit 30 --seed 7
  bench judge people export results/runs/mine --out sheets --what correctness --limit 200 --raters 2`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.out == "" {
				return usageError(errors.New("give the folder for the sheets, such as --out sheets"))
			}
			return usageError(a.exportRatings(args[0], flags, cmd.Flags().Changed("seed")))
		},
	}
	addRated(cmd, &flags.dataset)
	cmd.Flags().StringVar(&flags.out, "out", "", "`folder` for the sheets, not in the run folder")
	cmd.Flags().IntVar(&flags.items, "limit", 50, "how many conversations are drawn, or answers of --what correctness")
	flags.what.add(cmd)
	cmd.Flags().StringVar(&flags.judge, "judge", "", "`name` of the judge whose verdicts --what correctness draws by (default: the only one)")
	cmd.Flags().IntVar(&flags.raters, "raters", 1, "how many raters get a sheet")
	cmd.Flags().Uint64Var(&flags.seed, "seed", 0, "draws conversations and orders (default: the run's)")
	return cmd
}

func (a *app) exportRatings(dir string, flags rateExport, seeded bool) error {
	if flags.raters < 1 || flags.raters > 1000 {
		return fmt.Errorf("--raters is %d, want 1 to 1000", flags.raters)
	}
	folder, header, unlock, err := openLocked(dir)
	if err != nil {
		return err
	}
	defer unlock() //nolint:errcheck // the lock ends with the process at the latest
	if inside(flags.out, dir) {
		return fmt.Errorf("--out %s lies in the run folder, which has the key: raters should not get it", flags.out)
	}
	label, err := runners.RatedDataset(header, flags.dataset)
	if err != nil {
		return err
	}
	tokens, err := token.New("o200k_base")
	if err != nil {
		return err
	}
	questions, err := runners.RatingQuestions(folder, header, label, historyTokens, tokens)
	if err != nil {
		return err
	}
	o := rating.Options{Questions: flags.items, Seed: header.Seed, Names: runners.RatingNames(header)}
	if seeded {
		o.Seed = flags.seed
	}
	for i := range flags.raters {
		o.Raters = append(o.Raters, fmt.Sprintf("rater-%d", i+1))
	}
	var asked rating.Asked
	if flags.what == rating.Correctness {
		asked, err = drawCorrectness(folder, header, label, questions, flags, o)
	} else {
		asked, err = rating.Draw(questions, o)
	}
	if err != nil {
		return err
	}
	asked.Run, asked.Dataset, asked.History = header.ID, label, historyTokens
	if err := writeSheets(folder, asked, flags.out); err != nil {
		return err
	}
	return a.reportAsked(asked, len(questions), flags.out, dir)
}

func writeSheets(folder record.Folder, asked rating.Asked, out string) error {
	key, err := rating.Encode(asked)
	if err != nil {
		return err
	}
	path := askedPath(folder, asked.Dataset, asked.What)
	if err := refuseOther(path, key); err != nil {
		return fmt.Errorf("raters were asked about something else already: %w; another draw would lose the key to their sheets. Give the same flags, or remove the file to begin again", err)
	}
	if err := freeForFolder(out); err != nil {
		return err
	}
	instructions, err := asked.Instructions()
	if err != nil {
		return err
	}
	files := map[string][]byte{"instructions.txt": instructions}
	for _, r := range asked.Raters {
		var b bytes.Buffer
		if err := asked.WriteCSV(&b, r); err != nil {
			return err
		}
		files[r+".csv"] = b.Bytes()
	}
	var faults []error
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		if err := refuseOther(filepath.Join(out, name), files[name]); err != nil {
			faults = append(faults, fmt.Errorf("%w; it may hold ratings, so it is not overwritten", err))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	for _, d := range []string{out, filepath.Dir(path)} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	if err := record.WriteBytes(path, key); err != nil {
		return err
	}
	for _, name := range names {
		if err := record.WriteBytes(filepath.Join(out, name), files[name]); err != nil {
			return err
		}
	}
	return nil
}

// refuseOther refuses a path where something else is than what is to be written.
func refuseOther(path string, data []byte) error {
	have, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !bytes.Equal(have, data) {
		err = fmt.Errorf("%s has other content", path)
	}
	return err
}

func (a *app) reportAsked(asked rating.Asked, questions int, out, dir string) error {
	conversations := make(map[string]bool)
	samples := make(map[string]bool)
	hidden := 0
	for _, it := range asked.Items {
		conversations[it.Conversation], samples[it.Sample] = true, true
		if it.Hidden {
			hidden++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s to %s on %s (%d asked for, %s to draw from), raters: %d\n",
		plural(len(asked.Items), "answer", "answers"), plural(len(conversations), "question", "questions"), plural(len(samples), "sample", "samples"),
		asked.Questions, plural(questions, "question", "questions"), len(asked.Raters))
	if hidden > 0 {
		fmt.Fprintf(&b, "%d answers named a method or a model: the name is hidden; the key says which\n", hidden)
	}
	fmt.Fprintf(&b, "sheets and instructions: %s\nkey, not for raters: %s\n", out, askedPath(record.Folder(dir), asked.Dataset, asked.What))
	_, err := io.WriteString(a.stdout, b.String())
	return err
}

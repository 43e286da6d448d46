package runners_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"recallbench/internal/config"
	"recallbench/runners"
)

// A config and the plug-ins that it names make a plan, the plan a run, and the
// run a folder of records.
func Example() {
	ctx, plugins := context.Background(), plugins(&toyMethod{})
	c, err := config.Parse("toy.yaml", []byte(toyConfig), plugins)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := runners.NewPlan(ctx, c, plugins, runners.Env{Now: clock(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer plan.Close()
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	run, err := plan.Start(context.Background(), filepath.Join(dir, "toy"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer run.Close()
	result, err := run.Execute(ctx, runners.Options{})
	fmt.Println(result.Requests, result.Failed, err)
	// Output: 12 0 <nil>
}

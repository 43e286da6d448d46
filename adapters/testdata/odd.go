// Does what adapters should not, and what the kit has to bear.
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"syscall"
	"time"

	"adapter/recallbench"
)

var _, _ = fmt.Println("printed at import")

type odd struct {
	Depth int `json:"depth"`
	turns []recallbench.Turn
}

func (o *odd) Size() (items, bytes int) { return len(o.turns), 7 }

func (o *odd) Dump(context.Context) (items []recallbench.Block, _ error) {
	for _, t := range o.turns {
		items = append(items, recallbench.Block{Text: t.Line()})
	}
	return items, nil
}

func (o *odd) Add(ctx context.Context, s recallbench.Session) error {
	fmt.Println("printed by add")
	if os.Getenv("WRITE_TO_1") != "" {
		_, _ = syscall.Write(1, []byte("written to 1\n"))
	}
	child := exec.Command("sh", "-c", "echo echoed by a child; cat")
	child.Stdout = os.Stdout
	if err := child.Run(); err != nil {
		return err
	}
	o.turns = append(o.turns, s.Turns...)
	recallbench.Progress(ctx, len(o.turns), 0, "added")
	return nil
}

func (o *odd) Search(ctx context.Context, r recallbench.Request, k, _ int) (found []recallbench.Block, _ error) {
	add := func(texts ...any) {
		for _, t := range texts {
			found = append(found, recallbench.Block{Text: fmt.Sprint(t)})
		}
	}
	switch r.Text {
	case "fail":
		panic("no luck")
	case "refuse":
		return nil, &recallbench.Error{Kind: "rate_limit", Message: "slow down", RetryAfter: 2500 * time.Millisecond}
	case "wrapped":
		return nil, fmt.Errorf("the library gave up: %w", &recallbench.Error{Kind: "rate_limit", Message: "status 429"})
	case "stopped":
		return nil, errors.Join(errors.New("tried twice"), &recallbench.Error{Kind: "model", Message: "status 503"})
	case "hang":
		<-ctx.Done()
		return nil, ctx.Err()
	case "scores":
		return []recallbench.Block{
			{Text: "a", Score: math.NaN()}, {Text: "b", Score: math.Inf(1)}, {Text: "c"},
			{Text: "d", Score: 0.5, Time: time.Date(2023, 5, 8, 13, 56, 0, 0, time.UTC), ID: "7", Sources: []string{"1:1"}},
		}, nil
	case "clock":
		now := recallbench.Now(ctx)
		var id [8]byte
		_, _ = recallbench.Rand(ctx).Read(id[:])
		add(now.Format("2006-01-02 15:04:05.000000"), now.Format(time.DateOnly), now.Unix(), binary.LittleEndian.Uint64(id[:]), now.Year())
		return found, nil
	case "models":
		recallbench.Log("warn", "asking")
		reply, err := recallbench.Chat(ctx, recallbench.Message{Role: "user", Content: "Hello?"})
		vectors, err2 := recallbench.Embed(ctx, "x", "yy")
		single, err3 := recallbench.Embed(ctx, "zzz")
		if err := errors.Join(err, err2, err3); err != nil {
			return nil, err
		}
		add(reply, fmt.Sprintf("[[%g],[%g]]", vectors[0][0], vectors[1][0]), fmt.Sprintf("[%g]", single[0][0]))
		return found, nil
	case "nothing":
		return []recallbench.Block{{}}, nil
	}
	for _, t := range o.turns {
		add(t.Line())
	}
	return found[:min(k, len(found))], nil
}

func open(_ context.Context, o recallbench.Opening) (*odd, error) {
	m := &odd{Depth: 1}
	return m, o.Options(m)
}

func main() {
	recallbench.Serve(recallbench.Adapter{Name: "odd", Version: "1.2", Libraries: map[string]string{"lib": "3.4"}}, open)
}

package live

import (
	"context"

	"recallbench/internal/backend"
)

func check(ctx context.Context, env backend.Env, options any) []backend.Finding { return nil }

package runners_test

import (
	"context"
	"testing"

	"recallbench/datasets"
	"recallbench/internal/backend"
	"recallbench/internal/backend/budget"
	"recallbench/internal/backend/price"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/result/record"
	"recallbench/internal/testkit/try"
	"recallbench/methods"
	"recallbench/runners"
)

// probed is a backend with a prober at ten times the price of its reader.
var probed = &backend.Spec{
	Name: "probed",
	Open: func(_ context.Context, env backend.Env, _ any) (backend.Doors, error) {
		served := llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
			usd := map[string]float64{"probe": 0.01, "reader": 0.001}[r.Role]
			lease, err := env.Budget.Reserve(ctx, 1001, usd, true)
			if err == nil {
				err = env.Budget.Settle(ctx, lease, budget.Settlement{Model: env.Label, Paid: &meter.Paid{Calls: 1, Tokens: 1001, USD: &usd}})
			}
			if err != nil {
				return llm.Reply{}, err
			}
			return llm.Reply{Text: "x", Model: r.Role + "-1", Fingerprint: "fp", Usage: llm.Usage{Calls: 1, Input: 1000, Output: 1}}, nil
		})
		return backend.Doors{
			LLM: served, Embed: noEmbedding{}, Tokens: words{}, Reader: "reader", LLMRates: &price.Rates{Input: 1},
			Roles: map[string]backend.Served{"probe": {Model: "probe", Rates: &price.Rates{Input: 10}}},
		}, nil
	},
}

// probing asks for an answer and twice how sure the model is of it.
func probing(m *toyMethod) *methods.Spec {
	return &methods.Spec{Name: "toy", New: func(env methods.Env, _ any) (methods.Method, error) {
		m.answer = func(ctx context.Context, _ string, r datasets.Request) (methods.Response, error) {
			for _, role := range []string{"probe", "probe", "reader"} {
				if _, err := env.LLM.Generate(ctx, llm.Request{Role: role, Messages: []llm.Message{{Role: llm.User, Content: r.Text}}}); err != nil {
					return methods.Response{}, err
				}
			}
			return methods.Response{Text: r.Text}, nil
		}
		return m, nil
	}}
}

// The header tells the prober from the reader, and calls cost what their model
// does: in a run, and in an estimate.
func TestRoles(t *testing.T) {
	var m toyMethod
	p := plugins(&m)
	p.Methods, p.Models = []*methods.Spec{probing(&m)}, []*backend.Spec{probed}
	plan := func() *runners.Plan { return try.Get(planOf(t, p, toyConfig, "models=[{use: probed}]"))(t) }
	r := start(t, plan())
	result := execute(t, r, runners.Options{})
	model := result.Header.Models[0]
	try.Equal(t, "served", []string{"reader-1"}, model.Served)
	try.Equal(t, "roles", map[string]record.RoleModel{"probe": {Model: "probe", Served: []string{"probe-1"}}}, model.Roles)
	const want = 12 * (2*0.01 + 0.001)
	near := func(usd *float64) bool { return usd != nil && *usd > want-1e-9 && *usd < want+1e-9 }
	if got := result.Header.Paid.USD; !near(got) {
		t.Errorf("paid %v, want %v", got, want)
	}
	cells, err := plan().Estimate(t.Context())
	if err != nil || len(cells) != 1 {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	if got := cells[0].Query; !near(got.USD) || got.Calls != 36 {
		t.Errorf("%d calls, $%v; want 36, $%v", got.Calls, got.USD, want)
	}
}

package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"recallbench/internal/backend"
	"recallbench/internal/door/llm"
	"recallbench/internal/text/suggest"
)

// Roles are further chat models, by the role of the calls that go to them, see
// [llm.Roles].
type Roles map[string]Chat

// names lists the roles, sorted.
func (r Roles) names() []string { return slices.Sorted(maps.Keys(r)) }

// answering are the roles of calls whose reply is the answer. They stay with the
// chat model, by which results are named and compared.
var answering = [...]string{"external-answer", "reader", "handle", "memory"}

// Keys lists the roles that there are.
func (Roles) Keys() []string {
	return slices.DeleteFunc(llm.Roles(), func(role string) bool { return slices.Contains(answering[:], role) })
}

// Defaults returns the options of a model without any, for a role's.
func (Chat) Defaults() any { return Defaults().Chat }

// refused says why a role can have no model of its own; empty if it can.
func (r Roles) refused(role string) string {
	if slices.Contains(r.Keys(), role) {
		return ""
	}
	if slices.Contains(answering[:], role) {
		return "its calls give the answer, which comes from the model of options.chat"
	}
	if found, ok := suggest.Find(role, r.Keys()); ok {
		return fmt.Sprintf("no calls have this role; did you mean %s?", found)
	}
	return "no calls have this role; have " + strings.Join(r.Keys(), ", ")
}

// probe is the role of calls that measure how sure a model is, for which
// log-probabilities are needed and a text is not.
const probe = "probe"

// door names the door of a role's model, and its options.
func door(role string) string { return "roles." + role }

// openRoles opens the models of roles, and sends calls where their role says.
func (b *opening) openRoles() error {
	if len(b.Roles) == 0 || b.doors.LLM == nil { // whose fault is reported
		return nil
	}
	r := router{Generator: b.doors.LLM, roles: make(map[string]llm.Generator)}
	b.doors.Roles = make(map[string]backend.Served)
	var faults []error
	for _, role := range b.Roles.names() {
		c := b.Roles[role]
		model, rates, err := b.openModel(c)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", role, err))
			continue
		}
		r.roles[role], b.doors.Roles[role] = model, backend.Served{Model: c.Model, Rates: rates}
		b.settings[door(role)] = c.Model + " at " + c.provider()
	}
	b.doors.LLM = r
	return errors.Join(faults...)
}

// A router sends a call to the model of its role, where it has one.
type router struct {
	llm.Generator
	roles map[string]llm.Generator
}

func (r router) Generate(ctx context.Context, req llm.Request) (llm.Reply, error) {
	if model, ok := r.roles[req.Role]; ok {
		return model.Generate(ctx, req)
	}
	return r.Generator.Generate(ctx, req)
}

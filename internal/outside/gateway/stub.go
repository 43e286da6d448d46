package gateway

import (
	"context"
	"log/slog"
	"time"

	"recallbench/internal/door/embed"
)

// Stubs, replaced one by one.

type (
	Rule   struct{ text string }
	Server struct{}
	Memory struct{}
	Phase  struct{}
	Out    struct{}
	Policy string
)

const (
	Deny   Policy = "deny"
	Report Policy = "report"
	Allow  Policy = "allow"
)

func ParseRule(value any) (Rule, error)         { panic("stub") }
func (r *Rule) UnmarshalText(text []byte) error { panic("stub") }
func (r Rule) MarshalText() ([]byte, error)     { panic("stub") }

func Start(log *slog.Logger, now func() time.Time) (*Server, error) { panic("stub") }
func (s *Server) URL() string                                       { panic("stub") }
func (s *Server) NobodysKey() string                                { panic("stub") }
func (s *Server) Close() error                                      { panic("stub") }
func (s *Server) Open(m Models) *Memory                             { panic("stub") }
func (s *Server) Out(policy Policy) *Out                            { panic("stub") }

func (m *Memory) Key() string { panic("stub") }
func (m *Memory) Begin(ctx context.Context, request, role string, kind embed.Kind) *Phase {
	panic("stub")
}
func (m *Memory) Waiting() bool                                    { panic("stub") }
func (m *Memory) Quiet(ctx context.Context, d time.Duration) error { panic("stub") }
func (m *Memory) Asked() []string                                  { panic("stub") }
func (m *Memory) Replaced() map[string]int                         { panic("stub") }
func (m *Memory) Close() Stray                                     { panic("stub") }

func (p *Phase) End() error   { panic("stub") }
func (p *Phase) Stray() Stray { panic("stub") }

func (o *Out) URL() string       { panic("stub") }
func (o *Out) Reached() []string { panic("stub") }
func (o *Out) Close() error      { panic("stub") }

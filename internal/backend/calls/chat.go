package calls

import (
	"context"
	"time"

	"recallbench/internal/door/llm"
)

// Generator wraps a generator; in the mode [Replay] g may be nil, in the others
// a nil door stays nil.
func (r *Recorder) Generator(id Identity, g llm.Generator) llm.Generator {
	if r.mode == Off || g == nil && r.mode != Replay {
		return g
	}
	d := r.door(id)
	return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		ask := func(ctx context.Context, _ []int) ([]Reply, []bool, error) {
			reply, err := g.Generate(ctx, r)
			return []Reply{{Chat: reply}}, []bool{whole(reply)}, err
		}
		answers, keys, err := d.do(ctx, []*Call{chat(d.id, r)}, ask)
		if err != nil {
			return llm.Reply{}, err
		}
		reply := answers[0].Chat
		reply.Reused, reply.Recorded = answers[0].reused, answers[0].Time
		if whole(reply) {
			reply.Call = keys[0].ID()
		}
		return reply, nil
	})
}

// StandIn wraps the generator of the stand-in: if [Recorder.RecordStandIn] is
// set and the mode writes, each call is recorded, for transcripts. Recordings
// never answer in its place, and replies have no recording date.
func (r *Recorder) StandIn(id Identity, g llm.Generator) llm.Generator {
	if r == nil || !r.standIn || r.mode == Off || r.mode == Replay {
		return g
	}
	recorded := newRecorder(r.store, Record).Generator(id, g)
	return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		reply, err := recorded.Generate(ctx, r)
		reply.Reused, reply.Recorded = false, time.Time{}
		return reply, err
	})
}

// whole reports whether a reply is one to be recorded. A client makes an error
// of one that was cut off; of replies there are those without text that call no
// tool either, and those that a filter ended.
func whole(r llm.Reply) bool { return r.Written() != "" && r.Finish != "content_filter" }

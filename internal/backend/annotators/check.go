package annotators

import (
	"context"
	"fmt"
	"strings"
	"time"

	"recallbench/internal/backend"
	"recallbench/internal/backend/corenlp"
	"recallbench/internal/door/annotate"
)

// checkTime is how long a check waits. A server loads its models with the first
// request.
const checkTime = 2 * time.Minute

// Check tries the server with a sentence that mentions somebody twice; it does
// nothing for rules. A chat model is checked elsewhere.
func Check(ctx context.Context, o Options) []backend.Finding {
	if o.Use != CoreNLP {
		return nil
	}
	f := backend.Finding{What: "annotate corenlp", Status: backend.Missing}
	a, err := corenlp.New(o.CoreNLP.BaseURL)
	if err != nil {
		f.Detail, f.Remedy = err.Error(), "correct options.annotate.corenlp"
		return []backend.Finding{f}
	}
	ctx, cancel := context.WithTimeout(ctx, min(checkTime, o.CoreNLP.Limits.Attempt))
	defer cancel()
	layers := corenlp.Layers()
	names := strings.Trim(strings.ReplaceAll(fmt.Sprint(layers), " ", ", "), "[]")
	doc, err := a.Annotate(ctx, annotate.Request{Layers: layers, Utterances: []annotate.Utterance{{Speaker: "Ann", Text: "Anna took her sister to Leeds."}}})
	switch {
	case err != nil:
		f.Detail, f.Remedy = o.CoreNLP.BaseURL+": "+err.Error(), "start the server, or check options.annotate.corenlp and whether it has loaded its models for "+names+", which takes minutes"
	case len(doc.Sentences) == 0 || doc.Sentences[0].Unparsed:
		f.Detail, f.Remedy = "the server found no sentence, or parsed none", "check that it is a CoreNLP server with English models"
	default:
		f.Status, f.Detail = backend.Good, fmt.Sprintf("%s annotates %s", o.CoreNLP.BaseURL, names)
	}
	return []backend.Finding{f}
}

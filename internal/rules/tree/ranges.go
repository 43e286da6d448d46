package tree

import (
	"slices"
	"strings"
	"time"

	"recallbench/internal/engine/treetask"
)

// dateRun is a run of days of a month that names the month once: "from the
// 16th to the 18th of March", "March 3 to 7".
var dateRun = re(`\b(?:from |between )?(?:the )?(\d{1,2})(?:st|nd|rd|th)? ?(?:to|until|till|through|and|-|–) ?(?:the )?(\d{1,2})(?:st|nd|rd|th)? (?:of )?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b(?:from |between )?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* (?:the )?(\d{1,2})(?:st|nd|rd|th)? ?(?:to|until|till|through|and|-|–) ?(?:the )?(\d{1,2})(?:st|nd|rd|th)?\b`)

// findDateRun looks for a run of days of a month.
func (r *reading) findDateRun() {
	if r.today.IsZero() || r.v.dateless() {
		return
	}
	at := dateRun.FindStringSubmatchIndex(r.text)
	if at == nil {
		return
	}
	sub := func(i, j int) string {
		if at[2*i] >= 0 {
			return strings.ToLower(r.text[at[2*i]:at[2*i+1]])
		}
		return strings.ToLower(r.text[at[2*j]:at[2*j+1]])
	}
	first, ok1 := ordinal(sub(1, 5))
	last, ok2 := ordinal(sub(2, 6))
	month, err := time.Parse("Jan", strings.ToUpper(sub(3, 4)[:1])+sub(3, 4)[1:3])
	i := slices.IndexFunc(r.words, func(w word) bool { return w.start >= at[0] })
	if !ok1 || !ok2 || err != nil || first < 1 || last > 31 || first >= last || i < 0 || !r.main[i] {
		return
	}
	from := time.Date(r.today.Year(), month.Month(), first, 0, 0, 0, 0, time.UTC)
	if from.Before(r.today.AddDate(0, -6, 0)) {
		from = from.AddDate(1, 0, 0)
	}
	lo := float64(from.Unix() / 86400)
	r.compares = append(r.compares, compare{kind: kindDate, relation: within, lo: lo, hi: lo + float64(last-first)})
	for k, w := range r.words {
		if w.start >= at[0] && w.end <= at[1] {
			r.used[k] = usedCompare
		}
	}
}

// firstOf keeps the first value of each field.
func firstOf(all []treetask.ActionSetting) []treetask.ActionSetting {
	var out []treetask.ActionSetting
	for _, s := range all {
		if !slices.ContainsFunc(out, func(o treetask.ActionSetting) bool { return strings.EqualFold(o.Name, s.Name) }) {
			out = append(out, s)
		}
	}
	return out
}

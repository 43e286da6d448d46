package timex

import (
	"strings"
	"testing"
	"time"

	"recallbench/internal/testkit/try"
)

// Expressions that the words alone place in the calendar.
func TestFindPlaced(t *testing.T) {
	for _, test := range []struct {
		text, found, from string
		day               bool
	}{
		{"on 7 May 2023", "7 May 2023", "2023-05-07", true},
		{"May 7, 2023", "May 7, 2023", "2023-05-07", true},
		{"2023-05-07", "2023-05-07", "2023-05-07", true},
		{"21January, 2022", "21January, 2022", "2022-01-21", true},
		{"the twenty-first of June 2023", "the twenty-first of June 2023", "2023-06-21", true},
		{"March 2022", "March 2022", "2022-03-01", false},
		{"in 2019", "2019", "2019-01-01", false},
		{"the summer of 2021", "summer of 2021", "2021-06-01", false},
		{"winter 2021", "winter 2021", "2020-12-01", false},
		{"early August 2023", "early August 2023", "2023-08-01", false},
		{"mid-May 2022", "mid-May 2022", "2022-05-01", false},
		{"at the end of October 2022", "the end of October 2022", "2022-10-01", false},
		{"late 2021", "late 2021", "2021-01-01", false},
		{"the second week of August 2023", "the second week of August 2023", "2023-08-01", false},
		{"last week of September 2023", "last week of September 2023", "2023-09-01", false},
	} {
		got := Find(test.text)
		if len(got) != 1 {
			t.Errorf("Find(%q) found %d expressions, want 1: %+v", test.text, len(got), got)
			continue
		}
		e := got[0]
		if found := test.text[e.Start:e.End]; found != test.found || e.Frequency || e.Day != test.day || e.From.Format(time.DateOnly) != test.from {
			t.Errorf("Find(%q) = %q, %+v, want %+v", test.text, found, e, test)
		}
	}
}

// Points that depend on when the text was said, lengths and frequencies.
func TestFindWords(t *testing.T) {
	for _, test := range []struct {
		frequency bool
		texts     []string // with what is found between bars
	}{
		{false, []string{
			"I went there |yesterday|.", "We ate out |last night|", "|the day before yesterday|", "It happened |this morning|", "see you |tomorrow|",
			"|the day after tomorrow|", "|the other day|", "|last week|", "|this past weekend|", "over |the weekend|", "|next weekend|", "|last month|",
			"|this year|", "|last summer|", "|next fall|", "|last Friday|", "|last Fri|", "On |Tuesday| I got the keys", "|this Thursday|", "|last June|",
			"|two days ago|", "|2 weeks ago|", "|a couple of days ago|", "|a few weeks ago|", "|twenty-five years ago|", "|two weeks from now|",
			"I'm leaving |in three days|", "for |the last three weeks|", "|the past few months|", "|May 7th|", "|the 7th of May|", "|Dec. 24|",
			"on |the third of March|", "|June the first|", "It's |three years| since I moved", "on |the tenth|", "in |February|", "|late last month|",
			"|the first weekend of August|", "|the week before 9 June 2023|", "|two weeks before August 11, 2023|", "|three days after 30 May 2023|", "|a month after 31 January 2023|", "|a decade before 5 May 2023|", "|the Friday before 20 May 2023|", "|the Saturday after 20 May 2023|", "|the Monday of 20 May 2023|",
		}},
		{false, []string{
			"known them for |4 years|", "for |three weeks| now", "it took |two months|", "for |a year|", "for |a couple of days|", "for |many years|",
			"for |two hours|", "we finished it |in two days|",
		}},
		{true, []string{
			"|twice a week|", "|three times a week|", "|a few times a month|", "|at least once a week|", "|once or twice a year|", "|every day|",
			"|every other week|", "|every Sunday|", "|every two weeks|", "I swim |daily|", "|once in a while|",
		}},
	} {
		for _, marked := range test.texts {
			text := strings.ReplaceAll(marked, "|", "")
			got := Find(text)
			if len(got) != 1 || got[0].Frequency != test.frequency || got[0].Resolved() ||
				text[:got[0].Start]+"|"+text[got[0].Start:got[0].End]+"|"+text[got[0].End:] != marked {
				t.Errorf("Find(%q) = %+v, want the frequency %v of %q", text, got, test.frequency, marked)
			}
		}
	}
}

func TestFindNothing(t *testing.T) {
	for _, text := range []string{
		"", "   ", "I may go", "we march on", "the sun is out", "she sat down", "I have two dogs",
		"my 8-year-old son", "he is ten years old", "2000 people came", "call 555-1234",
		"a day at the beach", "one of these", "second thoughts", "the end of the road", "fall down", "a spring in my step",
		"32 May", "the week", "2023-13-45", "on the 45th floor", "on the 3rd floor", "on the second floor", "the third man", "May be", "second of all",
	} {
		if got := Find(text); len(got) != 0 {
			t.Errorf("Find(%q) = %+v, want nothing", text, got)
		}
	}
}

func TestFindMany(t *testing.T) {
	var got []string
	text := "Last year I moved, yesterday I was back, and in May 2024 I'll leave for two years."
	for _, e := range Find(text) {
		got = append(got, text[e.Start:e.End])
	}
	try.Equal(t, "", []string{"Last year", "yesterday", "May 2024", "two years"}, got)
}

// Long texts of one word take allocations in proportion to their length.
func TestFindLong(t *testing.T) {
	for _, w := range []string{"the ", "two weeks ", "May "} {
		allocs := func(size int) float64 {
			text := strings.Repeat(w, size/len(w))
			return testing.AllocsPerRun(1, func() { Find(text) })
		}
		if part, whole := allocs(maxText/8), allocs(maxText); whole > 10*part+100 {
			t.Errorf("%q repeated over %d bytes takes %v allocations, over an eighth of it %v", w, maxText, whole, part)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"two weeks ago", "the first weekend of August 2023", "21January, 2022", "\xff\x00 May 7", "every other week", "in in in 2 2 2 weeks weeks", "early early May"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, e := range Find(text) {
			if e.Start < end || e.End <= e.Start || e.End > len(text) {
				t.Fatalf("%q: expression at %d to %d after %d", text, e.Start, e.End, end)
			}
			end = e.End
		}
	})
}

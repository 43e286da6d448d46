package timex

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recallbench/internal/testkit/try"
)

// The anchor of these tests is a Saturday.
var anchor = time.Date(2023, 7, 15, 13, 56, 0, 0, time.UTC)

func TestFindPoints(t *testing.T) {
	tests := []struct {
		text, phrase, from, to string
	}{
		{"I went there yesterday.", "14 July 2023", "2023-07-14", "2023-07-15"},
		{"Yesterday was great", "14 July 2023", "2023-07-14", "2023-07-15"},
		{"We ate out last night", "14 July 2023", "2023-07-14", "2023-07-15"},
		{"the day before yesterday", "13 July 2023", "2023-07-13", "2023-07-14"},
		{"It happened this morning", "15 July 2023", "2023-07-15", "2023-07-16"},
		{"today", "15 July 2023", "2023-07-15", "2023-07-16"},
		{"see you tomorrow", "16 July 2023", "2023-07-16", "2023-07-17"},
		{"the day after tomorrow", "17 July 2023", "2023-07-17", "2023-07-18"},
		{"the other day", "a few days before 15 July 2023", "2023-07-08", "2023-07-15"},

		{"last week", "the week before 15 July 2023", "2023-07-08", "2023-07-15"},
		{"this week", "the week of 15 July 2023", "2023-07-10", "2023-07-17"},
		{"next week", "the week after 15 July 2023", "2023-07-16", "2023-07-29"},
		{"last weekend", "the weekend before 15 July 2023", "2023-07-08", "2023-07-10"},
		{"this past weekend", "the weekend before 15 July 2023", "2023-07-08", "2023-07-10"},
		{"over the weekend", "the weekend before 15 July 2023", "2023-07-08", "2023-07-10"},
		{"this weekend", "the weekend of 15 July 2023", "2023-07-15", "2023-07-17"},
		{"next weekend", "the weekend after 15 July 2023", "2023-07-22", "2023-07-24"},
		{"last month", "June 2023", "2023-06-01", "2023-07-01"},
		{"this month", "July 2023", "2023-07-01", "2023-08-01"},
		{"next month", "August 2023", "2023-08-01", "2023-09-01"},
		{"last year", "2022", "2022-01-01", "2023-01-01"},
		{"this year", "2023", "2023-01-01", "2024-01-01"},
		{"next year", "2024", "2024-01-01", "2025-01-01"},
		{"last summer", "summer of 2022", "2022-06-01", "2022-09-01"},
		{"this summer", "summer of 2023", "2023-06-01", "2023-09-01"},
		{"last winter", "winter of 2023", "2022-12-01", "2023-03-01"},
		{"last spring", "spring of 2023", "2023-03-01", "2023-06-01"},
		{"next fall", "fall of 2023", "2023-09-01", "2023-12-01"},

		{"last Friday", "the Friday before 15 July 2023", "2023-07-14", "2023-07-15"},
		{"last Fri", "the Friday before 15 July 2023", "2023-07-14", "2023-07-15"},
		{"last Saturday", "the Saturday before 15 July 2023", "2023-07-08", "2023-07-09"},
		{"On Tuesday I got the keys", "the Tuesday before 15 July 2023", "2023-07-11", "2023-07-12"},
		{"I will fly on Tuesday", "the Tuesday after 15 July 2023", "2023-07-18", "2023-07-19"},
		{"next Tuesday", "the Tuesday after 15 July 2023", "2023-07-18", "2023-07-19"},
		{"this Thursday", "the Thursday before 15 July 2023", "2023-07-13", "2023-07-14"},
		{"last June", "June 2023", "2023-06-01", "2023-07-01"},
		{"last August", "August 2022", "2022-08-01", "2022-09-01"},
		{"next March", "March 2024", "2024-03-01", "2024-04-01"},

		{"two days ago", "13 July 2023", "2023-07-13", "2023-07-14"},
		{"2 weeks ago", "two weeks before 15 July 2023", "2023-06-28", "2023-07-05"},
		{"a week ago", "the week before 15 July 2023", "2023-07-05", "2023-07-12"},
		{"a couple of days ago", "13 July 2023", "2023-07-13", "2023-07-14"},
		{"a few days ago", "a few days before 15 July 2023", "2023-07-09", "2023-07-14"},
		{"a few weeks ago", "a few weeks before 15 July 2023", "2023-06-03", "2023-07-02"},
		{"two weekends ago", "two weekends before 15 July 2023", "2023-07-01", "2023-07-03"},
		{"three months ago", "April 2023", "2023-04-01", "2023-05-01"},
		{"ten years ago", "2013", "2013-01-01", "2014-01-01"},
		{"twenty-five years ago", "1998", "1998-01-01", "1999-01-01"},
		{"a year ago", "2022", "2022-01-01", "2023-01-01"},
		{"a few years ago", "a few years before 2023", "2017-07-15", "2021-07-16"},
		{"two weeks from now", "two weeks after 15 July 2023", "2023-07-26", "2023-08-02"},
		{"I'm leaving in three days", "18 July 2023", "2023-07-18", "2023-07-19"},
		{"the show is in two months", "September 2023", "2023-09-01", "2023-10-01"},
		{"for the last three weeks", "the three weeks before 15 July 2023", "2023-06-24", "2023-07-16"},
		{"the past few months", "the few months before 15 July 2023", "2023-04-15", "2023-07-16"},

		{"on 7 May 2023", "7 May 2023", "2023-05-07", "2023-05-08"},
		{"May 7, 2023", "7 May 2023", "2023-05-07", "2023-05-08"},
		{"May 7th", "7 May 2023", "2023-05-07", "2023-05-08"},
		{"the 7th of May", "7 May 2023", "2023-05-07", "2023-05-08"},
		{"Dec. 24", "24 December 2022", "2022-12-24", "2022-12-25"},
		{"January 3", "3 January 2023", "2023-01-03", "2023-01-04"},
		{"2023-05-07", "7 May 2023", "2023-05-07", "2023-05-08"},
		{"21January, 2022", "21 January 2022", "2022-01-21", "2022-01-22"},
		{"on the third of March", "3 March 2023", "2023-03-03", "2023-03-04"},
		{"the twenty-first of June", "21 June 2023", "2023-06-21", "2023-06-22"},
		{"June the first", "1 June 2023", "2023-06-01", "2023-06-02"},
		{"a fortnight ago", "the fortnight before 15 July 2023", "2023-06-28", "2023-07-05"},
		{"It's three years since I moved", "2020", "2020-01-01", "2021-01-01"},
		{"on the tenth", "10 July 2023", "2023-07-10", "2023-07-11"},
		{"on the 13th", "13 July 2023", "2023-07-13", "2023-07-14"},
		{"on the 20th", "20 June 2023", "2023-06-20", "2023-06-21"},
		{"it will open on the 20th", "20 July 2023", "2023-07-20", "2023-07-21"},
		{"in February", "February 2023", "2023-02-01", "2023-03-01"},
		{"March 2022", "March 2022", "2022-03-01", "2022-04-01"},
		{"in 2019", "2019", "2019-01-01", "2020-01-01"},
		{"back in 2016", "2016", "2016-01-01", "2017-01-01"},
		{"summer 2021", "summer of 2021", "2021-06-01", "2021-09-01"},
		{"the summer of 2021", "summer of 2021", "2021-06-01", "2021-09-01"},
		{"early August", "early August 2023", "2023-08-01", "2023-08-11"},
		{"late last month", "late June 2023", "2023-06-21", "2023-07-01"},
		{"mid-May 2022", "mid May 2022", "2022-05-11", "2022-05-21"},
		{"at the end of October 2022", "end of October 2022", "2022-10-21", "2022-11-01"},
		{"the first weekend of August 2023", "first weekend of August 2023", "2023-08-05", "2023-08-07"},
		{"last week of September", "last week of September 2023", "2023-09-24", "2023-10-01"},
		{"the week before 9 June 2023", "the week before 9 June 2023", "2023-06-02", "2023-06-09"},
		{"two weeks before August 11, 2023", "two weeks before 11 August 2023", "2023-07-25", "2023-08-01"},
		{"the Friday before 20 May 2023", "the Friday before 20 May 2023", "2023-05-19", "2023-05-20"},
	}
	for _, test := range tests {
		got := Find(test.text, anchor)
		if len(got) != 1 {
			t.Errorf("Find(%q) found %d expressions, want 1: %+v", test.text, len(got), got)
			continue
		}
		e := got[0]
		want := [3]string{test.phrase, test.from, test.to}
		have := [3]string{e.Phrase, e.From.Format(time.DateOnly), e.To.Format(time.DateOnly)}
		if e.Kind != Point {
			t.Errorf("Find(%q): kind %v, want a point", test.text, e.Kind)
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("Find(%q) (-want +got):\n%s", test.text, diff)
		}
	}
}

func TestFindLengths(t *testing.T) {
	tests := []struct {
		text, phrase        string
		kind                Kind
		years, months, days int
	}{
		{"known them for 4 years", "4 years", Duration, 4, 0, 0},
		{"for three weeks now", "three weeks", Duration, 0, 0, 21},
		{"it took two months", "two months", Duration, 0, 2, 0},
		{"for a year", "a year", Duration, 1, 0, 0},
		{"for a couple of days", "a couple of days", Duration, 0, 0, 2},
		{"for many years", "many years", Duration, 0, 0, 0},
		{"for two hours", "two hours", Duration, 0, 0, 0},
		{"we finished it in two days", "two days", Duration, 0, 0, 2},
		{"twice a week", "twice a week", Frequency, 0, 0, 0},
		{"three times a week", "three times a week", Frequency, 0, 0, 0},
		{"a few times a month", "a few times a month", Frequency, 0, 0, 0},
		{"at least once a week", "at least once a week", Frequency, 0, 0, 0},
		{"once or twice a year", "once or twice a year", Frequency, 0, 0, 0},
		{"every day", "every day", Frequency, 0, 0, 0},
		{"every other week", "every other week", Frequency, 0, 0, 0},
		{"every Sunday", "every Sunday", Frequency, 0, 0, 0},
		{"every two weeks", "every two weeks", Frequency, 0, 0, 0},
		{"I swim daily", "daily", Frequency, 0, 0, 0},
		{"once in a while", "once in a while", Frequency, 0, 0, 0},
	}
	for _, test := range tests {
		got := Find(test.text, anchor)
		if len(got) != 1 {
			t.Errorf("Find(%q) found %d expressions, want 1: %+v", test.text, len(got), got)
			continue
		}
		e := got[0]
		if e.Phrase != test.phrase || e.Kind != test.kind || e.Years != test.years || e.Months != test.months || e.Days != test.days || e.Resolved() {
			t.Errorf("Find(%q) = %+v, want %+v", test.text, e, test)
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
		if got := Find(text, anchor); len(got) != 0 {
			t.Errorf("Find(%q) = %+v, want nothing", text, got)
		}
	}
}

func TestFindMany(t *testing.T) {
	var got []string
	text := "Last year I moved, yesterday I was back, and in May 2024 I'll leave for two years."
	for _, e := range Find(text, anchor) {
		got = append(got, text[e.Start:e.End]+" = "+e.Phrase)
	}
	want := []string{"Last year = 2022", "yesterday = 14 July 2023", "May 2024 = May 2024", "two years = two years"}
	try.Equal(t, "", want, got)
}

// Without an anchor relative words are found but have no place.
func TestFindUnanchored(t *testing.T) {
	for _, text := range []string{"yesterday", "last week", "two days ago", "last Friday", "in February", "May 7", "next summer"} {
		got := Find(text, time.Time{})
		if len(got) != 1 || got[0].Resolved() || got[0].Phrase == "" {
			t.Errorf("Find(%q) = %+v, want one expression without a place", text, got)
		}
	}
	got := Find("7 May 2023", time.Time{})
	if len(got) != 1 || !got[0].Resolved() {
		t.Errorf("an absolute date needs no anchor: %+v", got)
	}
}

// Months and years end where they should.
func TestFindBorders(t *testing.T) {
	tests := []struct{ anchor, text, phrase string }{
		{"2024-03-01", "yesterday", "29 February 2024"},
		{"2023-03-31", "last month", "February 2023"},
		{"2023-01-31", "next month", "February 2023"},
		{"2023-01-01", "yesterday", "31 December 2022"},
		{"2023-01-02", "last month", "December 2022"},
		{"2023-12-31", "tomorrow", "1 January 2024"},
		{"2023-12-30", "January 3", "3 January 2024"},
		{"2024-02-29", "a year ago", "2023"},
		{"2023-07-16", "last weekend", "the weekend before 16 July 2023"},
		{"2024-01-10", "last summer", "summer of 2023"},
		{"2024-01-10", "this winter", "winter of 2024"},
		{"2023-11-10", "this winter", "winter of 2024"},
	}
	for _, test := range tests {
		at := try.Get(time.Parse(time.DateOnly, test.anchor))(t)
		got := Find(test.text, at)
		if len(got) != 1 || got[0].Phrase != test.phrase {
			t.Errorf("%s: Find(%q) = %+v, want %q", test.anchor, test.text, got, test.phrase)
		}
	}
}

// Long texts of one word take allocations in proportion to their length.
func TestFindLong(t *testing.T) {
	for _, w := range []string{"the ", "in ", "past ", "of ", "two weeks ", "May ", "every ", "7 ", "week before "} {
		allocs := func(size int) float64 {
			text := strings.Repeat(w, size/len(w))
			return testing.AllocsPerRun(1, func() { Find(text, anchor) })
		}
		if part, whole := allocs(maxText/8), allocs(maxText); whole > 10*part+100 {
			t.Errorf("%q repeated over %d bytes takes %v allocations, over an eighth of it %v", w, maxText, whole, part)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"two weeks ago", "the first weekend of August 2023", "21January, 2022", "\xff\x00 May 7", "every other week", "in in in 2 2 2 weeks weeks", "early early May"} {
		f.Add(s, int64(1689429360))
	}
	f.Fuzz(func(t *testing.T, text string, sec int64) {
		at := time.Unix(sec%(1<<33), 0).UTC()
		end := 0
		for _, e := range Find(text, at) {
			if e.Start < end || e.End <= e.Start || e.End > len(text) {
				t.Fatalf("%q: expression at %d to %d after %d", text, e.Start, e.End, end)
			}
			end = e.End
			if e.Phrase == "" {
				t.Fatalf("%q: no phrase", text)
			}
			if !e.From.IsZero() && !e.From.Before(e.To) {
				t.Fatalf("%q: from %v to %v", text, e.From, e.To)
			}
		}
	})
}

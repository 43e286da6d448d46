package tree

import (
	"strconv"
	"strings"
	"testing"

	"recallbench/internal/engine/treetask"
)

// TestResolveVersions checks which version requests are about, of a memory
// with nine versions. The trees of the requests exist nowhere.
func TestResolveVersions(t *testing.T) {
	for _, tt := range []struct {
		request string
		want    string // operation, version and where it is described the words of the change that have to be in it
	}{
		// The memory as it is.
		{"What do we have on Friday?", "read latest"},
		{"Move the rehearsal to before lunch.", "move latest"},
		{"Add a break before we swap rooms.", "create latest"},
		{"Which lessons come before the exam?", "read latest"},
		{"Put the kettle first on the list.", "move latest"},
		{"Which of the jobs were finished before noon?", "read latest"},
		{"Set the concert's start back to 7 pm.", "update latest"},
		{"Move the deadline back a week.", "update latest"},
		{"Push the swim back by an hour.", "update latest"},
		{"Has the order of the talks changed?", "read latest"},
		{"Who had the first slot?", "read latest"},
		{"Is the original painting on the tour?", "read latest"},
		{"Change the price back from 12 to 15 dollars.", "update latest"},
		{"Add a note to call Ben back.", "create latest"},
		{"Book the flight back to Oslo for Sunday.", "read latest"},
		{"Did I put the milk on the list?", "read latest"},
		{"Which songs are left now that the choir is out?", "read latest"},
		{"What is on now after all these changes?", "read latest"},
		{"As of now, what does the tour cost?", "read latest"},

		// The version before the newest.
		{"Undo that.", "restore -2"},
		{"No, take that back please.", "restore -2"},
		{"Oops, revert.", "restore -2"},
		{"Undo the last change.", "restore -2"},
		{"Scrap that last edit.", "restore -2"},
		{"Roll that back.", "restore -2"},
		{"Actually, undo what you just did.", "restore -2"},
		{"I changed my mind, undo it.", "restore -2"},
		{"Go back one step.", "restore -2"},
		{"What did the plan look like before the last change?", "read -2"},
		{"What did I have on Monday in the previous version?", "read -2"},
		{"How was it one version ago?", "read -2"},

		// Several steps.
		{"Undo the last two changes.", "restore -3"},
		{"Go back two steps.", "restore -3"},
		{"Undo my last three edits.", "restore -4"},

		// The first version.
		{"What was the plan at first?", "read 1"},
		{"Which talks did we start with?", "read 1"},
		{"What did the very first version have for Monday?", "read 1"},
		{"How many songs were on the list when we started?", "read 1"},
		{"What was the original price of the hall?", "read 1"},
		{"Who was meant to speak in the original plan?", "read 1"},
		{"What had I planned for Sunday to begin with?", "read 1"},
		{"How long was the hike supposed to be originally?", "read 1"},
		{"Before I changed anything, who was the host?", "read 1"},
		{"What was on Tuesday before all of these changes?", "read 1"},
		{"Where did the concert stand in the beginning?", "read 1"},
		{"At the outset, which room was the talk in?", "read 1"},
		{"When I first showed you the list, what came last?", "read 1"},
		{"What was there on Monday before we touched a thing?", "read 1"},
		{"How much was the hall in the first draft?", "read 1"},
		{"Restore the original plan.", "restore 1 everything"},
		{"Put everything back to how it was in the beginning.", "restore 1 everything"},
		{"Undo all my changes.", "restore 1 everything"},
		{"Start over with the plan as it was at first.", "restore 1 everything"},
		{"Let's go back to square one.", "restore 1 everything"},
		{"Forget all the changes, go back to the first version.", "restore 1 everything"},
		{"Reset the whole list to the way it was when we began.", "restore 1 everything"},
		{"I want the list exactly as it was to begin with.", "restore 1 everything"},
		{"Forget everything I changed. The plan from the beginning was best.", "restore 1 everything"},
		{"Discard all of my edits.", "restore 1 everything"},
		{"Give the concert back its original time.", "restore 1"},
		{"Set the swim to its original length again.", "restore 1"},

		// By number.
		{"What was the fee in version 3?", "read 3"},
		{"Go back to version four.", "restore 4 everything"},
		{"Show me the second version of the plan.", "read 2"},

		// Before a change that is named.
		{"What time was the concert before I moved it?", "read before moved|it|concert"},
		{"Before I deleted the choir, who led it?", "read before deleted|choir"},
		{"How much was the hall before I changed the price?", "read before updated|price"},
		{"Where was the swim before we rescheduled it?", "read before updated|swim"},
		{"What stood in that slot until I cancelled the quiz?", "read before deleted|quiz"},
		{"Who ran the booth prior to the swap?", "read before swap|booth"},
		{"Which room did the talk have before the switch?", "read before switch|room|talk"},
		{"What did the menu say before my edit to the soup?", "read before edit|soup"},
		{"By when was the report due before I put it off?", "read before put it off|report"},
		{"How long was the hike before I cut it?", "read before cut|hike"},
		{"How long did the hike take before I made it longer?", "read before made|hike"},
		{"What was the booth called before I renamed it?", "read before updated|booth"},
		{"Who owned the task before I gave it to Ana?", "read before gave|Ana"},
		{"Before it was cancelled, when did the quiz start?", "read before deleted|quiz"},
		{"When was the quiz, before the teacher called it off?", "read before called|quiz"},
		{"What was the status of the booth before I ticked it off?", "read before updated|booth"},
		{"What was the status of the booth before I marked it as done?", "read before updated|booth"},
		{"Which songs were there before I added the polka?", "read before created|polka"},
		{"What came after the polka before I took the waltz out?", "read before took|waltz"},
		{"Where was the piano before we shifted things around?", "read before shifted|piano"},
		{"How high was its priority before I lowered it?", "read before updated|priority"},

		// What a change took away.
		{"What was the one I dropped from Monday?", "read before deleted|Monday"},
		{"When was the quiz again, the one I cancelled?", "read before deleted|quiz"},
		{"What did the soup that I threw out cost?", "read before deleted|soup"},
		{"Who was to lead the choir I cancelled?", "read before deleted|choir"},
		{"How long was the cancelled quiz supposed to take?", "read before deleted|quiz"},
		{"What was in the deleted recipe?", "read before deleted|recipe"},
		{"Which talks have I cancelled?", "read before deleted|talks"},
		{"What did I delete from Monday?", "read before deleted|Monday"},
		{"What have I taken off the list?", "read before taken"},
		{"What did I cancel?", "read before deleted"},
		{"Which song did we kick out?", "read before kick|song"},
		{"What was it that I removed from the menu?", "read before deleted|menu"},
		{"Remind me what I swapped the polka for the waltz for: when was the polka?", "read before swapped|polka"},
		{"Which one did the waltz replace?", "read before waltz|replace"},

		// What something was.
		{"What did the hall use to cost?", "read before hall"},
		{"What did the fee used to be?", "read before fee"},
		{"Who used to lead the choir?", "read before choir"},
		{"What was the old time of the concert?", "read before concert"},
		{"What was the concert's previous slot?", "read before slot|concert"},
		{"When was the quiz before?", "read before quiz"},
		{"What time did I have for the swim earlier, before that?", "read before swim"},
		{"What was the hall's deadline previously?", "read before deadline|hall"},
		{"From what did I change the fee?", "read before updated|fee"},
		{"What did I change the fee from?", "read before updated|fee"},
		{"Where did I move the concert from?", "read before move|concert"},
		{"By how much did I cut the fee?", "read before cut|fee"},
		{"How many minutes did I add to the hike?", "read before created|hike"},

		// What came about, and what would have been.
		{"What did the hall cost before it went up?", "read before went up|hall"},
		{"Who ran the booth before Ana took over?", "read before Ana took over"},
		{"Which room was the talk in before the roof broke down?", "read before roof"},
		{"How much would the quiz have cost us?", "read before quiz"},
		{"Do we eat before the kitchen closes?", "read latest"},
		{"Is there a break before it gets dark?", "read latest"},
		{"Who is on before the rain sets in?", "read latest"},

		{"How much cheaper did the hall get?", "read before hall get"},
		{"By how many dollars has the fee gone up?", "read before fee gone up"},
		{"Which dish did I rename, and what was its name?", "read before updated|dish"},
		{"Which talks did I move to Monday?", "read latest"},
		{"What did I add to the list?", "read latest"},

		{"What was the dish I added and took off again?", "read before took off|dish"},
		{"Who was responsible for the booth before Ines?", "read before Ines"},
		{"Who was on before Monday?", "read latest"},

		// Undoing a change that is named.
		{"The concert should be at the original time.", "restore 1"},
		{"The steak may come back.", "restore before steak"},
		{"I take that back, keep the quiz.", "restore before quiz"},
		{"Put the piano back before lunch where it used to be.", "restore before piano"},
		{"Reopen the booth: same status as before I marked it.", "restore before updated|booth"},
		{"Undo the deletion of the quiz.", "restore before deleted|quiz"},
		{"Undo moving the concert.", "restore before moving|concert"},
		{"Revert the change to the fee.", "restore before updated|fee"},
		{"Take back the cancellation of the quiz.", "restore before deleted|quiz"},
		{"Please undo that thing with the piano.", "restore before piano"},
		{"I shouldn't have cancelled the quiz.", "restore before quiz"},
		{"Deleting the choir was a mistake, bring it back.", "restore before choir"},
		{"I changed my mind about the quiz, bring it back.", "restore before quiz"},
		{"I changed my mind about cancelling the quiz.", "restore before quiz"},
		{"On second thoughts, I do want the quiz after all.", "restore before quiz"},
		{"No wait, leave the market where it was.", "restore before market"},
		{"The choir is coming after all; restore that.", "restore before choir"},
		{"The stage is free again. Put the concert back there.", "restore before concert"},
		{"Could you put the quiz back in?", "restore before quiz"},
		{"I'd like the choir back.", "restore before choir"},
		{"Please switch the booth back to Ana, as it was.", "restore before booth"},
		{"Revert what I did to the fee.", "restore before fee"},
		{"Undo the swap of the piano and the organ.", "restore before swap|piano"},
		{"Bring back the choir.", "restore before choir"},
		{"Put the soup back on the menu.", "restore before soup"},
		{"Can we have the quiz back?", "restore before quiz"},
		{"Put the concert back where it was.", "restore before concert"},
		{"Move the concert back to where it was before.", "restore before concert"},
		{"Set the fee back to what it was.", "restore before fee"},
		{"Change the fee back to what it was before I raised it.", "restore before updated|fee"},
		{"Change the fee back.", "restore before fee"},
		{"Give the concert its old time back.", "restore before concert"},
		{"The concert should have its old time again.", "restore before concert"},
		{"Let's return the booth to its former owner.", "restore before booth|owner"},
		{"Reinstate the quiz that we dropped.", "restore before deleted|quiz"},
		{"Restore the recipe I deleted.", "restore before deleted|recipe"},
		{"Add the quiz I deleted again.", "restore before deleted|quiz"},
		{"Let me have the choir again, the one I took out.", "restore before took|choir"},
		{"Make the hike as long as it was before I shortened it.", "restore before updated|hike"},
		{"The hike can be as long as before again.", "restore before hike"},
		{"Make the fee what it was before.", "restore before fee"},
		{"Let's do the concert at the old time.", "restore before concert"},
		{"We're keeping the quiz after all, put it in again.", "restore before quiz"},
		{"The teacher is well again, so the quiz is back on.", "restore before quiz"},
		{"Un-cancel the quiz.", "restore before quiz"},
		{"Undelete the recipe.", "restore before recipe"},
		{"Return the piano to where it stood before we moved it.", "restore before moved|piano"},
		{"Everything should be as it was before I cancelled the quiz.", "restore before deleted|quiz everything"},
		{"Go back to how the plan was before I touched the fee.", "restore before touched|fee everything"},
		{"Go back to the version before I dropped the choir.", "restore before deleted|choir everything"},
	} {
		t.Run(tt.request, func(t *testing.T) {
			got, notes := resolve(treetask.ResolveTask{Request: tt.request, Versions: 9})
			want := strings.Fields(tt.want)
			words := ""
			if len(want) > 2 && want[1] == "before" {
				words = strings.TrimSuffix(strings.Join(want[2:], " "), " everything")
			}
			version := got.Version
			if version == "number" {
				version = strconv.Itoa(got.Number)
			}
			if string(got.Operation) != want[0] || version != want[1] {
				t.Errorf("%s of %s %q, want %s (%v; task %q)", got.Operation, version, got.About, tt.want, notes, got.Task)
				return
			}
			for w := range strings.SplitSeq(words, "|") {
				if !strings.Contains(strings.ToLower(got.About), strings.ToLower(w)) {
					t.Errorf("the change is %q, want %q in it", got.About, w)
				}
			}
			if whole := strings.HasSuffix(tt.want, " everything"); got.Operation == treetask.Restore && (version == "1" || whole) && whole != (got.Task == everythingTask) {
				t.Errorf("the task is %q", got.Task)
			}
		})
	}
}

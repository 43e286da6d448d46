package multiwozlong

// The wording of questions. In each sentence {} is where what it asks about is
// named ("Pizza Hut", "the train from Ely to Cambridge"), or described where it is
// not ("that restaurant"), and square brackets stand around another mention of it.
// A table has five sentences or more for each slot, by the kind of entity and the
// slot, or by the slot where all kinds are asked about in the same words.

// phrases name a value in the frames that ask for the newest one.
var phrases = map[string]string{
	"booktime":              "the time of my table at {}",
	"restaurant bookday":    "the day of my table at {}",
	"restaurant bookpeople": "the number of people at my table at {}",
	"hotel bookday":         "the day my stay at {} begins",
	"hotel bookpeople":      "the number of people staying at {}",
	"bookstay":              "the number of nights I stay at {}",
	"train day":             "the day of my journey on {}",
	"train bookpeople":      "the number of tickets for {}",
	"taxi leaveat":          "the time {} leaves",
	"taxi arriveby":         "the time {} arrives",
	"ref":                   "the reference number of my latest booking for {}",
}

// updated ask for the newest of several values; {} is one of phrases.
var updated = []string{
	"What did we settle on in the end for {}?",
	"After all changes, what is {}?",
	"What is the latest on {}?",
	"As of my last word on it, what is {}?",
	"What is {} now, and not what I said before?",
	"Going by what I told you last, what is {}?",
}

// descriptions stand for the one of a kind that was mentioned last.
var descriptions = map[string][]string{
	"restaurant": {"that restaurant", "the restaurant we spoke of last", "the last restaurant that came up"},
	"hotel":      {"that place to stay", "the place to stay we spoke of last", "the last hotel or guesthouse that came up"},
	"attraction": {"that attraction", "the attraction we spoke of last", "the last attraction that came up"},
	"train":      {"that train", "the train we spoke of last", "my last train"},
	"taxi":       {"that taxi", "the taxi we spoke of last", "my last taxi"},
}

// pronouns ask about the one of a kind that was mentioned last by words that only
// that kind goes with.
var pronouns = map[string][]string{
	"restaurant booktime": {
		"What time did I book a table [there] for?",
		"When do we have to be [there] for our table? I need the time.",
		"At what time will [they] have our table ready?",
		"Which time did I give [them] for the table?",
		"For what time have [they] reserved our table?",
	},
	"restaurant bookday": {
		"For which day did I book the table [there]?",
		"On which day do we eat [there]?",
		"On what day will [they] have our table ready?",
		"Which day did I give [them] for the table?",
		"For what day have [they] reserved our table?",
	},
	"restaurant bookpeople": {
		"For how many people did I book the table [there]?",
		"How many of us are going to eat [there]?",
		"How many people will [they] lay our table for?",
		"How many guests did I give [them] for the table?",
		"For how many diners have [they] reserved our table?",
	},
	"restaurant food": {
		"What kind of food do [they] serve?",
		"Which cuisine do [they] cook?",
		"What type of food can we eat [there]?",
		"What is on [their] menu, which cuisine?",
		"Which kind of food is [their] kitchen for?",
	},
	"hotel bookday": {
		"On which day do I check in [there]?",
		"From which day is my room [there] booked?",
		"On what day will [they] have my room ready?",
		"Which day does my stay [there] begin?",
		"For what day did I book a room with [them]?",
	},
	"hotel bookpeople": {
		"How many of us are going to stay [there]?",
		"For how many people is my room [there]?",
		"How many people did I book a room for with [them]?",
		"How many of us will sleep [there]?",
		"How many guests do [they] have a room ready for?",
	},
	"hotel bookstay": {
		"How many nights am I staying [there]?",
		"For how many nights is my room [there] booked?",
		"How many nights will I sleep [there]?",
		"How many nights do [they] keep my room for?",
		"My room with [them] is booked for how many nights?",
	},
	"hotel stars": {
		"How many stars do [they] have for the rooms [they] let?",
		"What is [its] star rating as a place to stay?",
		"With how many stars is [it] rated as a place to stay?",
		"How many stars does the sign at [its] front desk show?",
		"How many stars does a room [there] come with?",
	},
	"attraction entrancefee": {
		"What do we pay to visit [it]?",
		"How much is a ticket to see [it]?",
		"What is [its] admission fee?",
		"What do [they] charge visitors to get in?",
		"What is the entrance fee [there] for a visit?",
	},
	"train leaveat": {
		"What time does [it] leave the station?",
		"When does [it] pull out of the station?",
		"By what time must I be on the platform for [it]?",
		"At what time do I have to be in my seat before [it] leaves the platform?",
		"When is [its] departure from the platform?",
	},
	"train arriveby": {
		"What time does [it] arrive at the station?",
		"When does [it] pull into the station?",
		"At what time do I get off [it] on the platform?",
		"When will [its] doors open at my station?",
		"At what time does [it] reach the station I am going to?",
	},
	"train trainid": {
		"What is [its] train ID?",
		"Which train ID does [it] have?",
		"What train number is on my ticket for [it]?",
		"Under which train ID do I find [it] on the board?",
		"Which train ID do I look for to catch [it]?",
	},
	"taxi type": {
		"Which car do I look out for when [it] picks me up?",
		"What car is [it] that drives me?",
		"What make and colour is [it], the car I mean?",
		"What car will be waiting at the kerb when [it] comes?",
		"Which colour and make does [its] driver drive?",
	},
	"taxi phone": {
		"Which number do I call to reach [its] driver?",
		"What is [its] driver's phone number?",
		"How do I call [its] driver? I need the number.",
		"What contact number does [its] driver have?",
		"Which phone number did you give me for [its] driver?",
	},
}

// omitted ask for what the last booking of a kind had, by "the same as last
// time".
var omitted = map[string][]string{
	"restaurant name": {
		"Book me a table at [the same restaurant as last time]. Which one was that?",
		"I want to eat at [the same place as last time] I booked a table. What is it called?",
		"A table at [the usual], the one I booked last time, please. What is its name?",
		"Let us eat where [I booked last time]. Which restaurant is that?",
		"[Same restaurant as last time], please. Which is it?",
	},
	"restaurant bookpeople": {
		"I need a table for [the same number of people as last time]. How many is that?",
		"[Same party as last time] for the table, please. How many of us were there?",
		"Another table, for [as many as last time]. How many people is that?",
		"Book a restaurant for [the same group as last time]. How many people was that?",
		"A table again, [the same people as last time]. How many are we?",
	},
	"restaurant booktime": {
		"I need a table at [the same time as last time]. What time is that?",
		"[Same time as last time] for the restaurant, please. When was it?",
		"Another table, [as late as last time]. What time is that?",
		"Book a restaurant at [the hour I had last time]. Which time was that?",
		"A table again, [the same time as before]. What time do I mean?",
	},
	"restaurant bookday": {
		"I need a table on [the same day as last time]. Which day is that?",
		"[Same day as last time] for the restaurant, please. Which one was it?",
		"Another table, [on the day I chose last time]. Which day is that?",
		"Book a restaurant for [the day I had last time]. Which was it?",
		"A table again, [the same day as before]. Which day do I mean?",
	},
	"hotel name": {
		"Book [the same hotel as last time], but for two nights. Which one was that?",
		"I want to stay at [the same place as last time] I booked a room. What is it called?",
		"A room at [the usual], the one I booked last time, please. What is its name?",
		"I would like to sleep where [I booked a room last time]. Where is that?",
		"[Same place to stay as last time], please. Which is it?",
	},
	"hotel bookpeople": {
		"I need a room for [the same number of people as last time]. How many is that?",
		"[Same group as last time] for the room, please. How many of us were there?",
		"Another room, for [as many as last time]. How many people is that?",
		"Book a hotel for [the same people as last time]. How many was that?",
		"A room again, [for us as last time]. How many are we?",
	},
	"hotel bookstay": {
		"I need a room for [as long as last time]. How many nights is that?",
		"[Same number of nights as last time] for the room, please. How many were they?",
		"Another stay, [the same length as last time]. How many nights is that?",
		"Book a hotel for [the nights I had last time]. How many was that?",
		"A room again, [as many nights as before]. How many do I mean?",
	},
	"hotel bookday": {
		"I need a room from [the same day as last time]. Which day is that?",
		"[Same day of arrival as last time] for the room, please. Which one was it?",
		"Another stay, [from the day I chose last time]. Which day is that?",
		"Book a hotel from [the day I had last time]. Which was it?",
		"A room again, [the same first day as before]. Which day do I mean?",
	},
	"train bookpeople": {
		"I need [as many train tickets as last time]. How many is that?",
		"[Same number of tickets as last time] for the train, please. How many were they?",
		"The train again, for [as many of us as last time]. How many people is that?",
		"Book a train for [the same people as last time]. How many was that?",
		"Train tickets again, [the same number as before]. How many do I mean?",
	},
	"train day": {
		"I need a train on [the same day as last time]. Which day is that?",
		"[Same day as last time] for the train, please. Which one was it?",
		"The train again, [on the day I chose last time]. Which day is that?",
		"Book a train for [the day I had last time]. Which was it?",
		"A train ticket again, [the same day as before]. Which day do I mean?",
	},
}

// sentences returns those of a table for a slot of a kind of entity.
func sentences(table map[string][]string, kind, slot string) []string {
	if list := table[kind+" "+slot]; list != nil {
		return list
	}
	return table[slot]
}

package multiwozlong

// The wording of questions. In each sentence {} is where what it asks about is
// named ("Pizza Hut", "the train from Ely to Cambridge"), or described where it is
// not ("that restaurant"), and square brackets stand around another mention of it.
// A table has five sentences or more for each slot, by the kind of entity and the
// slot, or by the slot where all kinds are asked about in the same words.

// settled asks for a value by name or by description.
var settled = map[string][]string{
	"phone": {
		"What phone number did you give me for {}?",
		"What is the phone number of {}?",
		"Which number do I call to reach {}?",
		"You told me a telephone number for {}. What was it?",
		"Can you repeat the phone number of {}?",
	},
	"address": {
		"What is the address of {}?",
		"Which address did you give me for {}?",
		"Where exactly is {}? I need the address.",
		"You told me the address of {}. What was it?",
		"What did you say the address of {} is?",
	},
	"postcode": {
		"What is the postcode of {}?",
		"Which postcode did you give me for {}?",
		"I need the postcode of {} again. What was it?",
		"You told me the postcode of {}. What was it?",
		"What postcode do I enter to find {}?",
	},
	"area": {
		"In which part of town is {}?",
		"What area did you say {} is in?",
		"Which area of town is {} in?",
		"You told me the part of town of {}. Which was it?",
		"What side of town is {} on?",
	},
	"pricerange": {
		"What price range is {} in?",
		"How expensive did you say {} is?",
		"Is {} cheap, moderate or expensive?",
		"Which price range did you name for {}?",
		"You told me the price range of {}. What was it?",
	},
	"stars": {
		"How many stars does {} have?",
		"What star rating did you give me for {}?",
		"What is the star rating of {}?",
		"With how many stars is {} rated?",
		"You told me the number of stars of {}. What was it?",
	},
	"food": {
		"What kind of food does {} serve?",
		"Which cuisine did you say {} has?",
		"What type of food can I expect at {}?",
		"You told me the cuisine of {}. What was it?",
		"What do they cook at {}?",
	},
	"attraction type": {
		"What type of attraction is {}?",
		"What kind of place did you say {} is?",
		"Which type of attraction did you call {}?",
		"What sort of attraction is {}?",
		"You told me what type of attraction {} is. What was it?",
	},
	"entrancefee": {
		"What is the entrance fee of {}?",
		"How much does it cost to get into {}?",
		"What did you say admission to {} costs?",
		"Which entrance fee did you name for {}?",
		"What do I pay to enter {}?",
	},
	"ref": {
		"What is the reference number of my booking for {}?",
		"Which reference number did I get for {}?",
		"I lost the confirmation for {}. What was the reference number?",
		"Under which reference is {} booked?",
		"What booking reference did you give me for {}?",
	},
	"booktime": {
		"What time did I book the table at {} for?",
		"For what time is my table at {} booked?",
		"At what time is my reservation at {}?",
		"What was the time of my booking at {}?",
		"Which time did we agree on for the table at {}?",
	},
	"restaurant bookday": {
		"For which day did I book the table at {}?",
		"On what day is my reservation at {}?",
		"Which day is my table at {} booked for?",
		"What day am I eating at {}?",
		"On which day do they expect me at {}?",
	},
	"restaurant bookpeople": {
		"For how many people did I book the table at {}?",
		"How many of us are going to eat at {}?",
		"How many people is my reservation at {} for?",
		"What size of party did I book at {} for?",
		"How many guests did I name for the table at {}?",
	},
	"hotel bookday": {
		"From which day is my room at {} booked?",
		"On what day do I check in at {}?",
		"Which day does my stay at {} begin?",
		"What day am I arriving at {}?",
		"For what day did I book my stay at {}?",
	},
	"hotel bookpeople": {
		"For how many people did I book the stay at {}?",
		"How many of us are staying at {}?",
		"How many people is my booking at {} for?",
		"How many guests did I book at {}?",
		"What number of people did I give for {}?",
	},
	"bookstay": {
		"How many nights did I book at {}?",
		"For how many nights am I staying at {}?",
		"How long is my stay at {}, in nights?",
		"What number of nights did I book at {} for?",
		"My room at {} is booked for how many nights?",
	},
	"train leaveat": {
		"What time does {} leave that I booked?",
		"When does {} depart that you booked for me?",
		"At what time do I have to be on {} before it leaves?",
		"What is the departure time of {} that I have a ticket for?",
		"Which departure time did you give me for {} that we booked?",
	},
	"train arriveby": {
		"What time does {} arrive that I booked?",
		"When does {} get there that you booked for me?",
		"At what time will I be there with {} that we booked?",
		"What is the arrival time of {} that I have a ticket for?",
		"Which arrival time did you give me for {} that I booked?",
	},
	"train day": {
		"On which day did I book {}?",
		"What day am I travelling on {}?",
		"For what day is {} booked?",
		"Which day is my ticket for {} valid?",
		"What was the day of my journey with {}?",
	},
	"train bookpeople": {
		"For how many people did I book {}?",
		"How many tickets did I buy for {}?",
		"How many of us are travelling on {}?",
		"How many seats did I book on {}?",
		"What number of travellers did I give for {}?",
	},
	"trainid": {
		"What is the train ID of {} that I booked?",
		"Which train number did you give me for {} that I booked?",
		"What was the id of {} that we booked?",
		"You told me the ID of {} that I booked. What was it?",
		"Which train ID is on my ticket for {}?",
	},
	"taxi leaveat": {
		"After what time did I want {} to leave?",
		"At what time did I want {} to pick me up?",
		"Which pickup time did I give for {}?",
		"What time of departure did I ask for with {}?",
		"When did I say that {} should leave?",
	},
	"taxi arriveby": {
		"By what time did I want {} to arrive?",
		"When did I say that {} must get me there?",
		"Which arrival time did I give for {}?",
		"What time did I want to be there with {}?",
		"By when was {} to arrive, as I told you?",
	},
	"taxi type": {
		"What kind of car is {}?",
		"Which car do I look out for with {}?",
		"What make and colour of car did you book for {}?",
		"What car comes for {}?",
		"You told me the car of {}. What was it?",
	},
	"taxi destination": {
		"Where does {} take me?",
		"What is the destination of {}?",
		"Where did I want to go with {}?",
		"Which place is {} going to?",
		"Where did I ask {} to bring me?",
	},
	"train destination": {
		"Where does {} go that I booked?",
		"What is the destination of {} that I have a ticket for?",
		"To which place did I book {}?",
		"Where will I get off {} that we booked?",
		"Which destination did I give for {}?",
	},
	// The names of venues are asked for by what was booked there: {} is the day and
	// the time, or the day and the nights.
	"restaurant name": {
		"Which restaurant did I book for {}?",
		"Where did I book a table for {}?",
		"What is the name of the restaurant where I have a table for {}?",
		"At which restaurant is my reservation for {}?",
		"I booked a restaurant for {}. Which one was it?",
	},
	"hotel name": {
		"Which hotel or guesthouse did I book {}?",
		"Where did I book a room {}?",
		"What is the name of the place where I have a room {}?",
		"Where am I staying {}?",
		"I booked a place to stay {}. Which one was it?",
	},
}

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

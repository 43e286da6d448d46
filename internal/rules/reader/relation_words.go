package reader

// tieWords are the nouns and verbs by which the ends of a tie speak of it: the
// noun for the one who is asked for first, then that for the one who is named.
var tieWords = map[relation]struct{ them, us map[string]bool }{
	tieChild:      {set("son daughter child baby kid boy girl children kids"), set("mother father mom mum dad mommy daddy parent ma pa pop")},
	tieParent:     {set("mother father mom mum dad mommy daddy parent parents ma pa pop"), set("son daughter child baby kid boy girl pregnant")},
	tieSibling:    {set("brother sister sibling twin bro sis"), set("brother sister sibling twin bro sis parents")},
	tieSpouse:     {spousal, spousal},
	tieFamily:     {relatives, relatives},
	tieCouple:     {couples, couples},
	tieDate:       {courting, courting},
	tieFriend:     {set("friend friends buddy pal mate friendship"), set("friend friends buddy pal mate friendship")},
	tieRoommate:   {set("roommate roommates roomie flatmate apartment rent move moved moving room live living"), set("roommate roommates roomie flatmate apartment rent move moved moving room live living")},
	tieNeighbour:  {set("neighbor neighbour neighbors neighbours door upstairs downstairs building hall street apartment"), set("neighbor neighbour neighbors neighbours door upstairs downstairs building hall street apartment")},
	tieBoss:       {offices, offices},
	tieUnder:      {offices, offices},
	tieClient:     {set("client customer patient lawyer doctor nurse agent appointment case buy sell order hire"), set("client customer patient lawyer doctor nurse agent appointment case buy sell order hire")},
	tieSchoolmate: {schooling, schooling},
	tieAcquainted: {set("know met meet meeting remember introduce nice"), set("know met meet meeting remember introduce nice")},
	tieLiked:      {praise, praise},
	tieDisliked:   {blame, blame},
	tieConnected:  {set("live lives living lived moved work works working worked visit visited went going been trip travel flying club member join joined office job"), set("")},
}

var (
	spousal   = set("husband wife married marry marriage wedding spouse honeymoon divorce divorced bride groom vow vows")
	relatives = set(`family uncle aunt cousin grandmother grandfather grandma grandpa niece nephew stepmother stepfather
in-law in-laws grandson granddaughter relative relatives granny nana`)
	couples = set(`boyfriend girlfriend love together kiss kissed kissing honey sweetie babe sweetheart relationship date dating
couple married marry engaged fiance fiancé fiancee fiancée propose proposed proposal broke break broken miss ex affair darling baby move`)
	courting  = set("date dating dated dates out dinner asked ask girlfriend boyfriend drink together movie kiss kissed")
	offices   = set("boss manager fire fired hire hired job work works working office employee assistant secretary sir promotion company raise")
	schooling = set("school college class university campus student classmate high-school prom graduated dorm teacher professor homework")
	praise    = set(`love loves loved like likes liked great wonderful amazing good best nice sweet cute hot beautiful thank thanks
perfect sexy proud gorgeous pretty fun awesome fantastic incredible smart brilliant adore lovely kind talented crush handsome fabulous
cool funny charming glad happy miss special fine admire`)
	blame = set(`hate hates hated awful terrible bad jerk stupid idiot idiots crazy mean suck sucks worst sick kill weird annoying
damn hell liar lied lying dumb horrible disgusting creep creepy selfish rude ruined shut angry mad pathetic bitch bastard ass lame
loser moron ugly evil cheated freak insane ridiculous psycho despise dislike fault wrong`)
	// endearments are what people are called without a name.
	endearments = set(`buddy pal dude man honey sweetie sweetheart babe baby darling dear sir ma'am mom mum dad mommy daddy grandma
grandpa bro sis kiddo roomie hon bud doctor doc professor boss mister miss madam princess champ coach officer`)
)

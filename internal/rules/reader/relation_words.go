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
	relatives = list("relatives")
	couples   = list("couples")
	courting  = set("date dating dated dates out dinner asked ask girlfriend boyfriend drink together movie kiss kissed")
	offices   = set("boss manager fire fired hire hired job work works working office employee assistant secretary sir promotion company raise")
	schooling = set("school college class university campus student classmate high-school prom graduated dorm teacher professor homework")
	praise    = list("praise")
	blame     = list("blame")
	// endearments are what people are called without a name.
	endearments = list("endearments")
)

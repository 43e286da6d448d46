package reader

// A feature is one thing that speaks for or against a span.
type feature int

// The features of a span. Those of its sentence come first.
const (
	fMatch      feature = iota // score of the sentence among all
	fOwn                       // share found in the sentence itself
	fPerson                    // said by the person asked about
	fDate                      // said at or about a date of the question
	fImage                     // it is a remark on an image
	fReply                     // it opens the reply to a question
	fReplyMatch                // share of the question found in the question it replies to

	fWords1     // one word long
	fWords2     // two words
	fWords3     // three
	fWords45    // four or five
	fWords68    // six to eight
	fWords9     // nine and more
	fNew        // content words that are not in the question, up to four
	fOldHead    // the last word is one of the question's
	fOldFirst   // the first word is
	fFunction   // share of closed-class words
	fPronoun    // has a pronoun of the two who speak
	fPossessive // has a possessive pronoun
	fFinite     // has a finite verb behind its first word
	fComma      // has a comma
	fAnd        // has "and" or "or"
	fQuoted     // has words between quotation marks
	fQuoteExact // is a quotation, whole
	fProper     // has a name
	fFocus      // has the noun asked for
	fFocusHead  // ends with it
	fMember     // ends with an instance of the noun asked for
	fMemberIn   // has one elsewhere
	fTime       // has an expression of time

	fNear         // a word of the question stands beside it
	fNear3        // one stands within three words
	fAfterVerb    // right behind the question's verb
	fVerbClause   // and reaches to the end of the clause
	fAfterBe      // right behind a form of "be"
	fBeClause     // and reaches to the end of the clause
	fAfterVerbAny // right behind another verb
	fAfterSubject // right behind a subject pronoun
	fClauseStart  // begins a clause
	fClauseEnd    // ends one
	fWholeClause  // is one

	fArticle          // begins with an article
	fStartNoun        // begins with a noun
	fStartAdjective   // with an adjective
	fStartGerund      // with a verb in "-ing"
	fStartVerb        // with another verb
	fStartPreposition // with a preposition
	fStartTo          // with "to"
	fStartNumber      // with a number
	fStartAdverb      // with an adverb
	fEndNoun          // ends with a noun
	fEndVerb          // with a verb
	fEndAdjective     // with an adjective

	fBareVerb     // "what" without a noun: begins with a verb
	fBareLong     // and is longer than five words
	fFocusShort   // "what" with a noun: up to three words
	fProperAsked  // "what" with a noun whose instances have names: has one
	fWhyMark      // "why": behind or with a word of cause or purpose
	fWhyLong      // and is longer than five words
	fWhoPerson    // "who": has a name or ends with a noun for people
	fWhereIn      // "where": behind or with a preposition of place
	fWhereProper  // "where": has a name
	fHowAdjective // "how": begins with an adjective
	fHowBy        // "how": behind or with "by", or begins with a verb in "-ing"
	fHowLong      // "how": longer than three words
	fCountNumber  // "how many": has a number
	fCountLong    // "how many": longer than two words
	fOftenMark    // "how often": has a frequency
	fDurationMark // "how long": has a length of time
	numFeatures
)

// A vec holds the features of a span.
type vec [numFeatures]float64

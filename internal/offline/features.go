package offline

// A feature is one thing that speaks for or against a span.
type feature int

// The features of a span. Those of its sentence come first.
const (
	fMatch      feature = iota // share of the question found in and around the sentence
	fOwn                       // share found in the sentence itself
	fPerson                    // said by the person asked about
	fDate                      // said at or about a date of the question
	fImage                     // it is a remark on an image
	fReply                     // it opens the reply to a question
	fReplyMatch                // share of the question found in the question it replies to

	fWords1  // one word long
	fWords2  // two words
	fWords3  // three
	fWords45 // four or five
	fWords68 // six to eight
	fWords9  // nine and more

	fNew       // content words that are not in the question
	fOldHead   // the last word is one of the question
	fOldFirst  // the first word is one of the question
	fFunction  // share of closed-class words
	fNear      // a word of the question stands beside it
	fNear3     // one stands within three words
	fAfterVerb // right behind the question's verb
	fAfterBe   // right behind a form of "be"
	fAfterVerbAny
	fAfterSubject // right behind a subject pronoun
	fClauseStart
	fClauseEnd
	fWholeClause
	fPronoun // has a pronoun of the first or second person
	fFinite  // has an auxiliary or a finite verb
	fComma
	fAnd
	fQuoted
	fProper
	fProperAsked // a proper name where a name is asked for
	fFocus       // has the noun that the question names
	fFocusHead
	fPossessive
	fArticle

	fStartNoun
	fStartAdjective
	fStartGerund
	fStartVerb
	fStartPreposition
	fStartTo
	fStartNumber
	fStartAdverb
	fEndNoun
	fEndVerb
	fEndAdjective // else, an adverb or a number

	fWhyMark // "why": behind a word of cause or purpose
	fWhyLong
	fWhoPerson
	fWhereIn // "where": behind a preposition of place
	fWhereProper
	fHowAdjective
	fHowBy
	fCountNumber
	fCountLong
	fOftenMark
	fDurationMark
	fMember     // its last word is an instance of the noun asked for
	fMemberIn   // another word is
	fQuoteExact // it is a quotation, whole
	fBareVerb   // "what" without a noun: begins with a verb
	fBareLong   // and is longer than five words
	fFocusShort // "what" with a noun: up to three words
	fHowLong    // "how": longer than three words
	fVerbClause // right behind the question's verb to the end of the clause
	fBeClause   // behind "be" to the end of the clause
	fTime       // has an expression of time that was not asked for
	numFeatures
)

// A vec holds the features of a span.
type vec [numFeatures]float64

package record

// The format of a baseline's scores, without its files.
var (
	WriteScores  = writeScores
	DecodeScores = decodeScores
)

// Package calibrate corrects the rate that a judge of answers finds by labels that
// people gave to some of the same answers.
//
// [Errors] are how often the judge is right, [RoganGladen] takes them out of its
// rate, and [PredictionPowered] adds to the judge's rate the mean error that the
// labels show. All errors are by conversation: answers about one are no independent
// draws.
package calibrate

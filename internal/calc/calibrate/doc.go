// Package calibrate corrects a judge's rate of accepted answers by people's labels
// for some of the same answers.
//
// [Errors] measures how often the judge is right, [RoganGladen] removes its errors
// from the rate, and [PredictionPowered] adds to the judge's rate the mean error
// that the labels show. All errors are by conversation: answers about one
// conversation are not independent.
package calibrate

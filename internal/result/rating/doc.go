// Package rating lets people rate answers: it draws the answers that they see,
// hides where these come from, writes sheets to fill in, reads and checks what
// comes back, and sums it up.
//
// What is rated is User Continuity Satisfaction, 1 to 5, with four flags for
// errors, by the protocol in appendix B of the paper on semantic anchoring.
// docs/rating.md is for those who run such a study and for the raters.
//
// Nothing here fills in a rating. What was not given is missing: it has no
// default, and means, shares and agreement leave it out.
package rating

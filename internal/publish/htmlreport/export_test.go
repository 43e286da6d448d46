package htmlreport

// Visible is for tests, which hold the script's rule to it.
var Visible = visible

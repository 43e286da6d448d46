// Package files is the parent of the packages that read and write files: formats
// (strictyaml, jsontree, jsonout, spreadsheet, category), places and sources of datasets
// (datadir, datafile, fetch), files that survive a kill (durable, filelock), and files
// that others append to (follow).
package files

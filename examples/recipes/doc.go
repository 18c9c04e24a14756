// Package recipes contains one Example in each file, to copy from. The table of loads in docs/choosing.md links to
// them. Each file first has the code to copy, then an Example that uses it, with its output.
package recipes

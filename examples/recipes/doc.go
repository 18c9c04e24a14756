// Package recipes has one Example in each file, to copy from. docs/choosing.md says which load needs which. An Example
// reads from top to bottom: what its program has, then a use of it, with what that prints.
package recipes

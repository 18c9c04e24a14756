// Package swap replaces package time's timers in a copy of a module by package wheeltime's timers.
//
// [Copy] copies the module, [Swap] rewrites the copy. The rewriter works on the type-checked syntax tree: it replaces
// time.AfterFunc, NewTimer, NewTicker, After, Tick and Sleep, and the types time.Timer and time.Ticker, and puts the
// sources of the wheel and a small package of the same functions into the copy. go.mod stays as it is.
//
// A timer whose type is fixed by a package that is not rewritten stays package time's, with every variable, field and
// function it may reach. The rewriter treats variables that appear in the same statement as connected: it leaves
// a few timers more than it must, and never mixes the two types. [Report] lists both kinds of sites.
package swap

package main

// load is one kind of crowd, in one or more cases.
type load struct {
	name  string // as on the command line
	what  string // a sentence or two on how to read its figures
	cases func(c config) []testCase
}

// testCase is a load at one size. It leaves its timer and its garbage behind: it
// is meant to have a process of its own.
type testCase struct {
	name     string
	oursOnly bool // package time has nothing of the kind
	run      func(p peer, c config) []figure
}

// figure is one measured value.
type figure struct {
	Name  string // with its unit: a column of the table
	Value float64
	Mark  string // what happened instead of a value, or beside it; empty if nothing did
	Void  bool   // there is only the mark
}

func allLoads() []load {
	return []load{storms, sessions, moved, hold, stops, waiters, quiet}
}

func findLoad(name string) (load, bool) {
	for _, l := range allLoads() {
		if l.name == name {
			return l, true
		}
	}
	return load{}, false
}

func (l load) find(name string, c config) (testCase, bool) {
	for _, k := range l.cases(c) {
		if k.name == name {
			return k, true
		}
	}
	return testCase{}, false
}

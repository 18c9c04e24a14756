package keyload

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// NewKeyed returns a keyed.Map on a timer with the default options.
func NewKeyed() Table {
	tm := hashedwheel.MustNew()
	return wheel{tm, keyed.New(tm, func(string, *int) {})}
}

type wheel struct {
	tm *hashedwheel.Timer
	m  *keyed.Map[string, *int]
}

func (t wheel) Set(k string, v *int, d time.Duration) { _ = t.m.Set(k, v, d) }
func (t wheel) Touch(k string, d time.Duration)       { t.m.Touch(k, d) }
func (t wheel) Delete(k string)                       { t.m.Delete(k) }
func (t wheel) Get(k string) *int                     { v, _ := t.m.Get(k); return v }
func (t wheel) Flush()                                { t.tm.Pending() }
func (t wheel) Close()                                { t.tm.Stop() }

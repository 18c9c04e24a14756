package main

import (
	"math/rand/v2"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// kind is where the timeouts of a storm are in memory.
type kind string

const (
	fresh        kind = "new"
	atOffset64   kind = "in a struct at 64"
	atSomeOffset kind = "in a struct at random"
)

const (
	deadline   = 30 * time.Second
	structSize = 256 // bytes of a caller's struct with a timeout in it
)

func nop() {}

var nopTask = hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {})

func (w wheel) armStop(k kind) func() {
	tm := w.Timer
	switch k {
	case atOffset64:
		return func() { armInside[[64]byte, [structSize - 128]byte](tm) }
	case atSomeOffset:
		random := rand.New(rand.NewPCG(rand.Uint64(), 1))
		return func() { offsets[random.IntN(len(offsets))](tm) }
	}
	return func() { tm.AfterFunc(deadline, nop).Stop() }
}

// inside is a caller's struct of 256 bytes with a Timeout in it.
type inside[B, A any] struct {
	_  B
	to hashedwheel.Timeout
	_  A
}

func armInside[B, A any](tm *hashedwheel.Timer) {
	s := new(inside[B, A])
	s.to.Init(tm, nopTask)
	s.to.Reset(deadline)
	s.to.Stop()
}

// offsets are those that a storm at random offsets draws from. The last is not
// at the very end: a Timeout ends there, and the struct would be larger.
var offsets = []func(tm *hashedwheel.Timer){
	armInside[[0]byte, [192]byte],
	armInside[[8]byte, [184]byte],
	armInside[[24]byte, [168]byte],
	armInside[[40]byte, [152]byte],
	armInside[[64]byte, [128]byte],
	armInside[[88]byte, [104]byte],
	armInside[[104]byte, [88]byte],
	armInside[[120]byte, [72]byte],
	armInside[[136]byte, [56]byte],
	armInside[[152]byte, [40]byte],
	armInside[[168]byte, [24]byte],
	armInside[[184]byte, [8]byte],
}

// stdInside is a caller's struct of the same size that keeps a time.Timer.
type stdInside struct {
	timer *time.Timer
	_     [structSize - 8]byte
}

// expire is what keeps the struct alive for as long as its timer is armed.
func (s *stdInside) expire() { s.timer = nil }

func (std) armStop(k kind) func() {
	if k == fresh {
		return func() { time.AfterFunc(deadline, nop).Stop() }
	}
	return func() {
		s := new(stdInside)
		s.timer = time.AfterFunc(deadline, s.expire)
		s.timer.Stop()
	}
}

package main

import (
	"encoding/binary"
	"io"
	"sync"
)

// A frame is a request or an answer: the number of the call, and the argument or the result.
type frame struct {
	id, value uint64
}

const frameSize = 16

// A frameWriter writes frames. It is safe for concurrent use.
type frameWriter struct {
	mu  sync.Mutex
	w   io.Writer       // guarded by mu
	buf [frameSize]byte // guarded by mu
}

func (fw *frameWriter) write(f frame) error {
	fw.mu.Lock()
	defer fw.mu.Unlock()
	binary.BigEndian.PutUint64(fw.buf[:8], f.id)
	binary.BigEndian.PutUint64(fw.buf[8:], f.value)
	_, err := fw.w.Write(fw.buf[:])
	return err
}

// A frameReader reads frames, for one goroutine.
type frameReader struct {
	r   io.Reader
	buf [frameSize]byte
}

func (fr *frameReader) read() (frame, error) {
	_, err := io.ReadFull(fr.r, fr.buf[:])
	return frame{
		id:    binary.BigEndian.Uint64(fr.buf[:8]),
		value: binary.BigEndian.Uint64(fr.buf[8:]),
	}, err
}

package hashedwheel

// bucket is one slot of the wheel: a doubly linked list through its timeouts,
// in no order. The links are the timeouts' own, so filing allocates nothing.
//
// prev points at whatever points at the timeout, a predecessor's next or the
// head, as in Linux's hlist: a timeout leaves its list in O(1) without knowing
// which list that is, and a whole list moves in O(1).
type bucket struct {
	head *Timeout
}

func (b *bucket) empty() bool { return b.head == nil }

func (b *bucket) add(to *Timeout) {
	to.next, to.prev = b.head, &b.head
	if to.next != nil {
		to.next.prev = &to.next
	}
	b.head = to
}

// moveTo empties b into dst, which must be empty.
func (b *bucket) moveTo(dst *bucket) {
	dst.head, b.head = b.head, nil
	if dst.head != nil {
		dst.head.prev = &dst.head
	}
}

// unlink takes to out of the list it is in.
func unlink(to *Timeout) {
	*to.prev = to.next
	if to.next != nil {
		to.next.prev = to.prev
	}
	to.next, to.prev = nil, nil // let the collector have them
}

// home is where a timeout is: the level in the low bits, above it the tick it
// is filed under.
type home int64

const (
	levelBits = 4

	unfiled  = 0 // not in the wheel
	inBatch  = 1 // being handed out: in Timer.batch
	inBucket = 2 // in a bucket, or in the due list that its bucket was moved to
	inRing   = 3 // 3+k: in ring k
)

func (h home) level() int  { return int(h & (1<<levelBits - 1)) }
func (h home) tick() int64 { return int64(h) >> levelBits }

package results

// A bitmap is a set of run indices. Pages without members take 8 bytes, so
// that a small part of a huge plan costs little.
type bitmap struct {
	pages []*[pageBits / 64]uint64
	count int64
}

const pageBits = 1 << 15

func newBitmap(n int64) *bitmap {
	return &bitmap{pages: make([]*[pageBits / 64]uint64, (n+pageBits-1)/pageBits)}
}

func (b *bitmap) has(i int64) bool {
	p := b.pages[i/pageBits]
	return p != nil && p[i%pageBits/64]>>(i%64)&1 == 1
}

func (b *bitmap) set(i int64) {
	p := &b.pages[i/pageBits]
	if *p == nil {
		*p = new([pageBits / 64]uint64)
	}
	if !b.has(i) {
		(*p)[i%pageBits/64] |= 1 << (i % 64)
		b.count++
	}
}

func (b *bitmap) clear(i int64) {
	if b.has(i) {
		b.pages[i/pageBits][i%pageBits/64] &^= 1 << (i % 64)
		b.count--
	}
}

package results

// A bitmap is a set of run indices. Only the pages that have had members
// take memory, so that a small part of a huge plan costs little.
type bitmap struct {
	pages map[int64]*[pageBits / 64]uint64
	count int64
}

const pageBits = 1 << 15

func newBitmap() *bitmap {
	return &bitmap{pages: map[int64]*[pageBits / 64]uint64{}}
}

func (b *bitmap) has(i int64) bool {
	p := b.pages[i/pageBits]
	return p != nil && p[i%pageBits/64]>>(i%64)&1 == 1
}

func (b *bitmap) set(i int64) {
	if b.has(i) {
		return
	}
	p := b.pages[i/pageBits]
	if p == nil {
		p = new([pageBits / 64]uint64)
		b.pages[i/pageBits] = p
	}
	p[i%pageBits/64] |= 1 << (i % 64)
	b.count++
}

func (b *bitmap) clear(i int64) {
	if b.has(i) {
		b.pages[i/pageBits][i%pageBits/64] &^= 1 << (i % 64)
		b.count--
	}
}

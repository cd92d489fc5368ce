package monitoring

import "sweep/internal/rng"

// randomWords is an algorithm's own randomness: words that are read one after
// another.
type randomWords struct {
	words rng.Words
	at    uint64
}

// word returns the next word.
func (d *randomWords) word() uint64 {
	w := d.words.At(d.at)
	d.at++
	return w
}

// below returns an integer in [0, n).
func (d *randomWords) below(n int) int { return rng.Below(d.word(), n) }

// chance returns true with a probability in units of 2⁻³².
func (d *randomWords) chance(fixed uint32) bool { return uint32(d.word()>>32) < fixed }

// float returns a number in [0, 1).
func (d *randomWords) float() float64 { return float64(d.word()>>11) * 0x1p-53 }

// Package liberationsansregular has the font of all figures.
package liberationsansregular

import "github.com/go-fonts/liberation/liberationsansregular"

// TTF is Liberation Sans Regular.
var TTF = liberationsansregular.TTF
